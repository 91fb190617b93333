import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { Form, HomePage, PostContent, PostFile } from '../../engine/post.ts';
import { fileFault, picturesOf } from '../../engine/post-file.ts';
import type { Log } from '../../ports/log.ts';
import { unshown } from '../chat/unshown.ts';
import type { Called, Calls } from './calls.ts';
import { createFiles } from './files.ts';
import { renderHome } from './home.ts';
import type { Contact } from './incoming.ts';
import { renderForm } from './modal.ts';
import { fallbackText, type SlackPart, simplified } from './part.ts';
import { renderPost } from './render.ts';

/** Whom an answer is for, and how they can be reached. Ids of Slack. */
export interface Recipient {
  readonly user: string;
  /** Where they did something; absent on their own page. */
  readonly channel?: string;
  readonly thread?: string;
  readonly contact?: Contact;
}

/** What one person gets to see. */
export interface Answers {
  /**
   * Shows something to one person only: where they are if that can be, else in their direct conversation. Its pictures
   * follow the words, which never wait for them.
   */
  tell(to: Recipient, content: PostContent): Promise<void>;
  /** Opens a form. False: the three seconds were over. */
  open(
    contact: Contact,
    form: Form,
    place: { readonly conversation: string; readonly thread?: string },
  ): Promise<boolean>;
  /** Shows a person their own page of the app. */
  page(user: string, page: HomePage): Promise<void>;
}

/** Uses of a `response_url` that Slack allows in half an hour. */
const usesMax = 5;
const respondTimeoutMs = 10_000;
/** Longest rate limit that an answer waits out, in milliseconds. */
const patienceMs = 60_000;

/** Makes the answers of one workspace. @param apiUrl base address of the Web API, if it is not Slack's own. */
export function createAnswers(options: {
  readonly calls: Calls;
  readonly apiUrl: string | undefined;
  readonly log: Log;
}): Answers {
  const { calls, log } = options;
  const files = createFiles(options);
  const trusted = [
    'https://hooks.slack.com',
    ...(options.apiUrl === undefined ? [] : [new URL(options.apiUrl).origin]),
  ];

  async function respond(url: string, part: SlackPart, thread: string | undefined): Promise<boolean> {
    if (!URL.canParse(url) || !trusted.includes(new URL(url).origin)) return false;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          response_type: 'ephemeral',
          replace_original: false,
          ...(thread !== undefined && { thread_ts: thread }),
          ...payloadOf(part),
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(respondTimeoutMs),
      });
      // Slack may also say no with the status of a yes.
      return response.ok && !/"ok"\s*:\s*false/.test(await response.text());
    } catch {
      return false;
    }
  }

  async function whisper({ user, channel, thread }: Recipient, part: SlackPart): Promise<boolean> {
    if (channel === undefined) return false;
    return say(
      'chat.postEphemeral',
      { channel, user, ...(thread !== undefined && { thread_ts: thread }) },
      part,
    );
  }

  async function write(user: string, part: SlackPart): Promise<void> {
    const reached = await say(
      'chat.postMessage',
      { channel: user, unfurl_links: false, unfurl_media: false },
      part,
    );
    if (!reached) log.warn('An answer did not reach its person.', { user });
  }

  /** In the plainest form when Slack does not take the blocks. What nobody knows about counts as said. */
  async function say(method: string, args: object, part: SlackPart): Promise<boolean> {
    const said = await patiently(method, { ...args, ...payloadOf(part) });
    if (said.kind !== 'refused' || said.refusal !== 'payload') return isSaid(said);
    const plain = simplified(part);
    return plain !== undefined && isSaid(await patiently(method, { ...args, ...payloadOf(plain) }));
  }

  /** Waits out one rate limit: somebody looks at the screen. */
  async function patiently(method: string, args: object): Promise<Called<object>> {
    const said = await calls.call(method, { ...args }, z.object({}));
    if (said.kind !== 'later' || said.afterMs > patienceMs) return said;
    await calls.pause(said.afterMs);
    return calls.call(method, { ...args }, z.object({}));
  }

  /** What shows a picture, or says that it can't be shown. */
  async function partsFor(picture: PostFile): Promise<readonly SlackPart[]> {
    const why = fileFault(picture);
    const uploaded: Called<types.ImageBlock> =
      why === undefined
        ? await files.picture(picture)
        : { kind: 'refused', code: 'file_fault', refusal: 'no', message: why };
    if (uploaded.kind === 'ok') {
      const blocks = [uploaded.data];
      return [{ text: fallbackText(blocks), blocks, notify: [] }];
    }
    log.warn('A picture did not reach its person.', {
      picture: picture.name,
      why: uploaded.kind === 'later' ? 'Slack asks to wait.' : uploaded.message,
    });
    return renderPost(unshown(picture));
  }

  return {
    async tell(to, content) {
      const url = to.contact?.responseUrl;
      let uses = 0;
      const show = async (part: SlackPart) => {
        uses += 1;
        if (url !== undefined && uses <= usesMax && (await respond(url, part, to.thread))) return;
        if (await whisper(to, part)) return;
        await write(to.user, part);
      };
      for (const part of renderPost(content)) await show(part);
      for (const picture of picturesOf(content)) {
        for (const part of await partsFor(picture)) await show(part);
      }
    },
    async open({ trigger }, form, place) {
      const view = renderForm(form, place);
      const opened = await calls.call('views.open', { trigger_id: trigger, view }, z.object({}));
      if (opened.kind === 'ok') return true;
      if (opened.kind !== 'refused' || opened.refusal !== 'late') {
        log.warn('A form could not be opened.', {
          form: form.id,
          why: opened.kind === 'later' ? 'rate limit' : opened.message,
        });
      }
      return false;
    },
    async page(user, page) {
      const shown = await calls.call(
        'views.publish',
        { user_id: user, view: renderHome(page) },
        z.object({}),
      );
      if (shown.kind === 'refused') log.warn('A person’s page could not be shown.', { why: shown.message });
    },
  };
}

function payloadOf({ text, blocks }: SlackPart): object {
  return { text, blocks, parse: 'none', link_names: false };
}

function isSaid({ kind }: Called<object>): boolean {
  return kind === 'ok' || kind === 'unknown';
}
