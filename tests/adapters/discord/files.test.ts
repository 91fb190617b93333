import { describe, expect, test } from 'vitest';
import type { PostFile } from '../../../src/engine/post.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, partOf, posted, routes, saying } from './judged.ts';

const notes: PostFile = {
  name: 'notes.md',
  mediaType: 'text/markdown',
  alt: '',
  data: Buffer.from('@everyone <@400000000000000002>').toString('base64'),
};
const chart: PostFile = { ...notes, name: 'chart.png', mediaType: 'image/png', alt: 'A chart @everyone' };

const fileOf = (h: DiscordHarness, file: PostFile) => partOf(h, '', { prose: [], files: [file] });

describe('a file', () => {
  test('C02: with text before it, neither of both notifies anybody', async () => {
    const h = await openJudged();
    const parts = h.chat.render({ prose: [], buttons: [], notify: [], files: [notes, chart] });
    const words = partOf(h, '@everyone');
    for (const [index, part] of [words, ...parts].entries()) {
      const message = await posted(h, h.channel, part, `key#${index}`);
      expect(await h.notified(message)).toEqual([]);
    }
    for (const { body } of callsOf(h, routes.post)) {
      expect(body).toMatchObject({
        allowed_mentions: { parse: [], users: [], roles: [], replied_user: false },
        flags: (1 << 15) | (1 << 2),
      });
    }
    expect(await h.messages(h.channel)).toMatchObject([
      { text: '@everyone', files: [] },
      { text: '', files: [{ name: 'notes.md', text: '@everyone <@400000000000000002>' }] },
      { text: '', files: [{ name: 'chart.png', alt: 'A chart @everyone' }] },
    ]);
  });

  test.each(['SPOILER_notes.md', 'a..b--c__d.tar.gz', `${'n'.repeat(77)}.md`])(
    '%s goes by its own name',
    async (name) => {
      const h = await openJudged();
      await posted(h, h.channel, fileOf(h, { ...notes, name }));
      expect(await h.messages(h.channel)).toMatchObject([{ files: [{ name }] }]);
    },
  );

  test('with the longest description', async () => {
    const h = await openJudged();
    const alt = '𝕏'.repeat(500);
    await posted(h, h.channel, fileOf(h, { ...chart, alt }));
    expect(await h.messages(h.channel)).toMatchObject([{ files: [{ alt }] }]);
  });

  test('without Attach Files it is refused, and words are not', async () => {
    const h = await openJudged();
    await h.deny(h.channel, 'ATTACH_FILES');
    expect(await h.chat.post(h.channel, fileOf(h, notes), 'key-1')).toEqual({
      kind: 'refused',
      message: saying('Attach Files'),
    });
    await posted(h, h.channel, partOf(h, 'Hello'), 'key-2');
  });

  test.each([
    [40005, 413],
    [50045, 400],
  ])('%i: too large for this server', async (code, status) => {
    const h = await openJudged();
    h.failRequest(routes.post, { kind: 'error', status, code, message: 'Request entity too large' });
    expect(await h.chat.post(h.channel, fileOf(h, notes), 'key-1')).toEqual({
      kind: 'refused',
      message: saying('larger'),
    });
  });

  test('trap 2: whose answer is lost is there once, also when it is sent again', async () => {
    const h = await openJudged();
    h.failRequest(routes.post, { kind: 'lost' });
    expect(await h.chat.post(h.channel, fileOf(h, notes), 'key-1')).toMatchObject({ kind: 'unknown' });
    await posted(h, h.channel, fileOf(h, notes));
    expect(await h.messages(h.channel)).toHaveLength(1);
  });
});
