import type { Agent } from '../../engine/agents/agent.ts';
import type { AgentCall } from '../../engine/agents/call.ts';
import type { Conversation, OfferedTool, Turn } from '../../engine/agents/conversation.ts';
import type { AgentOutcome, ToolsWanted, TurnOutcome } from '../../engine/agents/outcome.ts';
import { ASKED_AGAIN_MAX, agentResult, wholeText } from '../../engine/agents/result.ts';
import {
  addUsage,
  isSomething,
  NO_USAGE,
  type ReportedUsage,
  type Usage,
  usageOfWork,
} from '../../engine/agents/usage.ts';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../../engine/data/room.ts';
import type { AttemptResult } from '../../engine/run/attempt-result.ts';
import type { AttemptRef } from '../../engine/run/event.ts';
import type { GoesOn, Parked } from '../../engine/run/parked.ts';
import type { Failure } from '../../engine/steps/step-type.ts';
import type { AgentRequest } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Providers } from './providers.ts';
import { timed } from './timed.ts';
import { callTools, type ToolHands } from './tool-turn.ts';

/** One attempt of an agent at a piece of work. */
export interface Work {
  readonly agent: Agent;
  /** The agent whose model answers when its own provider can't. */
  readonly fallback: Agent | undefined;
  readonly call: AgentCall;
  readonly tools: readonly OfferedTool[];
  /** Its longest time, in milliseconds. What was waited for people does not count. */
  readonly timeLimitMs: number;
  readonly at: { readonly flow: string; readonly run: string } & AttemptRef;
  /** Names this attempt, among all of all runs. */
  readonly key: string;
  readonly workspace: string | undefined;
}

/** What an attempt came to; what it has used up since it was last told goes along. */
export interface Attempted {
  readonly result: AttemptResult;
  /** The agent's last words, where it has ended. */
  readonly reply?: Extract<AgentOutcome, { kind: 'replied' }>;
  readonly conversation: Conversation;
}

/** What attempts need of the rest of the runner. */
export interface AttemptDeps {
  readonly providers: Providers;
  readonly hands: ToolHands;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /**
   * A turn has ended with calls of tools: told to the run.
   * @returns why another turn may not begin, if it may not
   */
  readonly turned: (
    work: Work,
    usage: Usage,
    calls: Conversation['calls'],
  ) => Promise<Parked | Failure | undefined>;
}

/**
 * Goes on with an attempt until its agent replies, fails, or has to wait for people: takes turns, calls the tools that the
 * model wants, and has it reply again while its pick is no good.
 * @param answer what people said about the call of a tool for which it was parked
 */
export async function goOn(
  deps: AttemptDeps,
  work: Work,
  begun: Conversation,
  answer: GoesOn['answer'],
  signal: AbortSignal,
): Promise<Attempted> {
  const { agent, call } = work;
  const beganMs = deps.clock.now();
  const workedMs = (): number => begun.workedMs + deps.clock.now() - beganMs;
  let markMs = beganMs;
  /** Time since it was asked for last. */
  const spanMs = (): number => {
    const beforeMs = markMs;
    markMs = deps.clock.now();
    return markMs - beforeMs;
  };
  const leftMs = (): number => work.timeLimitMs - workedMs();
  let now = begun;
  let said = answer;
  let usage = NO_USAGE;
  const end = (result: AttemptResult, more: Pick<Attempted, 'reply'> = {}): Attempted => ({
    result: { ...result, ...(isSomething(usage) && { usage }) },
    conversation: { ...now, workedMs: workedMs() },
    ...more,
  });

  for (;;) {
    const wanted = unfinished(now);
    if (wanted) {
      const called = await callTools(deps.hands, work, now, wanted, { answer: said, leftMs, signal });
      said = undefined;
      now = called.conversation;
      usage = addUsage(usage, { ...NO_USAGE, toolCalls: called.toolCalls, workedMs: spanMs() });
      if (called.kind !== 'all') return end(called.result);
      const stop = await deps.turned(work, usage, now.calls);
      usage = NO_USAGE;
      now = { ...now, turns: [...now.turns, { kind: 'used', results: now.results }], results: [], calls: [] };
      if (stop) return end(held(stop));
    }
    if (now.turnsTaken >= agent.maxTurns) return end(outOfTurns(agent));
    const { outcome, by } = await timed(
      requestFor(work, now, leftMs()),
      (request, until) => deps.providers.turn(request, work.fallback, until),
      { clock: deps.clock, signal },
    );
    const told = withoutSecrets(outcome, deps.secrets);
    usage = addUsage(usage, { ...usageOfWork(by, told.usage), workedMs: spanMs() });
    now = { ...now, turnsTaken: now.turnsTaken + 1 };
    if (told.kind === 'uses' && work.tools.length === 0) return end(NO_TOOLS);
    if (told.kind === 'uses') {
      now = { ...now, turns: [...now.turns, wantedBy(told, by)] };
      continue;
    }
    const result = agentResult(call, repeatable(call, told));
    if (result.kind !== 'again') return end(result, told.kind === 'replied' ? { reply: told } : {});
    if (now.askedAgain === ASKED_AGAIN_MAX) return end({ kind: 'failed', failure: result.failure });
    const text = told.kind === 'replied' ? wholeText(told) : '';
    const again: readonly Turn[] = [
      { kind: 'said', text, uses: [] },
      { kind: 'told', text: result.explanation },
    ];
    now = { ...now, askedAgain: now.askedAgain + 1, turns: [...now.turns, ...again] };
  }
}

/** The turn whose calls of tools have not all ended. */
function unfinished({ turns }: Conversation): Extract<Turn, { kind: 'said' }> | undefined {
  const last = turns.at(-1);
  return last?.kind === 'said' && last.uses.length > 0 ? last : undefined;
}

function requestFor(work: Work, now: Conversation, timeoutMs: number): AgentRequest {
  const { agent, call, tools, at, key, workspace } = work;
  const { system, prompt, reply, turns, turnsTaken, askedAgain } = now;
  return {
    agent,
    kind: call.kind,
    ...(system !== undefined && { system }),
    prompt,
    ...(reply && { reply }),
    turns,
    tools,
    timeoutMs,
    key: `${key}/${turnsTaken}`,
    at: { ...at, askedAgain },
    ...(workspace !== undefined && { workspace }),
  };
}

function wantedBy({ text, uses, raw }: ToolsWanted, by: Agent): Turn {
  return {
    kind: 'said',
    text,
    uses,
    ...(raw !== undefined && { raw: { runtime: by.runtime, message: raw } }),
  };
}

function held(stop: Parked | Failure): AttemptResult {
  return 'kind' in stop ? { kind: 'parked', why: stop } : { kind: 'failed', failure: stop };
}

/** Models make up calls, too. */
const NO_TOOLS: AttemptResult = {
  kind: 'failed',
  failure: { code: 'no-tools', message: 'its model wanted to call tools, and has none.', retry: 'allowed' },
};

function outOfTurns({ maxTurns }: Agent): AttemptResult {
  const often = maxTurns === 1 ? 'its one turn' : `its ${maxTurns} turns`;
  const message = `the agent has taken ${often} without coming to an end (maxTurns in its file).`;
  return { kind: 'failed', failure: { code: 'turns-used-up', message, retry: 'allowed' } };
}

/** A model that is asked changes nothing, so that it may be asked again. */
function repeatable(call: AgentCall, outcome: AgentOutcome): AgentOutcome {
  if (outcome.kind !== 'unknown' || call.kind === 'task') return outcome;
  return { ...outcome, kind: 'failed', code: 'connection-lost', retry: 'allowed' };
}

/** Before a part of it is quoted: of a secret that is cut in two, nothing would be found. */
function withoutSecrets(outcome: TurnOutcome, { redact }: Secrets): TurnOutcome {
  switch (outcome.kind) {
    case 'replied': {
      const { text, structured, usage } = outcome;
      if (structured !== undefined && takeRoomForData(roomFor(TEXT_MAX_CHARS), structured)) {
        return tooLarge('the data of its reply is', usage);
      }
      return {
        ...outcome,
        text: redact(text),
        ...(structured !== undefined && { structured: redact(structured) }),
      };
    }
    case 'uses': {
      const { uses, raw, text, usage } = outcome;
      const room = roomFor(TEXT_MAX_CHARS);
      if (
        uses.some((use) => takeRoomForData(room, use.arguments)) ||
        (raw !== undefined && takeRoomForData(room, raw))
      ) {
        return tooLarge('the calls of tools that it wants are', usage);
      }
      return {
        ...outcome,
        text: redact(text),
        uses: redact(uses),
        ...(raw !== undefined && { raw: redact(raw) }),
      };
    }
    case 'failed':
    case 'unknown':
      return { ...outcome, message: redact(outcome.message) };
    case 'timeout':
      return outcome;
  }
}

function tooLarge(what: string, usage: ReportedUsage | undefined): AgentOutcome {
  const message = `${what} too large, or nested too deeply.`;
  return { kind: 'failed', code: 'reply-too-large', message, retry: 'allowed', ...(usage && { usage }) };
}
