import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAttachments } from '../../src/engine/attachments.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { Form } from '../../src/engine/post.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import type { ChatHarness, GivenFile } from './chat-harness.ts';

const form: Form = {
  id: 'form:1',
  title: 'The plan',
  submitLabel: 'Send',
  fields: [
    { id: 'plan', label: 'Plan', type: 'files', required: true },
    { id: 'more', label: 'More', type: 'files', required: false },
  ],
};

/** Every byte there is, twice, with what no text may hold. */
const plan: GivenFile = {
  name: 'Plan für “Q4” & mehr.pdf',
  type: 'application/pdf',
  bytes: Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256)),
};
const page: GivenFile = {
  name: 'page.html',
  type: 'text/html',
  bytes: Buffer.from('<!doctype html><p>ü</p>'),
};
const maxBytes = 10_000;

/** Files that people add to a form. */
export function downloadContract(harness: () => ChatHarness): void {
  /** Sends the form with these files; gives what the event says of them. */
  async function sent(h: ChatHarness, ...files: GivenFile[]): Promise<JsonObject[]> {
    h.inbox.answerNext({ kind: 'form', form });
    await h.command(h.people.ana, h.channel, 'run release');
    await h.submit(h.people.ana, h.channel, 'form:1', {}, { plan: files });
    const event = h.inbox.taken.at(-1);
    if (event?.type !== 'submit') throw new Error('no form was sent');
    expect(event.values.more ?? '').toBe('');
    return (readAttachments(event.values.plan ?? '') ?? []).map((file) => ({ ...file }));
  }

  async function sentOne(h: ChatHarness, file = plan): Promise<JsonObject> {
    const [one] = await sent(h, file);
    if (one === undefined) throw new Error('no file was sent');
    return one;
  }

  describe('files of forms', () => {
    test('arrive as they were described, and come back byte by byte', async () => {
      const h = harness();
      const files = await sent(h, plan, page);
      expect(files).toEqual(
        [plan, page].map(({ name, type, bytes }) => ({
          id: expect.stringMatching(/./),
          name,
          type,
          sizeBytes: bytes.length,
          url: expect.stringMatching(/^https?:/),
        })),
      );
      for (const [index, { bytes }] of [plan, page].entries()) {
        const data = bytes.toString('base64');
        expect(await h.chat.download(files[index] ?? {}, maxBytes)).toEqual({ kind: 'fetched', data });
      }
    });

    test('come back after a restart, and as large as is allowed', async () => {
      const h = harness();
      const file = await sentOne(h);
      await h.restart();
      expect(await h.chat.download(file, plan.bytes.length)).toMatchObject({ kind: 'fetched' });
    });

    test.each([
      ['says so', {}],
      ['says nothing', { sizeBytes: null }],
      ['lies', { sizeBytes: 1 }],
    ])('are refused when they are too large and the description %s', async (_, said) => {
      const h = harness();
      const file = await sentOne(h);
      expect(await h.chat.download({ ...file, ...said }, plan.bytes.length - 1)).toEqual({
        kind: 'refused',
        message: expect.stringMatching(/large|511 bytes are allowed/),
      });
    });

    test('are refused when they are not there any more', async () => {
      const h = harness();
      const file = await sentOne(h);
      await h.removeFile(String(file.id));
      expect(await h.chat.download(file, maxBytes)).toEqual(refused);
    });

    test('are asked for nowhere else', async () => {
      const h = harness();
      const file = await sentOne(h);
      let asked = 0;
      const other = createServer((_request, response) => {
        asked += 1;
        response.end('secret');
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void other.close());
      const address = other.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const addresses = [
        `http://127.0.0.1:${port}/`,
        `http://files.slack.com@127.0.0.1:${port}/`,
        null,
        'x',
        5,
      ];
      for (const url of addresses) {
        expect(await h.chat.download({ ...file, id: 'F0NOWHERE', url }, maxBytes)).toEqual(refused);
      }
      expect(await h.chat.download({}, maxBytes)).toEqual(refused);
      expect(asked).toBe(0);
    });

    test('can’t be had while the platform gives out none', async () => {
      const h = harness();
      const file = await sentOne(h);
      h.loseFiles();
      await expect(h.chat.download(file, maxBytes)).rejects.toThrow(ChatUnavailable);
    });
  });
}

const refused = { kind: 'refused', message: expect.stringMatching(/\S.*[.!]$/s) };
