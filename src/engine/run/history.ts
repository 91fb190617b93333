import type { ToolUsed } from '../agents/conversation.ts';
import { addUsage, type Usage } from '../agents/usage.ts';
import type { Plan } from '../flow/plan.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import { type CallEffect, isCall } from './effect.ts';
import type { RunEvent } from './event.ts';
import { replay } from './replay.ts';

/** One attempt of a step, as it went. */
export interface AttemptTold {
  readonly round: number;
  readonly attempt: number;
  readonly beganAtMs: number;
  /** Absent = it has not ended. */
  readonly endedAtMs?: number;
  /** What was asked of the outside, in order. */
  readonly calls: readonly CallEffect[];
  /** Calls of tools by its agent, in order. */
  readonly tools: readonly ToolUsed[];
  /** What it has used up; absent = nothing. */
  readonly usage?: Usage;
  /** Its result is one that was kept. */
  readonly isCached: boolean;
  /** How it ended; absent = it has not. `unknown`: nobody knows whether it had its effect. */
  readonly end?:
    | { readonly kind: 'done'; readonly exit: string; readonly output: Output }
    | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAtMs?: number }
    | { readonly kind: 'unknown'; readonly message: string };
}

/** What became of a step in a run: all its attempts, oldest first, and the rounds in which its turn did not come. */
export interface StepHistory {
  readonly attempts: readonly AttemptTold[];
  readonly skipped: readonly {
    readonly round: number;
    readonly atMs: number;
    /** Because of a failure. */
    readonly tainted: boolean;
  }[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Attempt = Writable<Omit<AttemptTold, 'calls' | 'tools'>> & { calls: CallEffect[]; tools: ToolUsed[] };

/** Works out the history of a step from the journal of its run. */
export function stepHistory(
  plan: Plan,
  run: string,
  journal: readonly RunEvent[],
  step: string,
): StepHistory {
  const attempts: Attempt[] = [];
  const skipped: StepHistory['skipped'][number][] = [];
  for (const { event, before, moved } of replay(plan, run, journal)) {
    // Late results and second answers change nothing.
    if (moved.state === before) continue;
    noteCause(attempts, event, step);
    for (const one of moved.happened) {
      if (one.step !== step) continue;
      const { atMs } = event;
      const last = attempts.at(-1);
      switch (one.kind) {
        case 'began':
          attempts.push({ ...one, beganAtMs: atMs, calls: [], tools: [], isCached: false });
          break;
        case 'done':
          if (!last) break;
          // After an unknown outcome people may have thought for long.
          last.endedAtMs ??= atMs;
          last.end = { kind: 'done', exit: one.exit, output: one.output };
          break;
        case 'failed':
          if (!last) break;
          last.endedAtMs = atMs;
          last.end = { kind: 'failed', failure: one.failure };
          break;
        case 'retries':
          if (last?.end?.kind === 'failed') last.end = { ...last.end, retryAtMs: one.dueMs };
          break;
        case 'skipped':
          skipped.push({ round: one.round, atMs, tainted: one.tainted });
      }
    }
    const calls = moved.effects.filter(isCall).filter((effect) => effect.step === step);
    for (const call of calls) attemptOf(attempts, call)?.calls.push(call);
  }
  return { attempts: attempts.map(told), skipped };
}

/** What the event itself says of an attempt: it is not in what happened when another one follows, or people decide. */
function noteCause(attempts: readonly Attempt[], event: RunEvent, step: string): void {
  if (!('step' in event) || event.step !== step) return;
  const attempt = attemptOf(attempts, event);
  if (!attempt) return;
  if ('usage' in event && event.usage && event.type !== 'lane.moved' && event.type !== 'lane.ended') {
    attempt.usage = attempt.usage ? addUsage(attempt.usage, event.usage) : event.usage;
  }
  if ('cached' in event) attempt.isCached = true;
  if (event.type === 'agent.turned') attempt.tools.push(...event.calls);
  if (event.type === 'step.unknown') {
    attempt.endedAtMs = event.atMs;
    attempt.end = { kind: 'unknown', message: event.message };
  }
}

function attemptOf(
  attempts: readonly Attempt[],
  { round, attempt }: { readonly round: number; readonly attempt: number },
): Attempt | undefined {
  return attempts.findLast((one) => one.round === round && one.attempt === attempt);
}

function told(attempt: Attempt): AttemptTold {
  const { round, attempt: count, beganAtMs, endedAtMs, calls, tools, usage, isCached, end } = attempt;
  return {
    round,
    attempt: count,
    beganAtMs,
    ...(endedAtMs !== undefined && { endedAtMs }),
    calls,
    tools,
    ...(usage && { usage }),
    isCached,
    ...(end && { end }),
  };
}
