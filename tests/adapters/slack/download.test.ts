import { describe, expect, test } from 'vitest';
import { attachmentsOf } from '../../../src/adapters/slack/attachments.ts';
import { createSlackDownloads } from '../../../src/adapters/slack/download.ts';
import { readAttachments } from '../../../src/engine/attachments.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Form } from '../../../src/engine/post.ts';
import type { GivenFile } from '../../contracts/chat.ts';
import { openSlack, type SlackHarness } from './harness.ts';

const form: Form = {
  id: 'form:1',
  title: 'The plan',
  submitLabel: 'Send',
  fields: [{ id: 'plan', label: 'Plan', type: 'files', required: true }],
};
const plan: GivenFile = { name: 'plan.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') };

async function sent(h: SlackHarness, given: GivenFile): Promise<JsonObject> {
  h.inbox.answerNext({ kind: 'form', form });
  await h.command(h.people.ana, h.channel, 'run release');
  await h.submit(h.people.ana, h.channel, form.id, {}, { plan: [given] });
  const event = h.inbox.taken.at(-1);
  const [file] = event?.type === 'submit' ? (readAttachments(event.values.plan ?? '') ?? []) : [];
  if (file === undefined) throw new Error('no file was sent');
  return { ...file };
}

describe('trap 19: a page to sign in', () => {
  test.each([plan, { ...plan, name: 'page.html', type: 'text/html' }])(
    'is never taken for $name',
    async (given) => {
      const h = await openSlack('http');
      const file = await sent(h, given);
      h.slack.scopes = h.slack.scopes.filter((scope) => scope !== 'files:read');
      expect(await h.chat.download(file, 1_000)).toEqual({
        kind: 'refused',
        message: `Slack does not let the bot read “${given.name}”. The app has not the permission files:read: add it to the app’s manifest and install the app again.`,
      });
    },
  );
});

test('a file that was deleted says so', async () => {
  const h = await openSlack('http');
  const file = await sent(h, plan);
  await h.removeFile(String(file.id));
  expect(await h.chat.download(file, 1_000)).toEqual({
    kind: 'refused',
    message: '“plan.pdf” was deleted: send it again.',
  });
});

test('a file that Slack breaks off once is there at the second attempt', async () => {
  const h = await openSlack('http');
  const file = await sent(h, plan);
  h.slack.failMethod('GET file', { kind: 'status', status: 500 });
  expect(await h.chat.download(file, 1_000)).toMatchObject({ kind: 'fetched' });
});

describe('the token', () => {
  /** Names that are looked up, before anything is sent. */
  function lookingUp() {
    const asked: string[] = [];
    const { download } = createSlackDownloads({
      token: 'xoxb-1',
      apiUrl: undefined,
      calls: { pause: async () => {} },
      resolve: async (host) => {
        asked.push(host);
        // An address inside of the house: nothing is sent there, whoever says so.
        return ['10.0.0.1'];
      },
    });
    return {
      asked,
      get: (url: string) => download({ id: 'F1', name: 'a', type: '', sizeBytes: 1, url }, 10),
    };
  }

  test.each([
    ['https://files.slack.com/files-pri/T0-F0/a', 'files.slack.com'],
    ['https://acme.slack.com/files/a', 'acme.slack.com'],
    ['https://acme.enterprise.slack.com/a', 'acme.enterprise.slack.com'],
    ['https://FILES.SLACK.COM./a', 'files.slack.com'],
  ])('may go to %s', async (url, host) => {
    const { asked, get } = lookingUp();
    expect(await get(url)).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([host]);
  });

  test.each([
    'http://files.slack.com/a',
    'https://files.slack.com:8443/a',
    'https://evilslack.com/a',
    'https://files.slack.com.evil.example/a',
    'https://evil.example/files.slack.com',
    'https://files.slack.com@evil.example/a',
    'https://evil.example\\@files.slack.com/a',
    'https://evil.example#.slack.com',
    'https://docs.google.com/document/d/1',
    'https://[::1]/a',
    'https://127.0.0.1/a',
  ])('never goes to %s', async (url) => {
    const { asked, get } = lookingUp();
    expect(await get(url)).toEqual({
      kind: 'refused',
      message: expect.stringContaining('is not kept by Slack'),
    });
    expect(asked).toEqual([]);
  });
});

test.each([
  [
    { url_private_download: 'https://a/d', url_private: 'https://a/p', permalink: 'https://a/l' },
    'https://a/d',
  ],
  [{ url_private: 'https://a/p', permalink: 'https://a/l' }, 'https://a/p'],
  [{ permalink: 'https://a/l' }, 'https://a/l'],
  [{}, null],
])('the address of %j is %j', (urls, url) => {
  expect(attachmentsOf([{ id: 'F1', mimetype: '', ...urls }])).toEqual([
    { id: 'F1', name: 'F1', type: 'application/octet-stream', sizeBytes: null, url },
  ]);
});
