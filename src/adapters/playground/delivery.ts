import type { MessageRef, Person, Place } from '../../engine/people.ts';
import type { Form } from '../../engine/post.ts';
import { literal } from '../../engine/prose.ts';
import type { Answer, ChatEvent, Completion, Inbound } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { formRefusal, type PlaygroundFile, type PlaygroundPart } from './part.ts';
import { fitForm, renderPost, renderPrivate } from './render.ts';
import type { Workspace } from './workspace.ts';

/** What a person's page is told at once; private messages reach it with its other messages. */
export type Reaction =
  | { readonly kind: 'none' }
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> }
  /** The bot has not taken it yet; it is kept and delivered again. */
  | { readonly kind: 'later' };

/** Hands the workspace's events to the bot: one at a time, in order, each until it was taken. */
export interface Delivery {
  start(inbound: Inbound): void;
  /** Complete when the event under way has ended. */
  stop(): Promise<void>;
  /** Waits until this event was offered to the bot. */
  offer(event: ChatEvent): Promise<Reaction>;
  /** A message of the bot was deleted. */
  deleted(message: MessageRef): void;
  complete(typed: string, person: Person, place: Place): Promise<readonly Completion[]>;
}

const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/** Delivery from the workspace's queue. */
export function createDelivery(options: {
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Log;
}): Delivery {
  const { workspace, clock, log } = options;
  /** Pages that wait for what their event brings. */
  const waiting = new Map<string, (reaction: Reaction) => void>();
  let bot: Inbound | undefined;
  let busy = false;
  let idle: Promise<void> = Promise.resolve();
  let pauseMs = firstPauseMs;
  let cancelAlarm = () => {};

  function wake(): void {
    cancelAlarm();
    if (busy || bot === undefined) return;
    busy = true;
    idle = drain(bot);
  }

  async function drain(inbound: Inbound): Promise<void> {
    try {
      for (let event = workspace.oldestEvent(); event && bot === inbound; event = workspace.oldestEvent()) {
        const reaction = await deliver(inbound, event);
        waiting.get(event.id)?.(reaction);
        pauseMs = firstPauseMs;
      }
    } catch (error) {
      log.warn('The bot could not take an event; it is delivered again.', { error: String(error) });
      if (bot === inbound) cancelAlarm = clock.alarm(clock.now() + pauseMs, wake);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    } finally {
      busy = false;
      release();
    }
  }

  /** Pages don't wait for a later attempt. */
  function release(): void {
    for (const answer of waiting.values()) answer({ kind: 'later' });
  }

  async function deliver(inbound: Inbound, event: ChatEvent): Promise<Reaction> {
    const form = event.type === 'click' ? await inbound.formFor(event) : undefined;
    const answer: Answer = form ? { kind: 'form', form } : await (await inbound.receive(event)).answer;
    const { reaction, parts } = react(answer, waiting.has(event.id));
    workspace.settle(event, { place: placeOf(event), parts });
    return reaction;
  }

  /** What the person gets; `present` = their page still waits, so a form can open. */
  function react(
    answer: Answer,
    present: boolean,
  ): { reaction: Reaction; parts: readonly (PlaygroundPart | PlaygroundFile)[] } {
    const none: Reaction = { kind: 'none' };
    switch (answer.kind) {
      case 'none':
        return { reaction: none, parts: [] };
      case 'private':
        return { reaction: none, parts: renderPrivate(answer.content) };
      case 'form': {
        if (!present) return { reaction: none, parts: notice('That took too long. Please press again.') };
        const form = fitForm(answer.form);
        const refusal = formRefusal(form);
        if (refusal === undefined) return { reaction: { kind: 'form', form }, parts: [] };
        log.error('A form of the bot was refused.', new Error(refusal), { form: form.id });
        return { reaction: none, parts: notice(refusal) };
      }
      case 'errors':
        if (present) return { reaction: answer, parts: [] };
        return { reaction: none, parts: notice(Object.values(answer.errors).join('\n')) };
    }
  }

  return {
    start(inbound) {
      bot = inbound;
      wake();
    },
    async stop() {
      bot = undefined;
      cancelAlarm();
      await idle;
    },
    offer(event) {
      const { promise, resolve } = Promise.withResolvers<Reaction>();
      if (bot === undefined) return Promise.resolve({ kind: 'later' });
      waiting.set(event.id, resolve);
      wake();
      return promise.finally(() => waiting.delete(event.id));
    },
    deleted: (message) => bot?.deleted(message),
    complete: async (typed, person, place) => (await bot?.complete(typed, person, place)) ?? [],
  };
}

/** A private sentence of the playground itself. */
export function notice(sentence: string): readonly PlaygroundPart[] {
  return renderPost({ prose: [literal(sentence)], buttons: [], notify: [] });
}

/** Where an event happened. */
function placeOf(event: ChatEvent): Place {
  const place = 'message' in event ? event.message : event.place;
  const { platform, conversation, thread } = place;
  return thread === undefined ? { platform, conversation } : { platform, conversation, thread };
}
