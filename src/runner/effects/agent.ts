import type { Agent } from '../../engine/agents/agent.ts';
import type { Conversation } from '../../engine/agents/conversation.ts';
import { abilitiesOf } from '../../engine/agents/runtimes.ts';
import type { Usage } from '../../engine/agents/usage.ts';
import { wordsFor } from '../../engine/agents/words.ts';
import type { Plan } from '../../engine/flow/plan.ts';
import { attemptKey } from '../../engine/run/begin.ts';
import { BUDGET_REFUSED } from '../../engine/run/budget.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { Parked } from '../../engine/run/parked.ts';
import type { RunState } from '../../engine/run/state.ts';
import type { BudgetStanding } from '../../engine/run/tree.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import type { Workspaces } from '../../ports/workspaces.ts';
import { type Attempted, goOn, type Work } from '../agents/attempt.ts';
import { decideChanges, watchChanges } from '../agents/changes.ts';
import { createAgentPlaces } from '../agents/places.ts';
import type { Providers } from '../agents/providers.ts';
import type { AgentTools } from '../agents/tools.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';
import type { Plans } from '../plans.ts';
import type { Runs } from '../runs.ts';
import type { SharedWorkspaces, WorkspaceUse } from '../workspaces.ts';

type AgentEffect = Extract<CallEffect, { kind: 'agent' }>;

/**
 * Has an agent do the work of an `agent`, `llm` or `decision` step, or go on with it. It waits until its provider may be
 * asked, and until the workspace of the run, for agents that have one, and a place among all agents are free; its time begins
 * then.
 */
export function agentHandler(deps: {
  readonly store: Store;
  readonly plans: Pick<Plans, 'get'>;
  readonly runs: () => Pick<Runs, 'dispatch'>;
  readonly providers: Providers;
  readonly agentTools: AgentTools;
  readonly workspaces: Workspaces;
  readonly shared: Pick<SharedWorkspaces, 'use' | 'useScratch'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How a run, with those above it, stands to its budget. */
  readonly standing: (state: RunState, plan: Plan) => BudgetStanding;
  /** The budget of a day that is used up, if there is one. */
  readonly overDay: (state: RunState, plan: Plan) => Promise<Extract<Parked, { kind: 'day' }> | undefined>;
  /** Most agents at work at once, over all runs. */
  readonly agentsAtOnce: number;
  /** Longest time for one attempt, in milliseconds. */
  readonly agentTimeLimitMs: number;
}): CallHandler<AgentEffect> {
  const { store, plans, providers, agentTools, shared, clock, ids } = deps;
  const places = createAgentPlaces(deps.agentsAtOnce);

  /** Tells the run of a turn. @returns why another one may not begin */
  async function turned({ at }: Work, usage: Usage, calls: Conversation['calls']) {
    const { run, step, round, attempt } = at;
    const event = { type: 'agent.turned', atMs: clock.now(), step, round, attempt, usage, calls } as const;
    await deps.runs().dispatch(run, () => ({ event, result: undefined }));
    const now = await deps.runs().dispatch(run, (state, plan) => ({ result: { state, plan } }));
    if (!now) return undefined;
    switch (deps.standing(now.state, now.plan)) {
      case 'free':
        return deps.overDay(now.state, now.plan);
      case 'asked':
        return { kind: 'budget' } as const;
      case 'refused':
        return BUDGET_REFUSED;
    }
  }

  /** What is kept of an attempt that has to wait is there before its run knows that it waits. */
  async function keep(work: Work, { result, conversation }: Attempted): Promise<CallResult> {
    if (result.kind === 'parked') {
      const { run } = work.at;
      await store.commit({ conversations: [{ run, key: attemptKey(work.at), conversation }] });
    }
    return result;
  }

  async function carryOut(
    work: Work,
    { goesOn }: AgentEffect,
    before: Conversation | undefined,
    signal: AbortSignal,
    leaving: () => Promise<void>,
  ): Promise<CallResult> {
    if (before?.ended) return decideChanges(deps.workspaces, work, before.ended, goesOn?.answer, signal);
    await providers.ready(work.agent, work.fallback, signal);
    const leave = await places.take(work.agent, signal);
    try {
      const conversation = before ?? newConversation(work);
      const tools =
        work.call.kind === 'task' ? await agentTools.offered(work.agent, work.at.run, signal) : [];
      await leaving();
      const attempt = (): Promise<Attempted> =>
        goOn(
          { ...deps, hands: agentTools, turned },
          { ...work, tools },
          conversation,
          goesOn?.answer,
          signal,
        );
      return await keep(work, await watchChanges(deps.workspaces, work, conversation, attempt, signal));
    } finally {
      leave();
    }
  }

  function newConversation({ agent, call }: Work): Conversation {
    return {
      ...wordsFor(agent, call, () => ids.next() + ids.next()),
      turns: [],
      results: [],
      calls: [],
      workedMs: 0,
      turnsTaken: 0,
      toolCalls: 0,
      askedAgain: 0,
    };
  }

  return async (run, effect, signal, leaving) => {
    const { call, goesOn } = effect;
    const { step, round, attempt } = effect;
    const row = (await store.run(run))?.row;
    const plan = row && (await plans.get(row.version));
    const agent = plan?.agents.get(call.agent);
    if (!row || !plan || !agent)
      return failed('agent-gone', `there is no agent ${quoted(call.agent)} any more.`);
    const before = goesOn && (await store.conversation(run, attemptKey(effect)));
    if (goesOn?.answer && !before)
      return failed('conversation-gone', 'what it had done so far is not there any more.');
    const work: Work = {
      agent,
      fallback: agent.fallback === undefined ? undefined : plan.agents.get(agent.fallback),
      call,
      tools: [],
      timeLimitMs: timeLimitOf(effect, agent, deps.agentTimeLimitMs),
      at: { flow: row.flow, run, step, round, attempt },
      key: `${run}/${attemptKey(effect)}`,
      workspace: undefined,
    };
    const begin = (workspace?: string): Promise<CallResult> =>
      carryOut({ ...work, workspace }, effect, before, signal, leaving);
    const used = await inFolder(agent, call.kind, run, begin, signal);
    if (used.kind === 'used') return used.result;
    return { kind: 'failed', failure: { code: 'workspace', message: used.message, retry: 'allowed' } };
  };

  /** Only tasks have a folder, and only of those who can make something of it. */
  async function inFolder(
    { runtime, workspace }: Agent,
    kind: AgentEffect['call']['kind'],
    run: string,
    work: (path?: string) => Promise<CallResult>,
    signal: AbortSignal,
  ): Promise<WorkspaceUse<CallResult>> {
    if (kind !== 'task' || abilitiesOf(runtime)?.workspace === false)
      return { kind: 'used', result: await work() };
    if (runtime === 'program' && workspace === 'none') return shared.useScratch(run, work);
    return shared.use(run, signal, work);
  }
}

function timeLimitOf({ timeoutMs }: AgentEffect, { timeLimitMs }: Agent, mostMs: number): number {
  return Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, timeLimitMs ?? Number.POSITIVE_INFINITY, mostMs);
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function failed(code: string, message: string): CallResult {
  return { kind: 'failed', failure: { code, message, retry: 'never' } };
}
