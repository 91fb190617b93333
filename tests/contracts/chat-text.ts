import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageRef } from '../../src/engine/people.ts';
import { literal, md, type ProsePiece, time, value } from '../../src/engine/prose.ts';
import type { ChatHarness } from './chat-harness.ts';
import { content, editInTime, postAll, postOne } from './chat-posting.ts';

/** Text that has notified people, or vanished, somewhere. */
function hostileTexts(person: string): readonly string[] {
  return [
    'if a < b && b > c then <!channel> and <@U0ANA>', // C01
    '@everyone deploy done, thanks <@&900000000000000001> and <@900000000000000002>', // C02
    'see https://example.com/@ana/post?user=@bo, mail ana@example.com, run `npm i @acme/db`', // C04
    '```\n@here and @ana\n```',
    `<@${person}> <@!${person}> @${person}`,
    '@here @channel @everyone <!here> <!everyone> <!subteam^S0OPS>',
    '<!here|here> <!date^0^{date}|x> <#C0GENERAL> <#C0GENERAL|general>',
    '[x](@everyone) [@everyone](https://example.com) [<@U0ANA>](https://example.com)',
    `[click](slack://user?id=${person}) [run](javascript:alert(1)) <javascript:alert(1)>`,
    '@\u200beveryone @every\u200bone \u200b@everyone @@everyoneeveryone',
    '\\@everyone \\<!channel\\> \\\\<@U0ANA\\\\>',
    '&lt;!channel&gt; &#60;!channel&#62; &commat;everyone &amp;lt;!here&amp;gt;',
    '<b>bold</b> <script>alert(1)</script> <!-- <!channel> --> <@U0ANA|ana>',
    '> <!channel>\n- @everyone\n1. <@U0ANA>\n# @here',
    '| a | b |\n|---|---|\n| <!channel> | @everyone |',
    '\u202e@everyone\u202c and \u2066<!channel>\u2069',
    '***___~~~`@everyone`~~~___*** ** @here **',
    ':rocket: </flow:123456789012345678> <t:0:R> <id:customize> <a:x:1>',
  ];
}

/** Nobody sees a zero-width space, and some platforms need one to keep words apart from their signs. */
function visible(text: string): string {
  return text.replaceAll('\u200b', '');
}

/** What is said arrives whole, in order, and notifies only those it is meant to. */
export function textContract(harness: () => ChatHarness): void {
  const button = (label: string) => ({ id: 'b', label, style: 'plain' }) as const;
  const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
  const textOf = async (h: ChatHarness) => (await h.messages(h.channel)).map(({ text }) => text);

  test('a time is shown as one, and what only reads like one as words', async () => {
    const h = harness();
    const typed = '<t:1796032800:f> <!date^1796032800^{time}|then>';
    const prose = [md('Until '), time(Date.UTC(2026, 10, 30, 10)), md(', not '), value(typed)];
    await postOne(h, h.channel, content(prose), 'key');
    const [text = ''] = await textOf(h);
    expect(visible(text)).toMatch(/^Until 2026-11-30[ T]10:00.*, not <t:1796032800:f> <!date\^/);
  });

  describe('mentions', () => {
    test('only `notify` notifies', async () => {
      const h = harness();
      const { ana, bo } = h.people;
      const message = await postOne(h, h.channel, content([md('Please look.')], [], [bo.id]), 'key-1');
      expect(await h.notified(message)).toEqual([bo.id]);
      expect(await textOf(h)).toEqual(['Please look.']);
      const quiet = await postOne(h, h.channel, content([md(`@${ana.id} <@${ana.id}>`)]), 'key-2');
      expect(await h.notified(quiet)).toEqual([]);
    });

    test('a post of several messages notifies once', async () => {
      const h = harness();
      const post = content([md(words(3000))], [], [h.people.ana.id]);
      const messages = await postAll(h, h.channel, post, 'key');
      const notified = await Promise.all(messages.map((message) => h.notified(message)));
      expect(messages.length).toBeGreaterThan(1);
      expect(notified.flat()).toEqual([h.people.ana.id]);
    });

    test('an edit notifies nobody anew', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, content([md('Hello')]), 'key-1');
      const [part] = h.chat.render(content([md('@everyone <!channel>')], [], [h.people.ana.id]));
      await editInTime(h, message, part ?? null);
      expect(await h.notified(message)).toEqual([]);
    });

    test.each(['everyone', 'here', 'channel', '!channel', '&1', '@everyone', '', '1|x> <!channel'])(
      'no group can be named in notify: %j',
      async (id) => {
        const h = harness();
        const [part] = h.chat.render(content([md('Hello')], [], [id]));
        const outcome = await h.chat.post(h.channel, part ?? null, 'key-1');
        if (outcome.kind === 'posted') expect(await h.notified(outcome.message)).toEqual([]);
        else expect(outcome.kind).toBe('refused');
      },
    );

    const pieces: readonly (readonly [string, (text: string) => readonly ProsePiece[]])[] = [
      ['written in the flow', (text) => [md(text)]],
      ['data on its own', (text) => [value(text)]],
      ['data in a line', (text) => [md('Got: '), value(text), md(' (end)')]],
      ['literal', (text) => [literal(text)]],
      ['data in a link', (text) => [md('[label '), value(text), md('](https://example.com)')]],
    ];
    test.each(pieces)('C01 C02 C04: hostile text notifies nobody: %s', async (_, prose) => {
      const h = harness();
      for (const [index, text] of hostileTexts(h.people.ana.id).entries()) {
        const label = text.replaceAll(/\s+/g, ' ');
        const post = content([...prose(text)], [button(label)]);
        for (const message of await postAll(h, h.channel, post, `key-${index}`)) {
          expect(await h.notified(message)).toEqual([]);
          const [part] = h.chat.render(post);
          await editInTime(h, message, part ?? null);
          expect(await h.notified(message)).toEqual([]);
        }
      }
    });

    test('C01 C04: literal text is read exactly as it was typed', async () => {
      const h = harness();
      const texts = hostileTexts(h.people.ana.id);
      for (const [index, text] of texts.entries())
        await postOne(h, h.channel, content([literal(text)]), `${index}`);
      expect((await textOf(h)).map(visible)).toEqual(texts.map(visible));
    });

    test('C01: data inside a line is read exactly as it is', async () => {
      const h = harness();
      const texts = hostileTexts(h.people.ana.id).map((text) => text.replaceAll('\n', ' '));
      for (const [index, text] of texts.entries()) {
        await postOne(h, h.channel, content([md('Got: '), value(text), md('!')]), `${index}`);
      }
      expect((await textOf(h)).map(visible)).toEqual(texts.map((text) => `Got: ${visible(text)}!`));
    });

    test('no text at all, in any mix of pieces, notifies anybody', async () => {
      const h = harness();
      const crumb = fc.oneof(
        fc.constantFrom(
          '<',
          '>',
          '@',
          '!',
          '&',
          '#',
          '[',
          ']',
          '(',
          ')',
          '|',
          '`',
          '\n',
          '\\',
          '*',
          '\u200b',
        ),
        fc.constantFrom(
          'everyone',
          'here',
          'channel',
          h.people.ana.id,
          '&lt;',
          '&amp;',
          'https://a.example/',
        ),
      );
      const text = fc.array(crumb, { minLength: 1, maxLength: 12 }).map((crumbs) => crumbs.join(''));
      const piece = fc.oneof(text.map(md), text.map(value), text.map(literal));
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 4 }), async (prose) => {
          const messages = await postAll(h, h.channel, content(prose), 'key');
          const notified = await Promise.all(messages.map((message: MessageRef) => h.notified(message)));
          expect(notified.flat()).toEqual([]);
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('length', () => {
    test('the same content always gives the same messages', () => {
      const h = harness();
      const post = content([md('# Title\n\n'), value(words(2000))], [button('Go')], [h.people.ana.id]);
      expect(h.chat.render(post)).toEqual(h.chat.render(post));
    });

    test('long text is split in order, every message is accepted, buttons stand under the last', async () => {
      const h = harness();
      const text = words(3000);
      await postAll(h, h.channel, content([value(text)], [button('Go')]), 'key');
      const seen = await h.messages(h.channel);
      expect(seen.length).toBeGreaterThan(1);
      expect(
        seen
          .map((each) => each.text)
          .join(' ')
          .split(/\s+/)
          .join(' '),
      ).toBe(text);
      expect(seen.map(({ buttons }) => buttons.length)).toEqual([...seen.slice(1).map(() => 0), 1]);
    });

    test('C07: a long code block stays a code block in every message, and loses no line', async () => {
      const h = harness();
      const lines = Array.from({ length: 300 }, (_, n) => `print("line ${n}")  # ${'x'.repeat(10)}`);
      const text = `Before.\n\nStill before.\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nAfter.`;
      await postAll(h, h.channel, content([value(text)]), 'key');
      const seen = (await textOf(h)).join('\n').split('\n');
      expect(seen.filter((line) => line.startsWith('print'))).toEqual(lines);
      expect(seen.join('\n')).not.toContain('```');
      expect([seen[0], seen.at(-1)]).toEqual(['Before.', 'After.']);
    });

    test.each([
      ['one long word', 'x'.repeat(20_000)],
      ['emoji families', '👩‍👩‍👧‍👦'.repeat(2000)],
      ['flags', '🇩🇪'.repeat(4000)],
      ['what must be escaped', '*_`<&'.repeat(3000)],
      ['backslashes', '\\'.repeat(9000)],
    ])('C08 C10: %s: split between visible characters, nothing lost', async (_, text) => {
      const h = harness();
      await postAll(h, h.channel, content([literal(text)]), 'key');
      const seen = await textOf(h);
      expect(seen.join('')).toBe(text);
      expect(seen.every((part) => part.isWellFormed())).toBe(true);
    });

    test.each(['🚀', '👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', 'x'])(
      'C10: a long button label is shortened by whole visible characters: %s',
      async (character) => {
        const h = harness();
        for (let before = 0; before < 4; before += 1) {
          const label = `${'a'.repeat(before)}${character.repeat(200)}`;
          await postOne(h, h.channel, content([md('x')], [button(label)]), `key-${before}`);
        }
        for (const { buttons } of await h.messages(h.channel)) {
          const [seen] = buttons;
          expect(seen?.label).toMatch(new RegExp(`^a{0,3}(?:${character})*…$`, 'u'));
        }
      },
    );

    test.each([
      ['nothing', ''],
      ['spaces', ' \n '],
      ['an invisible character', '\u200b'],
    ])('content that is %s still makes a message with its buttons', async (_, text) => {
      const h = harness();
      await postOne(h, h.channel, content([value(text)], [button('Go')]), 'key-1');
      expect(await h.messages(h.channel)).toMatchObject([{ buttons: [{ id: 'b', label: 'Go' }] }]);
    });
  });
}
