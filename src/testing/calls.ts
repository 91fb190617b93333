import { own } from '../engine/run/record.ts';
import type { Output } from '../engine/steps/step-type.ts';
import { type Called, callResult, type FakedEffect } from './fake-results.ts';
import { nameInAllItems, type SimulatedRun } from './simulated-run.ts';
import type { Fake } from './test-file.ts';

/** What people read of a message step. */
export interface Post {
  readonly to: string;
  readonly text: string;
}

/** The calls of a case: what its fakes make of them, and what has come of those that ended. */
export interface FakedCalls {
  /** The next fake of a step, or of all items that it stands for; undefined = there is none. */
  take(name: string): Fake | undefined;
  /** What a call comes to, once its time is over. */
  make(run: SimulatedRun, effect: FakedEffect): Called;
  /** A call has ended, and its run has heard of it. */
  ended(run: SimulatedRun, effect: FakedEffect, called: Called): void;
  /** In the order in which they were posted; one that is edited keeps its place. */
  readonly posts: () => readonly Post[];
  /** Calls for which there is no fake, in sentences. */
  readonly problems: readonly string[];
}

/** Makes it. @param fakes by step; of other flows as `deploy/build` */
export function createFakedCalls(fakes: Readonly<Record<string, Fake | readonly Fake[]>>): FakedCalls {
  const problems: string[] = [];
  const posts = new Map<string, Post>();
  const messageIds = new Map<string, string>();
  /** How many fakes of a step were taken. */
  const taken = new Map<string, number>();
  const cache = new Map<string, Output>();

  function take(name: string): Fake | undefined {
    const key = [name, nameInAllItems(name)].find((one) => Object.hasOwn(fakes, one));
    if (key === undefined) return undefined;
    const list = [own(fakes, key) ?? []].flat();
    const nth = taken.get(key) ?? 0;
    taken.set(key, nth + 1);
    return list[Math.min(nth, list.length - 1)];
  }

  function messageId(post: string): string {
    const id = messageIds.get(post) ?? `m${messageIds.size + 1}`;
    messageIds.set(post, id);
    return id;
  }

  return {
    take,
    make({ plan, prefix, state }, effect) {
      const kept = cache.get(cacheKeyOf(effect) ?? '');
      if (kept) return { result: { kind: 'done', output: kept, cached: true }, delayMs: 0 };
      const name = prefix + effect.step;
      const homeName = state.start.homeName ?? '';
      const called = callResult(effect, { plan, name, homeName, take: () => take(name), messageId });
      const { problem } = called;
      if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
      return called;
    },
    ended({ state }, effect, { result, post }) {
      if (post) posts.set(post.key, { to: post.to, text: post.text });
      const key = cacheKeyOf(effect);
      const isKept =
        key !== undefined && result.kind === 'done' && state.steps[effect.step]?.status === 'done';
      if (isKept) cache.set(key, result.output);
    },
    posts: () => [...posts.values()],
    problems,
  };
}

function cacheKeyOf(effect: FakedEffect): string | undefined {
  return 'cache' in effect ? effect.cache : undefined;
}
