import type { RunState } from '../engine/run/state.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store, StoredCall } from '../ports/store.ts';
import type { Cache } from './cache.ts';
import type { CallHandlers, CallResult, PerformedEffect } from './call-handler.ts';
import { eventOf, keepable } from './call-results.ts';
import type { Days } from './days.ts';
import { backOffMs, pause, Stopped } from './patience.ts';
import type { Runs } from './runs.ts';
import type { Leave, Trees } from './trees.ts';

/** What a call has taken of what its runs share. */
interface Slot {
  giveBack: Leave;
}

/** Carries out calls and feeds their results back. */
export interface Calls {
  /** @param state where its run is now */
  perform(state: RunState, effect: PerformedEffect): void;
  /** Goes on with a call that was under way when the last process ended. */
  resume(state: RunState, call: StoredCall & { readonly effect: PerformedEffect }): void;
  abandon(run: string, key: string): void;
  /** Takes no new calls and gives those under way `graceMs` to end; the rest go on at the next start. */
  stop(graceMs: number): Promise<void>;
}

/** Makes the part of the runner that performs calls. */
export function createCalls(deps: {
  readonly store: Store;
  readonly runs: () => Runs;
  readonly handlers: CallHandlers;
  readonly trees: Trees;
  readonly cache: Cache;
  readonly days: Days;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
}): Calls {
  const { store, handlers, trees, cache, days, secrets, clock, log } = deps;
  const underWay = new Map<string, { readonly controller: AbortController; readonly work: Promise<void> }>();
  let stopping = false;

  function launch(
    run: string,
    effect: PerformedEffect,
    work: (signal: AbortSignal, slot: Slot) => Promise<CallResult>,
  ): void {
    const id = callId(run, effect.key);
    if (stopping || underWay.has(id)) return;
    const controller = new AbortController();
    const { signal } = controller;
    // Nobody waits for a call that was cut short: its outcome is decided at the next start, if it still counts.
    const slot: Slot = { giveBack: () => undefined };
    const working = work(signal, slot);
    const done = Promise.race([working, cutShort(signal)])
      .then((result) => report(run, effect, result, signal))
      .catch((error: unknown) => {
        if (!(error instanceof Stopped)) log.error('A call was lost.', error, { run, step: effect.step });
      })
      .finally(() => {
        underWay.delete(id);
        // Only now: what comes next must see what this one has used up.
        const free = () => slot.giveBack();
        void working.then(free, free);
      });
    underWay.set(id, { controller, work: done });
  }

  async function report(
    run: string,
    effect: PerformedEffect,
    result: CallResult,
    signal: AbortSignal,
  ): Promise<void> {
    const known = keepable(result, secrets);
    const event = eventOf(effect, known, clock.now());
    // What happened is known only here until it is stored, so a store that fails is asked again.
    for (let tries = 0; ; tries += 1) {
      try {
        await deps.runs().dispatch(run, () => ({ event, result: undefined }));
        await keepResult(run, effect, known);
        return await tellSpent(run, known);
      } catch (error) {
        const at = { run, step: effect.step };
        log.error('The result of a call could not be stored; trying again.', error, at);
        await pause(clock, backOffMs(tries), signal);
      }
    }
  }

  /** Only what the step has taken as its output is of use the next time. */
  async function keepResult(run: string, effect: PerformedEffect, result: CallResult): Promise<void> {
    const key = 'cache' in effect ? effect.cache : undefined;
    if (key === undefined || result.kind !== 'done' || result.cached) return;
    const step = await deps.runs().dispatch(run, ({ steps }) => ({ result: steps[effect.step] }));
    if (step?.status === 'done' && step.round === effect.round) await cache.keep(key, result.output, run);
  }

  async function tellSpent(run: string, result: CallResult): Promise<void> {
    if (!('usage' in result)) return;
    const now = await deps.runs().dispatch(run, (state, plan) => ({ result: { state, plan } }));
    if (now) await days.tell(now.state, now.plan);
  }

  /** The budget of the day that keeps a call from beginning, if one does. */
  async function held(run: string, effect: PerformedEffect): Promise<CallResult | undefined> {
    if (!usesUpBudget(effect)) return undefined;
    const now = await deps.runs().dispatch(run, (state, plan) => ({ result: { state, plan } }));
    const why = now && (await days.over(now.state, now.plan));
    return why && { kind: 'parked', why };
  }

  async function kept(run: string, effect: PerformedEffect): Promise<CallResult | undefined> {
    const output =
      'cache' in effect && effect.cache !== undefined ? await cache.get(effect.cache, run) : undefined;
    return output && { kind: 'done', output, cached: true };
  }

  /** Handlers report what goes wrong outside; what they throw is a failure on our side, such as that of the store. */
  async function perform(
    state: RunState,
    effect: PerformedEffect,
    signal: AbortSignal,
    slot: Slot,
  ): Promise<CallResult> {
    const run = state.id;
    for (let tries = 0; ; tries += 1) {
      let mayHaveLeft = false;
      const leaving = async (): Promise<void> => {
        if (mayHaveLeft || !isUnsafe(effect)) return;
        await store.commit({ begin: [{ run, key: effect.key }] });
        mayHaveLeft = true;
      };
      try {
        const before = await kept(run, effect);
        if (before) return before;
        const leave = await trees.enter(state, effect, signal);
        if (typeof leave !== 'function') return { kind: 'failed', failure: leave };
        slot.giveBack = leave;
        return (await held(run, effect)) ?? (await handle(run, effect, signal, leaving));
      } catch (error) {
        if (error instanceof Stopped) throw error;
        slot.giveBack();
        slot.giveBack = () => undefined;
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

  function handle(
    run: string,
    effect: PerformedEffect,
    signal: AbortSignal,
    leaving: () => Promise<void>,
  ): Promise<CallResult> {
    switch (effect.kind) {
      case 'http':
        return handlers.http(run, effect, signal, leaving);
      case 'history':
        return handlers.history(run, effect, signal, leaving);
      case 'message':
        return handlers.message(run, effect, signal, leaving);
      case 'check':
        return handlers.check(run, effect, signal, leaving);
      case 'agent':
        return handlers.agent(run, effect, signal, leaving);
      case 'script':
        return handlers.script(run, effect, signal, leaving);
      case 'tool':
        return handlers.tool(run, effect, signal, leaving);
      case 'plugin':
        return handlers.plugin(run, effect, signal, leaving);
    }
  }

  return {
    perform(state, effect) {
      launch(state.id, effect, (signal, slot) => perform(state, effect, signal, slot));
    },
    resume(state, { run, effect, begun }) {
      launch(run, effect, async (signal, slot) =>
        begun && isUnsafe(effect)
          ? { kind: 'unknown', message: 'Flowbot was stopped in the middle of this call.' }
          : perform(state, effect, signal, slot),
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

function cutShort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Stopped()), { once: true });
  });
}

/** Whether doing it twice could do harm. Posts are not: the outbox looks before it repeats. */
function isUnsafe(effect: PerformedEffect): boolean {
  switch (effect.kind) {
    case 'http':
      return !effect.safe;
    case 'agent':
      // A prompt without tools changes nothing, and may be sent again.
      return effect.call.kind === 'task';
    case 'script':
    case 'tool':
    case 'plugin':
      return true;
    case 'history':
    case 'message':
    case 'check':
      return false;
  }
}

/**
 * Whether a call counts for budgets of days. An attempt for which people have just been asked goes on: what they said would be
 * lost otherwise.
 */
function usesUpBudget(effect: PerformedEffect): boolean {
  if (effect.kind === 'agent') return effect.goesOn?.answer === undefined;
  return effect.kind === 'tool';
}

function callId(run: string, key: string): string {
  return `${run}/${key}`;
}
