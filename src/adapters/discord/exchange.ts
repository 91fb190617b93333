import { InteractionResponseType, MessageFlags, Routes } from 'discord.js';
import type { PostContent, PostFile } from '../../engine/post.ts';
import { fileFault, picturesOf } from '../../engine/post-file.ts';
import { md } from '../../engine/prose.ts';
import type { Log } from '../../ports/log.ts';
import { unshown } from '../chat/unshown.ts';
import { anything, type Call, type Called, type Calls } from './calls.ts';
import type { Contact } from './incoming.ts';
import { markOf } from './mark.ts';
import type { Modal } from './modal.ts';
import { componentsOf, type DiscordPart } from './part.ts';
import { filePayload, nobody } from './payload.ts';
import { renderPost } from './render.ts';

/** One answer, perhaps in several messages, to one thing that somebody did. Only they see it. */
export interface Exchange {
  /** Opens a form; only as the very first thing. */
  open(modal: Modal): Promise<void>;
  /** Says that the answer takes longer: it may come within a quarter of an hour then. */
  hold(): Promise<void>;
  /** Shows the words, then the pictures, each in a message of its own. */
  tell(content: PostContent): Promise<void>;
  /** Nothing is to be told. */
  close(): Promise<void>;
}

/** What was done: what Discord takes as an answer depends on it. */
export type DoneWith =
  | 'command'
  /** A button or list of a message, or a form that one of them opened. */
  | 'message'
  /** A form that a button of a message opened which only they see: the answer takes that message's place. */
  | 'own';

/** Longest rate limit that an answer waits out, in milliseconds. */
const patienceMs = 2_000;

/** Makes the answering of one bot. */
export function createExchanges(options: {
  readonly calls: Calls;
  readonly application: string;
  readonly log: Log;
}) {
  const { calls, application, log } = options;

  async function patiently(call: Call): Promise<Called<unknown>> {
    const said = await calls.call(call, anything);
    if (said.kind !== 'later' || said.afterMs > patienceMs) return said;
    await calls.pause(said.afterMs);
    return calls.call(call, anything);
  }

  return (contact: Contact, done: DoneWith): Exchange => {
    /** What Discord has got: nothing, or the promise of a message, or that there may be none, or an answer. */
    let state: 'nothing' | 'waiting' | 'acknowledged' | 'answered' = 'nothing';

    /** The first answer. `taken` = there was one already, `late` = there can be none any more. */
    async function respond(
      type: InteractionResponseType,
      data?: object,
    ): Promise<'given' | 'taken' | 'late' | 'refused'> {
      const call: Call = {
        method: 'POST',
        route: Routes.interactionCallback(contact.id, contact.token),
        body: { type, ...(data && { data }) },
        auth: false,
      };
      const first = await patiently(call);
      // Discord takes one answer: this once more tells what became of it, and gives it if it was lost on the way.
      const said = first.kind === 'unknown' ? await patiently(call) : first;
      if (said.kind === 'ok' || said.kind === 'unknown') return 'given';
      if (said.kind === 'refused' && said.refusal === 'answered') return first === said ? 'taken' : 'given';
      log.warn('Discord did not take an answer.', { why: whyOf(said) });
      return said.kind === 'refused' && said.refusal === 'late' ? 'late' : 'refused';
    }

    async function follow(part: DiscordPart): Promise<void> {
      const route = Routes.webhook(application, contact.token);
      tellLost(await patiently({ method: 'POST', route, body: payloadOf(part), auth: false }));
    }

    /** Puts a message in the place of the promise of one. */
    async function fulfil(part: DiscordPart): Promise<void> {
      const route = Routes.webhookMessage(application, contact.token);
      const body = { ...payloadOf(part), flags: shownAs };
      tellLost(await calls.read({ method: 'PATCH', route, body, auth: false }, anything));
    }

    function tellLost(said: Called<unknown>): void {
      if (said.kind !== 'refused' && said.kind !== 'later') return;
      log.warn('An answer did not reach its person.', { why: whyOf(said) });
    }

    async function hold(): Promise<void> {
      if (state !== 'nothing') return;
      state = done === 'message' ? 'acknowledged' : 'waiting';
      const said =
        done === 'command'
          ? await respond(InteractionResponseType.DeferredChannelMessageWithSource, {
              flags: MessageFlags.Ephemeral,
            })
          : await respond(InteractionResponseType.DeferredMessageUpdate);
      // Told once more: what it was answered with then must not be replaced.
      if (said === 'taken') state = 'acknowledged';
    }

    async function respondWith(part: DiscordPart): ReturnType<typeof respond> {
      const payload = payloadOf(part);
      if (done === 'own') {
        const updated = await respond(InteractionResponseType.UpdateMessage, { ...payload, flags: shownAs });
        // The message may be gone: then it is a new one.
        if (updated !== 'refused') return updated;
      }
      return respond(InteractionResponseType.ChannelMessageWithSource, payload);
    }

    /** One message. */
    async function show(part: DiscordPart): Promise<void> {
      const before = state;
      state = 'answered';
      switch (before) {
        case 'nothing':
          if ((await respondWith(part)) === 'taken') await follow(part);
          return;
        case 'waiting':
          return fulfil(part);
        case 'acknowledged':
        case 'answered':
          return follow(part);
      }
    }

    async function tell(content: PostContent): Promise<void> {
      for (const part of renderPost(content)) await show(part);
      for (const picture of picturesOf(content)) {
        const why = fileFault(picture) ?? (await whyNotShown(picture));
        if (why === undefined) continue;
        log.warn('A picture did not reach its person.', { picture: picture.name, why });
        for (const part of renderPost(unshown(picture))) await show(part);
      }
    }

    /** Shows a picture behind the words. Undefined: it is shown, as far as anybody knows. */
    async function whyNotShown(picture: PostFile): Promise<string | undefined> {
      const { body, files } = filePayload(picture, markOf(''));
      const said = await patiently({
        method: 'POST',
        route: Routes.webhook(application, contact.token),
        body: { ...body, flags: body.flags | MessageFlags.Ephemeral },
        files,
        auth: false,
      });
      return said.kind === 'ok' || said.kind === 'unknown' ? undefined : whyOf(said);
    }

    return {
      async open(modal) {
        state = 'answered';
        if ((await respond(InteractionResponseType.Modal, modal)) !== 'refused') return;
        state = 'nothing';
        await tell(notOpened);
      },
      hold,
      tell,
      async close() {
        if (state === 'waiting') return tell(nothingMore);
        if (state !== 'nothing' || done === 'message') return hold();
        state = 'answered';
        // What is told once more, and was answered then, needs no further answer.
        for (const part of renderPost(nothingMore)) await respondWith(part);
      },
    };
  };
}

const shownAs = MessageFlags.IsComponentsV2 | MessageFlags.SuppressEmbeds;
const notOpened = saying('The form could not be opened. Please try again.');
const nothingMore = saying('Done.');

function saying(words: string): PostContent {
  return { prose: [md(words)], buttons: [], notify: [] };
}

function whyOf(said: Exclude<Called<unknown>, { kind: 'ok' }>): string {
  return said.kind === 'later' ? 'Discord asks to wait.' : said.message;
}

function payloadOf(part: DiscordPart) {
  return {
    components: componentsOf(part, { mark: markOf(''), mentions: { users: [], roles: [] } }),
    flags: shownAs | MessageFlags.Ephemeral,
    allowed_mentions: nobody,
  };
}
