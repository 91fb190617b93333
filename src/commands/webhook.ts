import type { InputProblem } from '../engine/data/input.ts';
import type { Keepable } from '../engine/data/keep.ts';
import type { WebhookTrigger } from '../engine/flow/plan.ts';
import { headerNames, readRequestInput } from '../engine/flow/webhook-trigger.ts';
import { beginning } from '../engine/prose.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Started } from '../runner/runs.ts';
import type { Bot } from './bot.ts';
import { pausedInWords } from './may-start.ts';
import { startOutsideChat } from './start-flow.ts';

/** A request that has proved who sent it. */
export interface HookRequest extends Keepable {
  readonly query: Readonly<Record<string, string>>;
  /** Its body as it came. */
  readonly text: string;
  /**
   * The start key of its run, and those under which an earlier try of the same delivery may have started it; none =
   * nobody can tell its repeats.
   */
  readonly startKeys: readonly string[];
}

/** What became of it. */
export type HookResult =
  | Started
  /** The input does not fit. */
  | { readonly kind: 'incomplete'; readonly problems: readonly InputProblem[] };

/** Longest `start.text`, in UTF-16 units. */
const TEXT_MAX_CHARS = 8_000;

/**
 * Starts the run of a webhook; a repeat gets the run that is there, whatever has changed since. Rejects with
 * `ChatUnavailable` when nobody can tell now whether the flow's conversation can be reached.
 */
export async function startByWebhook(
  bot: Bot,
  flow: LoadedFlow,
  trigger: WebhookTrigger,
  request: HookRequest,
): Promise<HookResult> {
  const { body, headers, query, text, startKeys } = request;
  for (const key of startKeys) {
    const run = await bot.store.runOfStartKey(key);
    if (run !== undefined) return { kind: 'started', run, repeat: true };
  }
  const read = readRequestInput(trigger, flow.plan.input, request);
  if (!read.ok) return { kind: 'incomplete', problems: read.problems };
  const { paused } = bot.catalog;
  if (paused) return { kind: 'refused', why: pausedInWords(paused) };
  return startOutsideChat(bot, flow, startKeys[0], {
    trigger: 'webhook',
    text: beginning(text, TEXT_MAX_CHARS),
    input: read.input,
    request: { body, headers: headerNames(headers), query },
  });
}
