import type { Conversation } from '../../engine/agents/conversation.ts';
import { agentResult } from '../../engine/agents/result.ts';
import type { AttemptResult } from '../../engine/run/attempt-result.ts';
import type { GoesOn } from '../../engine/run/parked.ts';
import type { Failure } from '../../engine/steps/step-type.ts';
import type { Workspaces } from '../../ports/workspaces.ts';
import type { Attempted, Work } from './attempt.ts';

/**
 * Has an agent work, and sees to the files that it changes in a git workspace where its file says `ask` or `deny`: what
 * people must decide about parks the attempt; what may not be, or has failed, is undone.
 */
export async function watchChanges(
  workspaces: Workspaces,
  work: Work,
  conversation: Conversation,
  attempt: () => Promise<Attempted>,
  signal: AbortSignal,
): Promise<Attempted> {
  const { agent, workspace } = work;
  if (workspace === undefined || agent.changes === 'allow') return attempt();
  const before = await seen(() => workspaces.snapshot(workspace, undefined, signal));
  if (typeof before !== 'string') return { result: { kind: 'failed', failure: before }, conversation };
  const done = await attempt();
  const looked = await seen(() => lookAt(workspaces, work, workspace, before, done, signal));
  if (!('code' in looked)) return looked;
  const { usage } = done.result;
  return { ...done, result: { kind: 'failed', failure: looked, ...(usage && { usage }) } };
}

/** What git can't look at is not let through. */
async function seen<T>(look: () => Promise<T>): Promise<T | Failure> {
  try {
    return await look();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `its changes of files can't be looked at, and stay as they are: ${why}`;
    return { code: 'changes-unseen', message, retry: 'never' };
  }
}

async function lookAt(
  workspaces: Workspaces,
  { agent }: Work,
  workspace: string,
  before: string,
  done: Attempted,
  signal: AbortSignal,
): Promise<Attempted> {
  const { result, reply, conversation } = done;
  // Nobody knows yet what became of it, or it goes on later.
  if (result.kind === 'unknown' || result.kind === 'parked') return done;
  const after = await workspaces.snapshot(workspace, before, signal);
  if (after === before) return done;
  if (result.kind === 'done' && reply && agent.changes === 'ask') {
    const { summary, diff } = await workspaces.changes(workspace, before, after, signal);
    const why = { kind: 'changes', agent: agent.name, summary, diff } as const;
    const { usage } = result;
    return {
      result: { kind: 'parked', why, ...(usage && { usage }) },
      conversation: { ...conversation, ended: { reply, before, after } },
    };
  }
  const undone = await workspaces.restore(workspace, before, after, signal);
  if (result.kind === 'failed') return done;
  const { usage } = result;
  return { ...done, result: { kind: 'failed', failure: denied(undone), ...(usage && { usage }) } };
}

function denied(undone: boolean): Failure {
  const what = 'the agent has changed files, which its file does not allow (changes: deny)';
  const message = `${what}; that was undone.`;
  const stays = `${what}; they could not be undone.`;
  return { code: 'changes-denied', message: undone ? message : stays, retry: 'never' };
}

/** Goes on where people have decided about changed files. */
export async function decideChanges(
  workspaces: Workspaces,
  { call, workspace }: Work,
  { reply, before, after }: NonNullable<Conversation['ended']>,
  answer: GoesOn['answer'],
  signal: AbortSignal,
): Promise<AttemptResult> {
  if (answer?.allowed) {
    const result = agentResult(call, reply);
    return result.kind === 'again' ? { kind: 'failed', failure: result.failure } : result;
  }
  const undone = workspace !== undefined && (await workspaces.restore(workspace, before, after, signal));
  const why = answer && answer.comment !== '' ? `: ${answer.comment}` : '.';
  const state = undone ? '' : ' They could not be undone, because the workspace has changed since.';
  const message = `${answer?.by ?? 'somebody'} did not want its changes${why}${state}`;
  return { kind: 'failed', failure: { code: 'changes-refused', message, retry: 'never' } };
}
