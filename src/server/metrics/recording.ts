import type { FlowEvent, FlowEvents } from '../../engine/events/map.ts';
import type { Inbound } from '../../ports/chat.ts';
import type { Store } from '../../ports/store.ts';
import type { Bus } from '../../runner/bus.ts';
import type { Figures } from './figures.ts';

/** Most beginnings that are kept in mind for how long things took; the oldest go first. */
const OPEN_MAX = 20_000;

type OfNode = Pick<FlowEvents['node:start'], 'run' | 'node' | 'round'>;

/** Counts what the bus tells. @param flowLabel a flow as figures know it: names that people can make up are none */
export function recordEvents(figures: Figures, bus: Bus, flowLabel: (flow: string) => string): () => void {
  const runs = createBeginnings();
  const attempts = createBeginnings();
  const questions = createBeginnings();
  const nodeKey = ({ run, node, round }: OfNode) => `${run}/${node}/${round}`;

  function ended(event: FlowEvents['node:done'] | FlowEvents['node:error']): void {
    const seconds = attempts.end(nodeKey(event), event.atMs);
    if (seconds !== undefined) figures.stepSeconds.observe({ type: event.type }, seconds);
  }

  function closed(event: FlowEvents['approval:answered'] | FlowEvents['approval:closed'], how: string): void {
    const seconds = questions.end(event.question, event.atMs);
    if (seconds !== undefined) figures.questionSeconds.observe({ kind: event.kind, how }, seconds);
  }

  return bus.onAny((event: FlowEvent) => {
    const flow = flowLabel(event.flow);
    switch (event.name) {
      case 'run:started':
        runs.begin(event.run, event.atMs);
        figures.runsStarted.inc({ flow, trigger: event.trigger });
        break;
      case 'run:ended': {
        const seconds = runs.end(event.run, event.atMs);
        figures.runsEnded.inc({ flow, status: event.status });
        if (seconds !== undefined) figures.runSeconds.observe({ flow }, seconds);
        break;
      }
      case 'node:start':
        attempts.begin(nodeKey(event), event.atMs);
        break;
      case 'node:done':
        ended(event);
        figures.stepsEnded.inc({ type: event.type, outcome: 'done' });
        break;
      case 'node:error':
        ended(event);
        figures.attemptsFailed.inc({ type: event.type });
        break;
      case 'node:skipped':
        figures.stepsEnded.inc({ type: event.type, outcome: 'skipped' });
        break;
      case 'provider:call':
        figures.agentTokens.inc({ flow }, event.usage?.tokens ?? 0);
        figures.agentCostUsd.inc({ flow }, event.usage?.costUsd ?? 0);
        break;
      case 'tool:call':
        figures.toolCalls.inc({ flow, outcome: event.outcome });
        break;
      case 'approval:asked':
        questions.begin(event.question, event.atMs);
        break;
      case 'approval:answered':
        if (event.decided) closed(event, 'answered');
        break;
      case 'approval:closed':
        closed(event, event.how);
        break;
      case 'run:moved':
      case 'node:retry':
        break;
    }
  });
}

/** When things began, by key. What began before this process did is not known. */
function createBeginnings() {
  const begun = new Map<string, number>();
  return {
    begin(key: string, atMs: number): void {
      begun.set(key, atMs);
      const [oldest] = begun.keys();
      if (begun.size > OPEN_MAX && oldest !== undefined) begun.delete(oldest);
    },
    /** How long it took, in seconds. */
    end(key: string, atMs: number): number | undefined {
      const sinceMs = begun.get(key);
      begun.delete(key);
      return sinceMs === undefined ? undefined : Math.max(0, atMs - sinceMs) / 1_000;
    },
  };
}

/** The same store; how long its commits take is counted. */
export function measuredStore(store: Store, { commitSeconds }: Figures, clock: Precise): Store {
  return {
    ...store,
    async commit(commit) {
      const startMs = clock();
      try {
        return await store.commit(commit);
      } finally {
        commitSeconds.observe((clock() - startMs) / 1_000);
      }
    },
  };
}

/** The same way in; how long chats wait until an event may be acknowledged is counted, by platform. */
export function measuredInbound<I extends Inbound>(inbound: I, { eventSeconds }: Figures, clock: Precise): I {
  return {
    ...inbound,
    async receive(event, calm) {
      const startMs = clock();
      try {
        return await inbound.receive(event, calm);
      } finally {
        eventSeconds.observe({ platform: event.person.platform }, (clock() - startMs) / 1_000);
      }
    },
  };
}

/** Time that is never set back, in milliseconds with parts. */
export type Precise = () => number;
