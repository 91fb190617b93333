import type { CallEffect } from '../engine/run/effect.ts';
import type { AttemptRef, RunEvent } from '../engine/run/event.ts';
import type { Failure, Output } from '../engine/steps/step-type.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store, StoredCall } from '../ports/store.ts';
import { backOffMs, pause, Stopped } from './patience.ts';
import type { Runs } from './runs.ts';

/** Most characters of an output as JSON: more would block everything else while it is written. */
const outputMaxChars = 50_000_000;

/** What a call came to. */
export type CallResult =
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unknown'; readonly message: string }
  /** A look at those asked by a question has ended. */
  | ({ readonly kind: 'checked' } & Pick<Checked, 'missing' | 'place'>);

type Checked = Extract<RunEvent, { type: 'question.checked' }>;

/** Carries out one kind of call. One file each under `effects/`. */
export type CallHandler<E extends CallEffect> = (
  run: string,
  effect: E,
  signal: AbortSignal,
) => Promise<CallResult>;

/** One handler for every kind of call: a new kind does not compile without one. */
export type CallHandlers = {
  readonly [K in CallEffect['kind']]: CallHandler<Extract<CallEffect, { kind: K }>>;
};

/** Carries out calls and feeds their results back. */
export interface Calls {
  perform(run: string, effect: CallEffect): void;
  /** Goes on with a call that was under way when the last process ended. */
  resume(call: StoredCall): void;
  abandon(run: string, key: string): void;
  /** Takes no new calls and gives those under way `graceMs` to end; the rest go on at the next start. */
  stop(graceMs: number): Promise<void>;
}

/** Makes the part of the runner that performs calls. */
export function createCalls(deps: {
  readonly store: Store;
  readonly runs: () => Runs;
  readonly handlers: CallHandlers;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
}): Calls {
  const { store, handlers, clock, log } = deps;
  const underWay = new Map<string, { readonly controller: AbortController; readonly work: Promise<void> }>();
  let stopping = false;

  function launch(run: string, effect: CallEffect, work: (signal: AbortSignal) => Promise<CallResult>): void {
    const id = callId(run, effect.key);
    if (stopping || underWay.has(id)) return;
    const controller = new AbortController();
    const { signal } = controller;
    // Nobody waits for a call that was cut short: its outcome is decided at the next start, if it still counts.
    const done = Promise.race([work(signal), cutShort(signal)])
      .then((result) => report(run, effect, result, signal))
      .catch((error: unknown) => {
        if (!(error instanceof Stopped)) log.error('A call was lost.', error, { run, step: effect.step });
      })
      .finally(() => underWay.delete(id));
    underWay.set(id, { controller, work: done });
  }

  async function report(
    run: string,
    effect: CallEffect,
    result: CallResult,
    signal: AbortSignal,
  ): Promise<void> {
    const event = eventOf(effect, storable(withoutSecrets(result)), clock.now());
    // What happened is known only here until it is stored, so a store that fails is asked again.
    for (let tries = 0; ; tries += 1) {
      try {
        await deps.runs().dispatch(run, () => ({ event, result: undefined }));
        return;
      } catch (error) {
        const at = { run, step: effect.step };
        log.error('The result of a call could not be stored; trying again.', error, at);
        await pause(clock, backOffMs(tries), signal);
      }
    }
  }

  /** Only what came from outside: a secret that reads like one of our own words must not change them. */
  function withoutSecrets(result: CallResult): CallResult {
    const { redact } = deps.secrets;
    switch (result.kind) {
      case 'done':
        return { kind: 'done', output: redact(result.output) };
      case 'failed':
        return { kind: 'failed', failure: { ...result.failure, message: redact(result.failure.message) } };
      case 'unknown':
        return { kind: 'unknown', message: redact(result.message) };
      case 'checked':
        return result;
    }
  }

  /** Handlers report what goes wrong outside; what they throw is a failure on our side, such as that of the store. */
  async function perform(run: string, effect: CallEffect, signal: AbortSignal): Promise<CallResult> {
    for (let tries = 0; ; tries += 1) {
      let mayHaveLeft = false;
      try {
        if (isUnsafe(effect)) {
          await store.commit({ begin: [{ run, key: effect.key }] });
          mayHaveLeft = true;
        }
        return await handle(run, effect, signal);
      } catch (error) {
        if (error instanceof Stopped) throw error;
        if (!(error instanceof ChatUnavailable)) {
          log.error('A call could not be carried out.', error, { run, step: effect.step });
        } else if (tries === 0) {
          log.warn('A step waits for a chat.', { run, step: effect.step, why: error.message });
        }
        if (mayHaveLeft) return { kind: 'unknown', message: 'Flowbot failed in the middle of this call.' };
        await pause(clock, backOffMs(tries), signal);
      }
    }
  }

  function handle(run: string, effect: CallEffect, signal: AbortSignal): Promise<CallResult> {
    switch (effect.kind) {
      case 'http':
        return handlers.http(run, effect, signal);
      case 'history':
        return handlers.history(run, effect, signal);
      case 'message':
        return handlers.message(run, effect, signal);
      case 'check':
        return handlers.check(run, effect, signal);
    }
  }

  return {
    perform(run, effect) {
      launch(run, effect, (signal) => perform(run, effect, signal));
    },
    resume({ run, effect, begun }) {
      launch(run, effect, async (signal) =>
        begun && isUnsafe(effect)
          ? { kind: 'unknown', message: 'Flowbot was stopped in the middle of this call.' }
          : perform(run, effect, signal),
      );
    },
    abandon(run, key) {
      underWay.get(callId(run, key))?.controller.abort();
    },
    async stop(graceMs) {
      stopping = true;
      const all = Promise.allSettled([...underWay.values()].map((call) => call.work));
      let cancelAlarm: () => void = () => undefined;
      const graceOver = new Promise<void>((resolve) => {
        cancelAlarm = clock.alarm(clock.now() + graceMs, resolve);
      });
      await Promise.race([all, graceOver]);
      cancelAlarm();
      for (const call of underWay.values()) call.controller.abort();
      await all;
    },
  };
}

/** What can't be stored would be tried for ever. */
function storable(result: CallResult): CallResult {
  if (result.kind !== 'done' || fits(result.output)) return result;
  const message = `What came back takes more than ${outputMaxChars / 1_000_000} MB as JSON, which is too much to keep: ask for less of it.`;
  return { kind: 'failed', failure: { code: 'output-too-large', message, retry: 'never' } };
}

function fits(output: Output): boolean {
  if (output.text.length > outputMaxChars) return false;
  try {
    return JSON.stringify(output).length <= outputMaxChars;
  } catch {
    return false; // longer than a text can be
  }
}

function cutShort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Stopped()), { once: true });
  });
}

/** Whether sending it twice could do harm. Posts are not: the outbox looks before it repeats. */
function isUnsafe(effect: CallEffect): boolean {
  return effect.kind === 'http' && !effect.safe;
}

function callId(run: string, key: string): string {
  return `${run}/${key}`;
}

function eventOf(effect: CallEffect, result: CallResult, atMs: number): RunEvent {
  if (effect.kind === 'check') return checkedEvent(effect, result, atMs);
  const at: AttemptRef = { step: effect.step, round: effect.round, attempt: effect.attempt };
  switch (result.kind) {
    case 'done':
      return { type: 'step.done', atMs, ...at, output: result.output };
    case 'failed':
      return { type: 'step.failed', atMs, ...at, failure: result.failure };
    case 'unknown':
      return { type: 'step.unknown', atMs, ...at, message: result.message };
    case 'checked':
      throw new Error(`A ${effect.kind} call can't come to this.`);
  }
}

function checkedEvent(
  { key, question }: Extract<CallEffect, { kind: 'check' }>,
  result: CallResult,
  atMs: number,
): RunEvent {
  // A look that failed has found nobody missing.
  const { missing, place }: Pick<Checked, 'missing' | 'place'> =
    result.kind === 'checked' ? result : { missing: [] };
  return {
    type: 'question.checked',
    atMs,
    question,
    check: key,
    missing,
    ...(place !== undefined && { place }),
  };
}
