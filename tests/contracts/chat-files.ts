import { describe, expect, test } from 'vitest';
import type { Place } from '../../src/engine/people.ts';
import type { PostFile } from '../../src/engine/post.ts';
import { md } from '../../src/engine/prose.ts';
import type { Part } from '../../src/ports/chat.ts';
import type { ChatHarness, ChatSkips } from './chat-harness.ts';
import { content, postAll, postOne } from './chat-posting.ts';

const notes: PostFile = {
  name: 'notes.md',
  mediaType: 'text/markdown',
  alt: '',
  data: base64('# Grüße\n\n<@U0ANA> @here'),
};
/** One pixel. */
const chart: PostFile = {
  name: 'chart.png',
  mediaType: 'image/png',
  alt: 'A chart of the run',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const seenNotes = { name: 'notes.md', text: '# Grüße\n\n<@U0ANA> @here' };
const seenChart = { name: 'chart.png', alt: 'A chart of the run' };
const kinds = [
  ['a file', notes, seenNotes],
  ['a picture', chart, seenChart],
] as const;

/** Files and pictures with posts. */
export function fileContract(harness: () => ChatHarness, skips: ChatSkips): void {
  const both = { ...content([md('The notes')]), files: [notes, chart] };
  const only = (...files: PostFile[]) => ({ ...content([]), files });
  const partOf = (h: ChatHarness, file: PostFile): Part => h.chat.render(only(file))[0] ?? null;
  const filesIn = async (h: ChatHarness, place: Place) => (await h.messages(place)).map(({ files }) => files);

  describe('files', () => {
    test('follow the words in order, once, as they were given', async () => {
      const h = harness();
      const messages = await postAll(h, h.channel, both, 'key');
      const seen = await h.messages(h.channel);
      expect(seen.map(({ ref }) => ref)).toEqual(messages);
      expect(seen).toMatchObject([
        { text: 'The notes', files: [] },
        { author: 'bot', files: [seenNotes] },
        { author: 'bot', files: [seenChart] },
      ]);
      for (const message of messages) expect(await h.notified(message)).toEqual([]);
      expect(h.inbox.taken).toEqual([]);
    });

    test('stand in the thread', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const thread = { ...h.channel, thread: root.id };
      const messages = await postAll(h, thread, both, 'key');
      expect((await h.messages(thread)).map(({ ref }) => ref)).toEqual(messages);
      expect(await filesIn(h, thread)).toEqual([[], [seenNotes], [seenChart]]);
      expect(await h.messages(h.channel)).toHaveLength(1);
    });

    test('leave the buttons under the words', async () => {
      const h = harness();
      const buttons = [{ id: 'q1:yes', label: 'Yes', style: 'primary' }] as const;
      await postAll(h, h.channel, { ...both, buttons }, 'key');
      const seen = await h.messages(h.channel);
      expect(seen.map((message) => message.buttons.length)).toEqual([1, 0, 0]);
    });

    test('go out alone when there is nothing to say', async () => {
      const h = harness();
      expect(h.chat.render(only(notes, chart))).toHaveLength(2);
      await postOne(h, h.channel, only(notes), 'key');
      expect(await filesIn(h, h.channel)).toEqual([[seenNotes]]);
    });

    test.each(kinds)('%s is found by its key, also after a restart', async (_, file) => {
      const h = harness();
      const message = await postOne(h, h.channel, only(file), 'key-1');
      await postOne(h, h.channel, only(file), 'key-2');
      const found = expect.objectContaining({ kind: 'found', message });
      expect(await h.chat.find(h.channel, 'key-1', 0)).toEqual(found);
      await h.restart();
      expect(await h.chat.find(h.channel, 'key-1', 0)).toEqual(found);
    });

    test('are found in their thread, and nowhere else', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const thread = { ...h.channel, thread: root.id };
      const message = await postOne(h, thread, only(notes), 'key-1');
      const absent = skips.absence ? 'unknowable' : 'absent';
      expect(await h.chat.find(thread, 'key-1', 0)).toMatchObject({ kind: 'found', message });
      expect(await h.chat.find(h.otherChannel, 'key-1', 0)).toMatchObject({ kind: absent });
      expect(await h.chat.find(thread, 'key-2', 0)).toMatchObject({ kind: absent });
    });

    test.each(kinds)('%s can’t be edited, but stays as it is when it is the same', async (_, file, shown) => {
      const h = harness();
      const message = await postOne(h, h.channel, only(file), 'key-1');
      expect(await h.chat.edit(message, partOf(h, file))).toEqual({ kind: 'edited' });
      const other = { ...file, data: base64('another one') };
      expect(await h.chat.edit(message, partOf(h, other))).toEqual(refused);
      const words = await postOne(h, h.channel, content([md('words')]), 'key-2');
      expect(await h.chat.edit(words, partOf(h, file))).toEqual(refused);
      expect(await h.messages(h.channel)).toMatchObject([
        { files: [shown], edited: false },
        { text: 'words', files: [] },
      ]);
      await h.deleteMessage(message);
      expect(await h.chat.edit(message, partOf(h, file))).toEqual({ kind: 'gone' });
    });

    describe('in an answer that one person sees', () => {
      const answer = (files: readonly PostFile[]) =>
        ({ kind: 'private', content: { ...content([md('The **notes**')]), files } }) as const;
      /** What Ana is shown when a command is answered so. */
      async function shown(h: ChatHarness, files: readonly PostFile[], messages: number) {
        h.inbox.answerNext(answer(files));
        await h.command(h.people.ana, h.channel, 'run release');
        await h.until(async () => (await h.privates(h.people.ana)).length >= messages);
        return h.privates(h.people.ana);
      }

      test('show pictures with their alt text, behind the words and to nobody else', async () => {
        const h = harness();
        const [words, ...pictures] = await shown(h, [chart, { ...chart, name: 'other.png', alt: 'B' }], 3);
        expect(words).toEqual({ text: 'The notes', buttons: [], files: [] });
        expect(pictures.flatMap(({ files }) => files)).toEqual([seenChart, { name: 'other.png', alt: 'B' }]);
        expect(pictures).toHaveLength(2);
        expect(await h.privates(h.people.bo)).toEqual([]);
        expect(await h.messages(h.channel)).toEqual([]);
      });

      test('leave out those that are no pictures', async () => {
        const h = harness();
        const [words, ...pictures] = await shown(h, [notes, chart], 2);
        expect(words).toMatchObject({ text: 'The notes' });
        expect(pictures.map(({ files }) => files)).toEqual([[seenChart]]);
      });

      test('say in words what can’t be shown, and never send it', async () => {
        const h = harness();
        const seen = await shown(
          h,
          [
            { ...chart, alt: ' ' },
            { ...chart, name: '../chart.png' },
          ],
          3,
        );
        expect(seen[0]).toMatchObject({ text: 'The notes' });
        expect(seen.slice(1).map(({ text }) => text)).toEqual([
          expect.stringContaining('chart.png'),
          expect.stringContaining('../chart.png'),
        ]);
        expect(seen.flatMap(({ files }) => files)).toEqual([]);
      });
    });

    test.each([
      ['no name', { name: '' }],
      ['a path as its name', { name: '../notes.md' }],
      ['a hidden name', { name: '.notes' }],
      ['a name that ends a header', { name: 'a"\r\nx: y' }],
      ['a name that turns words around', { name: 'a\u202egnp.exe' }],
      ['a long name', { name: `${'a'.repeat(78)}.md` }],
      ['a strange type', { mediaType: 'text/html; charset=x' }],
      ['no bytes', { data: '' }],
      ['bytes that are not base64', { data: 'ab<c' }],
      ['too many bytes', { data: 'AAAA'.repeat(1_666_667) }],
      ['a picture without words', { mediaType: 'image/png', alt: ' ' }],
    ])('with %s never reach the platform', async (_, fault) => {
      const h = harness();
      expect(await h.chat.post(h.channel, partOf(h, { ...notes, ...fault }), 'key-1')).toEqual(refused);
      expect(await h.messages(h.channel)).toEqual([]);
    });

    test.each(kinds)('%s whose answer is lost is unknown, there once, and found', async (_, file, shown) => {
      const h = harness();
      h.failNext('lost-answer');
      expect(await h.chat.post(h.channel, partOf(h, file), 'key-1')).toMatchObject({ kind: 'unknown' });
      const [message, ...others] = await h.messages(h.channel);
      expect(others).toEqual([]);
      expect(message?.files).toEqual([shown]);
      expect(await h.chat.find(h.channel, 'key-1', 0)).toMatchObject({
        kind: 'found',
        message: message?.ref,
      });
    });

    test.each(kinds)('%s over a broken connection is unknown and not there', async (_, file) => {
      const h = harness();
      h.failNext('reset');
      expect(await h.chat.post(h.channel, partOf(h, file), 'key-1')).toMatchObject({ kind: 'unknown' });
      expect(await h.messages(h.channel)).toEqual([]);
      const { kind } = await h.chat.find(h.channel, 'key-1', 0);
      expect(kind).toBe(skips.absence ? 'unknowable' : 'absent');
    });

    test.each(kinds)('%s that is refused or too much says so', async (_, file) => {
      const h = harness();
      h.failNext('refuse');
      expect(await h.chat.post(h.channel, partOf(h, file), 'key-1')).toEqual(refused);
      h.failNext('later');
      expect(await h.chat.post(h.channel, partOf(h, file), 'key-1')).toMatchObject({ kind: 'later' });
      expect(await h.messages(h.channel)).toEqual([]);
    });
  });
}

const refused = { kind: 'refused', message: expect.stringMatching(/\S.*[.!]$/s) };

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
