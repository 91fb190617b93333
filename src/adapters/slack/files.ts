import { createHash } from 'node:crypto';
import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { PostFile } from '../../engine/post.ts';
import { fileBytes } from '../../engine/post-file.ts';
import type { Called, Calls } from './calls.ts';

/** Brings files to Slack. Until a file is shared nobody sees it, so one that is left over after a crash does no harm. */
export interface Files {
  /** Uploads a picture and gives the block that shows it. */
  picture(file: PostFile): Promise<Called<types.ImageBlock>>;
  /** Uploads a file, named with the mark of `key`, and shares it: Slack makes the message, after a while. */
  share(file: PostFile, key: string, place: SharePlace): Promise<Called<object>>;
  /**
   * When `user` shared a file with the mark of `key` (epoch ms), also if its message is not there yet. Undefined = never,
   * or only in other conversations.
   */
  sharedAt(key: string, user: string, channel: string, sinceMs: number): Promise<Called<number | undefined>>;
}

/** Where a file is shared, by Slack's own ids. */
export interface SharePlace {
  readonly channel: string;
  readonly thread: string | undefined;
}

/** Longest upload of the bytes, in milliseconds. */
const uploadTimeoutMs = 30_000;
/** Wait before a file is uploaded anew, in milliseconds. */
const againMs = 10_000;
/** Waits before the looks at a picture that Slack is working on, in milliseconds. */
const readyWaitsMs = [500, 1_000, 2_000, 4_000, 8_000];

const uploadShape = z.object({ upload_url: z.url(), file_id: z.string() });
/** Slack fills in the type when it has looked at the bytes. @see https://github.com/slackapi/node-slack-sdk/issues/2040 */
const infoShape = z.object({ file: z.object({ mimetype: z.string().default('') }) });
/** A file is listed once its upload is complete. */
const idsShape = z.array(z.string()).default([]);
const fileShape = z.object({
  name: z.string().default(''),
  created: z.number(),
  channels: idsShape,
  groups: idsShape,
  ims: idsShape,
});
const listShape = z.object({
  files: z.array(fileShape).default([]),
  paging: z.object({ pages: z.number() }).default({ pages: 1 }),
});
const listPage = 100;
/** Most pages of the bot's files that are looked through. */
const listPagesMax = 20;

/** Makes it. @param options `apiUrl`: base address of the Web API, if it is not Slack's own */
export function createFiles(options: { readonly calls: Calls; readonly apiUrl: string | undefined }): Files {
  const { calls } = options;
  const trusted = ['https://files.slack.com', new URL(options.apiUrl ?? 'https://slack.com').origin];

  /** Gives the id of a file whose bytes are at Slack. */
  async function upload(file: PostFile, name: string): Promise<Called<string>> {
    const asked = await calls.call(
      'files.getUploadURLExternal',
      { filename: name, length: fileBytes(file), ...(file.alt !== '' && { alt_txt: file.alt }) },
      uploadShape,
    );
    if (asked.kind !== 'ok') return harmless(asked);
    const { upload_url: url, file_id: id } = asked.data;
    if (!trusted.includes(new URL(url).origin)) {
      return refused('upload_address', `Slack named a strange address for the file “${file.name}”.`);
    }
    const status = await send(url, Buffer.from(file.data, 'base64'));
    if (status === undefined || status === 429 || status >= 500) return { kind: 'later', afterMs: againMs };
    if (status < 200 || status > 299) {
      return refused('upload_failed', `Slack did not take the file “${file.name}” (HTTP ${status}).`);
    }
    return { kind: 'ok', data: id };
  }

  async function picture(file: PostFile): Promise<Called<types.ImageBlock>> {
    const uploaded = await upload(file, file.name);
    if (uploaded.kind !== 'ok') return uploaded;
    const id = uploaded.data;
    const completed = await calls.call(
      'files.completeUploadExternal',
      { files: [{ id, title: file.name }] },
      z.object({}),
    );
    if (completed.kind !== 'ok') return harmless(completed);
    for (const waitMs of readyWaitsMs) {
      await calls.pause(waitMs);
      const info = await calls.read('files.info', { file: id }, infoShape);
      if (info.kind !== 'ok') return harmless(info);
      if (info.data.file.mimetype.startsWith('image/')) {
        return { kind: 'ok', data: { type: 'image', slack_file: { id }, alt_text: file.alt } };
      }
      if (info.data.file.mimetype !== '') break;
    }
    return refused(
      'not_a_picture',
      `Slack made no picture of “${file.name}”: check that it is a whole PNG, JPEG or GIF, and post it again.`,
    );
  }

  return {
    picture,
    async share(file, key, { channel, thread }) {
      const uploaded = await upload(file, markedName(file, key));
      if (uploaded.kind !== 'ok') return uploaded;
      return calls.call(
        'files.completeUploadExternal',
        {
          files: [{ id: uploaded.data, title: file.name }],
          channel_id: channel,
          ...(thread !== undefined && { thread_ts: thread }),
        },
        z.object({}),
      );
    },
    async sharedAt(key, user, channel, sinceMs) {
      const since = Math.floor(sinceMs / 1_000);
      for (let page = 1; page <= listPagesMax; page += 1) {
        const args = { user, ts_from: since, count: listPage, page };
        const listed = await calls.read('files.list', args, listShape);
        if (listed.kind !== 'ok') return listed;
        const file = listed.data.files.find(({ name, channels, groups, ims }) => {
          const shownIn = [...channels, ...groups, ...ims];
          return hasMark(name, key) && (shownIn.length === 0 || shownIn.includes(channel));
        });
        if (file) return { kind: 'ok', data: file.created * 1_000 };
        if (page >= listed.data.paging.pages) return { kind: 'ok', data: undefined };
      }
      const message = 'There are too many newer files to look through.';
      return { kind: 'refused', code: 'too_many_files', refusal: 'no', message };
    },
  };
}

/** A digest of a file: what it is called, what it shows, and its bytes. */
export function contentMark({ name, mediaType, alt, data }: PostFile): string {
  return digestOf(JSON.stringify([name, mediaType, alt, data])).slice(0, 8);
}

/**
 * The name of a shared file: with a mark of the key, by which its message is found, and one of what is in it. People
 * see its title instead. `notes.md` is `notes-3f9c2a7be1d04a66-0d9a1c5e.md`.
 */
function markedName(file: PostFile, key: string): string {
  const [, stem = file.name, extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(file.name) ?? [];
  return `${stem}-${digestOf(key)}-${contentMark(file)}${extension}`;
}

const markPattern = /-([0-9a-f]{16})-([0-9a-f]{8})(?:\.[^.]*)?$/;

/** Whether the name of a shared file has the mark of this key. */
export function hasMark(name: string, key: string): boolean {
  return markPattern.exec(name)?.[1] === digestOf(key);
}

/** The mark of what is in a shared file, by its name. */
export function contentMarkIn(name: string): string | undefined {
  return markPattern.exec(name)?.[2];
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Sends the bytes; undefined = there was no answer. */
async function send(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
      redirect: 'manual',
      signal: AbortSignal.timeout(uploadTimeoutMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}

/** What failed before anybody could see anything may be done again, also when nobody knows whether it was done. */
function harmless(failed: Exclude<Called<unknown>, { kind: 'ok' }>): Exclude<Called<never>, { kind: 'ok' }> {
  return failed.kind === 'unknown' ? { kind: 'later', afterMs: againMs } : failed;
}

function refused(code: string, message: string): Called<never> {
  return { kind: 'refused', code, refusal: 'no', message };
}
