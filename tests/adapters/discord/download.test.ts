import { describe, expect, test } from 'vitest';
import { createDiscordDownloads } from '../../../src/adapters/discord/download.ts';
import { readAttachments } from '../../../src/engine/attachments.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Form } from '../../../src/engine/post.ts';
import { type DiscordHarness, openDiscord } from './harness.ts';

const form: Form = {
  id: 'form:1',
  title: 'The plan',
  submitLabel: 'Send',
  fields: [{ id: 'plan', label: 'Plan', type: 'files', required: true }],
};
const day = 24 * 60 * 60 * 1_000;

async function sent(h: DiscordHarness): Promise<JsonObject> {
  const plan = { name: 'plan.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') };
  h.inbox.answerNext({ kind: 'form', form });
  await h.command(h.people.ana, h.channel, 'run release');
  await h.submit(h.people.ana, h.channel, form.id, {}, { plan: [plan] });
  const event = h.inbox.taken.at(-1);
  const [file] = event?.type === 'submit' ? (readAttachments(event.values.plan ?? '') ?? []) : [];
  if (file === undefined) throw new Error('no file was sent');
  return { ...file };
}

const runOut = {
  kind: 'refused',
  message:
    '“plan.pdf” can’t be read any more: it was deleted, or Discord’s address of it has run out. Send it again.',
};

test('the address of a file works for about a day', async () => {
  const h = await openDiscord();
  const file = await sent(h);
  h.pass(day - 60_000);
  expect(await h.chat.download(file, 1_000)).toMatchObject({ kind: 'fetched' });
  h.pass(120_000);
  expect(await h.chat.download(file, 1_000)).toEqual(runOut);
});

test('an address that is not signed is none', async () => {
  const h = await openDiscord();
  const file = await sent(h);
  const [url = ''] = String(file.url).split('?');
  expect(await h.chat.download({ ...file, url }, 1_000)).toEqual(runOut);
});

describe('files', () => {
  function lookingUp() {
    const asked: string[] = [];
    const { download } = createDiscordDownloads({
      apiUrl: undefined,
      calls: { pause: async () => {} },
      resolve: async (host) => {
        asked.push(host);
        return ['10.0.0.1'];
      },
    });
    return { asked, get: (url: string) => download({ id: '1', name: 'a', type: '', sizeBytes: 1, url }, 10) };
  }

  test.each(['cdn.discordapp.com', 'media.discordapp.net'])('are asked for at %s', async (host) => {
    const { asked, get } = lookingUp();
    expect(await get(`https://${host}/ephemeral-attachments/1/2/a?ex=1`)).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([host]);
  });

  test.each([
    'http://cdn.discordapp.com/a',
    'https://cdn.discordapp.com:8443/a',
    'https://evil.cdn.discordapp.com/a',
    'https://cdn.discordapp.com.evil.example/a',
    'https://discord.com/api/v10/users/@me',
    'https://127.0.0.1/a',
  ])('are never asked for at %s', async (url) => {
    const { asked, get } = lookingUp();
    expect(await get(url)).toEqual({
      kind: 'refused',
      message: expect.stringContaining('is not kept by Discord'),
    });
    expect(asked).toEqual([]);
  });
});
