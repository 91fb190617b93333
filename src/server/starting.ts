import type { Bot } from '../commands/bot.ts';
import { isNotAllowed } from '../commands/may-start.ts';
import { conversationAt, type StartRequest, startFlow } from '../commands/start-flow.ts';
import type { Sight } from '../commands/visitor.ts';
import type { InputProblem } from '../engine/data/input.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Place } from '../engine/people.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Started } from '../runner/runs.ts';
import { done, failed, type ProblemError, type Result } from './problem.ts';

/** What a program, an MCP client or a page asks of a flow. */
export interface StartAsked {
  readonly flow: LoadedFlow;
  readonly trigger: 'api' | 'mcp' | 'manual';
  /** The input as data; absent = it is read from `prompt`. */
  readonly input?: JsonObject;
  /** What would follow the command in a chat. */
  readonly prompt: string;
  /** What was filled in, by field; absent = nothing was. */
  readonly values?: Readonly<Record<string, string>>;
  /** What a repeat of the same would share. */
  readonly startKey: string;
}

type Run = Extract<Started, { kind: 'started' }>;

/** Starts a flow for a visitor, by the rules of every other entrance; a repeat gets the run that is there. */
export async function startFor(bot: Bot, sight: Sight, asked: StartAsked): Promise<Result<Run>> {
  const { flow, trigger, input, prompt, values, startKey } = asked;
  const earlier = await bot.store.runOfStartKey(startKey);
  if (earlier !== undefined) return done({ kind: 'started', run: earlier, repeat: true });
  try {
    const caller = await sight.callerAt(await homeOf(bot, flow.plan));
    const kept = await isNotAllowed(bot, flow.plan, caller);
    const request: StartRequest = {
      flow,
      caller,
      trigger,
      text: prompt,
      prompt,
      startKey,
      ...(input && { data: input }),
      ...(values && { values }),
    };
    const result = await startFlow(bot, request);
    switch (result.kind) {
      case 'started':
        return done(result);
      case 'refused':
        return failed(kept === undefined ? 'conflict' : 'not-allowed', result.why);
      case 'incomplete': {
        const errors = inputErrors([...result.missing, ...result.problems]);
        const detail = `The input does not fit: ${errors.map((error) => error.detail).join(' ')}`;
        return failed('does-not-fit', detail, { errors });
      }
    }
  } catch (error) {
    if (!(error instanceof ChatUnavailable)) throw error;
    return failed('unavailable', 'The chat of this flow can’t be reached at the moment.', {
      retryAfterS: 10,
    });
  }
}

/** What is wrong with an input, each with its place in a body that holds it as `input`. */
function inputErrors(problems: readonly InputProblem[]): readonly ProblemError[] {
  return problems.map(({ field, message }) => ({
    pointer: ['', 'input', ...(field === '' ? [] : field.split('.'))].map(escapePointer).join('/'),
    detail: `${message}.`,
  }));
}

/** As RFC 6901 wants it. */
function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Where the runs of a flow live that start outside chats. */
async function homeOf(bot: Bot, { conversation }: Plan): Promise<Place | undefined> {
  const found = conversation === undefined ? undefined : await conversationAt(bot, conversation);
  return found && { platform: found.platform, conversation: found.id };
}
