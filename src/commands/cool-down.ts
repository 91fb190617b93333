import type { Place } from '../engine/people.ts';
import { lengthInWords, untilInWords } from '../engine/schedule/words.ts';
import type { RunFilter } from '../ports/store.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Bot, Caller } from './bot.ts';

/** Starts of flows by people, for those that must not follow each other too soon. */
export interface CoolDowns {
  /** Whether somebody may start a flow now; if so, it counts as started. */
  take(bot: Bot, flow: LoadedFlow, caller: Caller, home: Place | undefined): Promise<Passage>;
}

/** Whether somebody is let through. */
export type Passage =
  /** Call `giveBack` if nothing started after all. */
  | { readonly kind: 'free'; readonly giveBack: () => void }
  /** Why they have to wait, in a sentence for them. */
  | { readonly kind: 'wait'; readonly why: string };

/** Most starts that are remembered beside those in the store: only those count that are on their way there. */
const REMEMBERED_MAX = 1_000;

/** Makes it. The runs in the store tell when a flow was started, also before a restart. */
export function createCoolDowns(): CoolDowns {
  /** When somebody was let through, by flow and person or conversation. */
  const passed = new Map<string, number>();

  return {
    async take(bot, flow, caller, home) {
      const { coolDown } = flow.plan;
      if (!coolDown) return { kind: 'free', giveBack: () => {} };
      const rules = [
        rule(flow, coolDown.user, { startedBy: caller.person }, 'you have started it'),
        rule(flow, coolDown.conversation, home && { home }, 'it was started here'),
      ].filter((one) => one !== undefined);
      const lasts = await Promise.all(
        rules.map(async ({ filter }) => (await bot.store.runs(filter))[0]?.startedAtMs),
      );
      // From here on nothing waits, so that of two at the same time one passes.
      const now = bot.clock.now();
      for (const [index, { key, ms, words }] of rules.entries()) {
        const lastMs = Math.max(
          lasts[index] ?? Number.NEGATIVE_INFINITY,
          passed.get(key) ?? Number.NEGATIVE_INFINITY,
        );
        const leftMs = lastMs + ms - now;
        if (leftMs > 0 && lastMs <= now) {
          const why = `${flow.plan.name} has to wait: ${words} less than ${lengthInWords(ms)} ago. Try again ${untilInWords(Math.ceil(leftMs / 1_000) * 1_000)}.`;
          return { kind: 'wait', why };
        }
      }
      const before = rules.map(({ key }) => [key, passed.get(key)] as const);
      for (const { key } of rules) {
        passed.delete(key);
        passed.set(key, now);
        const [oldest] = passed.keys();
        if (passed.size > REMEMBERED_MAX && oldest !== undefined) passed.delete(oldest);
      }
      return {
        kind: 'free',
        giveBack() {
          for (const [key, beforeMs] of before) {
            if (beforeMs === undefined) passed.delete(key);
            else passed.set(key, beforeMs);
          }
        },
      };
    },
  };
}

function rule(
  { id }: LoadedFlow,
  ms: number | undefined,
  where: Pick<RunFilter, 'startedBy' | 'home'> | undefined,
  words: string,
):
  | { readonly key: string; readonly ms: number; readonly filter: RunFilter; readonly words: string }
  | undefined {
  if (ms === undefined || !where) return undefined;
  const { startedBy, home } = where;
  const key = JSON.stringify([id, startedBy?.platform, startedBy?.id, home?.platform, home?.conversation]);
  return { key, ms, words, filter: { flow: id, ...where, limit: 1 } };
}
