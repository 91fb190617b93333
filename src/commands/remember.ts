import type { Switchable } from '../engine/audit/entry.ts';
import type { Place } from '../engine/people.ts';
import { type Bot, type Caller, deliveryOf } from './bot.ts';

/** What people make up as an answer may be of any length: it is cut, in UTF-16 units. */
const ACTION_MAX_CHARS = 60;

/** Puts into the audit that somebody was not allowed to start a flow. @param why as they were told */
export async function rememberRefusedStart(
  bot: Bot,
  caller: Caller,
  flow: string,
  why: string,
): Promise<void> {
  const atMs = bot.clock.now();
  await bot.store.commit({ audit: [{ type: 'run.refused', atMs, flow, ...whoOf(caller), why }] });
}

/** Puts into the audit that somebody's answer to a question did not count. @param why as they were told */
export async function rememberRefusedAnswer(
  bot: Bot,
  caller: Caller,
  answer: { readonly run: string; readonly question: string; readonly action: string },
  why: string,
): Promise<void> {
  const { run, question, action } = answer;
  const entry = { type: 'question.refused', atMs: bot.clock.now(), run, question } as const;
  await bot.store.commit({
    audit: [{ ...entry, ...whoOf(caller), action: action.slice(0, ACTION_MAX_CHARS), why }],
    // With it what they did is done: it is not remembered twice.
    delivered: [deliveryOf(caller)],
  });
}

/**
 * Puts into the audit that somebody switches something on or off. Call it before that is done: nothing is switched that is not
 * in the audit. @param why what they say about it; `""` = nothing
 */
export async function rememberSwitch(
  bot: Bot,
  caller: Caller,
  what: Switchable,
  on: boolean,
  why = '',
): Promise<void> {
  const entry = { type: 'switched', atMs: bot.clock.now(), what, on, ...whoOf(caller) } as const;
  await bot.store.commit({ audit: [{ ...entry, ...(why !== '' && { why }) }] });
}

/** A place holds no more than a place, whatever else the platform told with it. */
function whoOf({ person, place }: Caller): { readonly by: Caller['person']; readonly place?: Place } {
  if (!place) return { by: person };
  const { platform, conversation, thread } = place;
  return { by: person, place: { platform, conversation, ...(thread !== undefined && { thread }) } };
}
