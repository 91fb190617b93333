import type { Agent } from '../../engine/agents/agent.ts';
import { Stopped } from '../patience.ts';

/** The places at which agents work: so many for all of them, and for each agent as many as it says. */
export interface AgentPlaces {
  /**
   * Waits for a place, in the order in which they were asked for; an agent that is busy keeps no other one waiting.
   * Rejects with `Stopped` when the signal is aborted before.
   * @returns what gives the place back; to be called once
   */
  take(agent: Pick<Agent, 'name' | 'concurrency'>, signal: AbortSignal): Promise<() => void>;
}

/** Makes them, all free. */
export function createAgentPlaces(agentsAtOnce: number): AgentPlaces {
  const taken = new Map<string, number>();
  const waiting = new Set<() => boolean>();
  let all = 0;

  function lookAtWaiting(): void {
    for (const tryNow of waiting) {
      if (all >= agentsAtOnce) return;
      if (tryNow()) waiting.delete(tryNow);
    }
  }

  return {
    take({ name, concurrency }, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Stopped());
        const giveUp = (): void => {
          waiting.delete(tryNow);
          reject(new Stopped());
        };
        const tryNow = (): boolean => {
          const own = taken.get(name) ?? 0;
          if (all >= agentsAtOnce || own >= concurrency) return false;
          signal.removeEventListener('abort', giveUp);
          all += 1;
          taken.set(name, own + 1);
          resolve(() => leave(name));
          return true;
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(tryNow);
        lookAtWaiting();
      });
    },
  };

  function leave(name: string): void {
    const left = (taken.get(name) ?? 1) - 1;
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
    all -= 1;
    lookAtWaiting();
  }
}
