import type { Agent } from '../../engine/agents/agent.ts';
import {
  type Circuit,
  CLOSED,
  calledOff,
  failedOnce,
  maySend,
  sending,
} from '../../engine/agents/circuit.ts';
import { nextFreeMs, withSent } from '../../engine/agents/rate.ts';
import { abilitiesOf } from '../../engine/agents/runtimes.ts';
import { NOBODY_ASKED } from '../../engine/agents/usage.ts';
import type { AgentRequest, AgentRuntimes, TurnOutcome } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { pause, Stopped } from '../patience.ts';

/** How often one turn is sent at the very most, while the provider can't answer. */
const TRIES_MAX = 3;
const FIRST_WAIT_MS = 1_000;

/** What became of a turn, and whose model took it: that one's price counts. */
export interface TurnTaken {
  readonly outcome: TurnOutcome;
  readonly by: Agent;
}

/** The providers behind agents: asked no more often than they may be, left alone while they can't answer. */
export interface Providers {
  /**
   * Waits until the provider of an agent, or of its fallback, may be asked. Rejects with `Stopped` when the signal is
   * aborted before.
   */
  ready(agent: Agent, fallback: Agent | undefined, signal: AbortSignal): Promise<void>;
  /**
   * Takes one turn, with the model of the fallback where the agent's own can't answer. When the signal is aborted it ends
   * soon. Throws only what a runtime throws, which should not.
   */
  turn(request: AgentRequest, fallback: Agent | undefined, signal: AbortSignal): Promise<TurnTaken>;
}

/** What is known of a provider since this process began. */
interface Known {
  circuit: Circuit;
  /** When requests of agents with a limit were sent, by agent. */
  readonly sent: Map<string, readonly number[]>;
  /** It has said that it does not want to be asked before. */
  notBeforeMs: number;
}

/** A turn that may be sent. `isProbe`: it looks whether the provider is back. */
interface Taken {
  readonly known: Known;
  readonly isProbe: boolean;
}

/** Makes them. Nothing is known of any at first. */
export function createProviders(deps: {
  readonly agents: AgentRuntimes;
  readonly clock: Clock;
  readonly log: Log;
}): Providers {
  const { agents, clock, log } = deps;
  const providers = new Map<string, Known>();
  /** Agents that work with their fallback now. */
  const falling = new Set<string>();

  function knownOf({ runtime, settings, model = '' }: Agent): Known {
    const key = JSON.stringify([runtime, settings.baseUrl ?? '', model]);
    const known = providers.get(key) ?? { circuit: CLOSED, sent: new Map(), notBeforeMs: 0 };
    providers.set(key, known);
    return known;
  }

  /** When an agent's provider may be asked, epoch ms; undefined = when the turn that looks for it has ended. */
  function freeMs(agent: Agent): number | undefined {
    const { circuit, sent, notBeforeMs } = knownOf(agent);
    const nowMs = clock.now();
    const limitMs = agent.rateLimit ? nextFreeMs(agent.rateLimit, sent.get(agent.name) ?? [], nowMs) : nowMs;
    const atMs = Math.max(limitMs, notBeforeMs, circuit.openUntilMs ?? 0);
    return circuit.isProbing ? undefined : atMs;
  }

  function isOpen(agent: Agent): boolean {
    return !maySend(knownOf(agent).circuit, clock.now());
  }

  /** A turn may be sent now: it counts from here on, before anybody else looks. */
  function take(agent: Agent): Taken {
    const known = knownOf(agent);
    const isProbe = known.circuit.openUntilMs !== undefined;
    if (agent.rateLimit) {
      known.sent.set(agent.name, withSent(agent.rateLimit, known.sent.get(agent.name) ?? [], clock.now()));
    }
    known.circuit = sending(known.circuit);
    return { known, isProbe };
  }

  /** Waits until a turn may be sent, and takes it; undefined = not in time. Several may have waited for the same moment. */
  async function wait(
    agent: Agent,
    signal: AbortSignal,
    untilMs = Number.POSITIVE_INFINITY,
  ): Promise<Taken | undefined> {
    for (;;) {
      const atMs = freeMs(agent) ?? clock.now() + FIRST_WAIT_MS;
      if (atMs <= clock.now()) return take(agent);
      if (atMs >= untilMs) return undefined;
      await pause(clock, atMs - clock.now(), signal);
    }
  }

  /**
   * Sends one turn to the provider of an agent, again while it can't answer and there is time.
   * @param owner the agent whose provider it is, and whose rate limit counts
   */
  async function send(request: AgentRequest, owner: Agent, signal: AbortSignal): Promise<TurnOutcome> {
    const { agent } = request;
    const runtime = agents.get(agent.runtime);
    if (!runtime) return noRuntime(agent);
    const untilMs = clock.now() + request.timeoutMs;
    let last: TurnOutcome = { kind: 'timeout', usage: NOBODY_ASKED };
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const taken = await wait(owner, signal, untilMs);
      if (!taken) return last;
      const beganMs = clock.now();
      try {
        last = await runtime.turn({ ...request, timeoutMs: untilMs - beganMs }, signal);
      } catch (error) {
        if (taken.isProbe) taken.known.circuit = calledOff(taken.known.circuit);
        throw error;
      }
      learn(agent, taken, last, tries);
      if (last.kind !== 'failed' || !last.unavailable || isOpen(owner)) return last;
    }
    return last;
  }

  function learn(agent: Agent, { known, isProbe }: Taken, outcome: TurnOutcome, tries: number): void {
    const { openUntilMs: before } = known.circuit;
    const nowMs = clock.now();
    // Turns that were under way when it opened say nothing about what the probe is to find out.
    if (before !== undefined && !isProbe) return;
    if (outcome.kind === 'timeout' || outcome.kind === 'unknown') {
      known.circuit = calledOff(known.circuit);
    } else if (outcome.kind === 'failed' && outcome.unavailable) {
      known.circuit = failedOnce(known.circuit, nowMs);
      const waitMs = outcome.unavailable.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tries;
      known.notBeforeMs = Math.max(known.notBeforeMs, nowMs + waitMs);
      const { openUntilMs: until } = known.circuit;
      if (until !== undefined && until !== before) {
        const openFor = `${Math.round((until - nowMs) / 1000)} s`;
        log.warn('A provider of models can’t answer, and is left alone for a while.', {
          agent: agent.name,
          openFor,
          why: outcome.message,
        });
      }
    } else {
      known.circuit = CLOSED;
      if (before !== undefined) log.info('A provider of models answers again.', { agent: agent.name });
    }
  }

  /** Whether the work can go to the fallback: it must be able to do what is asked of it. */
  function canTake(request: AgentRequest, fallback: Agent | undefined): fallback is Agent {
    if (!fallback) return false;
    const abilities = abilitiesOf(fallback.runtime);
    if (abilities && !abilities.answers.includes(request.kind)) return false;
    return (request.tools.length === 0 || abilities?.tools !== false) && !isOpen(fallback);
  }

  return {
    async ready(agent, fallback, signal) {
      for (;;) {
        const times = [agent, ...(fallback ? [fallback] : [])].map(
          (one) => freeMs(one) ?? clock.now() + FIRST_WAIT_MS,
        );
        const atMs = Math.min(...times);
        if (atMs <= clock.now()) return;
        await pause(clock, atMs - clock.now(), signal);
      }
    },
    async turn(request, fallback, signal) {
      const { agent } = request;
      try {
        const beganMs = clock.now();
        const own =
          isOpen(agent) && canTake(request, fallback) ? undefined : await send(request, agent, signal);
        const isLost = own === undefined || (own.kind === 'failed' && own.unavailable !== undefined);
        if (!isLost) falling.delete(agent.name);
        const leftMs = request.timeoutMs - (clock.now() - beganMs);
        if (!isLost || leftMs <= 0 || !canTake(request, fallback)) {
          return { outcome: own ?? { kind: 'timeout', usage: NOBODY_ASKED }, by: agent };
        }
        if (!falling.has(agent.name)) {
          log.warn('An agent works with the model of its fallback.', {
            agent: agent.name,
            fallback: fallback.name,
            run: request.at.run,
          });
          falling.add(agent.name);
        }
        const by = lentBy(agent, fallback);
        return { outcome: await send({ ...request, agent: by, timeoutMs: leftMs }, fallback, signal), by };
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        return { outcome: { kind: 'timeout', usage: NOBODY_ASKED }, by: agent };
      }
    },
  };
}

/** A fallback lends its model, with its settings, price and rate limit; everything else stays the agent's. */
function lentBy(
  { model: _model, price: _price, rateLimit: _limit, ...agent }: Agent,
  fallback: Agent,
): Agent {
  const { runtime, settings, model, price, rateLimit } = fallback;
  return {
    ...agent,
    runtime,
    settings,
    ...(model !== undefined && { model }),
    ...(price && { price }),
    ...(rateLimit && { rateLimit }),
  };
}

function noRuntime({ runtime, name }: Agent): TurnOutcome {
  return {
    kind: 'failed',
    code: 'runtime-missing',
    message: `the runtime ${JSON.stringify(runtime)} of the agent ${JSON.stringify(name)} is not there.`,
    retry: 'never',
    usage: NOBODY_ASKED,
  };
}
