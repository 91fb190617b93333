import { InteractionResponseType, MessageFlags, Routes } from 'discord.js';
import type { PostContent } from '../../engine/post.ts';
import { md } from '../../engine/prose.ts';
import type { Log } from '../../ports/log.ts';
import { anything, type Called, type Calls } from './calls.ts';
import type { Contact } from './incoming.ts';
import { markOf } from './mark.ts';
import type { Modal } from './modal.ts';
import { componentsOf, type DiscordPart } from './part.ts';
import { nobody } from './posts.ts';
import { renderPost } from './render.ts';

/** One answer, perhaps in several messages, to one thing that somebody did. Only they see it. */
export interface Exchange {
  /** Opens a form; only as the very first thing. False: it was too late. */
  open(modal: Modal): Promise<boolean>;
  /** Says that the answer takes longer: it may come within a quarter of an hour then. */
  hold(): Promise<void>;
  tell(content: PostContent): Promise<void>;
  /** Nothing is to be told. */
  close(): Promise<void>;
}

/** What was done: what Discord takes as an answer depends on it. */
export type DoneWith =
  | 'command'
  /** A button or list of a message, or a form that one of them opened. */
  | 'message';

/** Longest rate limit that an answer waits out, in milliseconds. */
const patienceMs = 2_000;

/** Makes the answering of one bot. */
export function createExchanges(options: {
  readonly calls: Calls;
  readonly application: string;
  readonly log: Log;
}) {
  const { calls, application, log } = options;

  async function patiently(call: Parameters<Calls['call']>[0]): Promise<Called<unknown>> {
    const said = await calls.call(call, anything);
    if (said.kind !== 'later' || said.afterMs > patienceMs) return said;
    await calls.pause(said.afterMs);
    return calls.call(call, anything);
  }

  return (contact: Contact, done: DoneWith): Exchange => {
    /** What Discord has got: nothing, or a promise of an answer that shows, or one that does not, or an answer. */
    let state: 'nothing' | 'waiting' | 'acknowledged' | 'answered' = 'nothing';

    /** The first answer. `taken` = there is an answer already, perhaps this one, when the answer to it was lost. */
    async function respond(
      type: InteractionResponseType,
      data?: object,
    ): Promise<'given' | 'taken' | 'refused'> {
      const said = await patiently({
        method: 'POST',
        route: Routes.interactionCallback(contact.id, contact.token),
        body: { type, ...(data && { data }) },
        auth: false,
      });
      if (said.kind === 'ok' || said.kind === 'unknown') return 'given';
      if (said.kind === 'refused' && said.refusal === 'answered') return 'taken';
      log.warn('Discord did not take an answer.', {
        why: said.kind === 'later' ? 'rate limit' : said.message,
      });
      return 'refused';
    }

    async function follow(part: DiscordPart): Promise<void> {
      const route = Routes.webhook(application, contact.token);
      await say({ method: 'POST', route, body: payloadOf(part), auth: false });
    }

    async function say(call: Parameters<Calls['call']>[0]): Promise<void> {
      const said = await patiently(call);
      if (said.kind === 'refused' || said.kind === 'later') {
        log.warn('An answer did not reach its person.', {
          why: said.kind === 'later' ? 'rate limit' : said.message,
        });
      }
    }

    async function hold(): Promise<void> {
      if (state !== 'nothing') return;
      state = done === 'message' ? 'acknowledged' : 'waiting';
      if (done === 'message') await respond(InteractionResponseType.DeferredMessageUpdate);
      else {
        await respond(InteractionResponseType.DeferredChannelMessageWithSource, {
          flags: MessageFlags.Ephemeral,
        });
      }
    }

    /** One message. */
    async function show(part: DiscordPart): Promise<void> {
      const before = state;
      state = 'answered';
      switch (before) {
        case 'nothing':
          if ((await respond(InteractionResponseType.ChannelMessageWithSource, payloadOf(part))) === 'taken')
            await follow(part);
          break;
        case 'waiting': {
          const { flags: _, ...body } = payloadOf(part);
          const route = Routes.webhookMessage(application, contact.token);
          await say({
            method: 'PATCH',
            route,
            body: { ...body, flags: MessageFlags.IsComponentsV2 },
            auth: false,
          });
          break;
        }
        case 'acknowledged':
        case 'answered':
          await follow(part);
      }
    }

    return {
      async open(modal) {
        state = 'answered';
        return (await respond(InteractionResponseType.Modal, modal)) === 'given';
      },
      hold,
      async tell(content) {
        for (const part of renderPost(content)) await show(part);
      },
      async close() {
        if (state === 'waiting' || (state === 'nothing' && done === 'command')) {
          for (const part of renderPost({ prose: [md('Done.')], buttons: [], notify: [] })) await show(part);
        } else await hold();
      },
    };
  };
}

function payloadOf(part: DiscordPart) {
  return {
    components: componentsOf(part, { mark: markOf(''), mentions: { users: [], roles: [] } }),
    flags: MessageFlags.IsComponentsV2 | MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral,
    allowed_mentions: nobody,
  };
}
