import type { AgentRequest } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TurnTaken } from './providers.ts';

/** How long an agent has to end when its time is over, in milliseconds. */
const graceMs = 10_000;

/** Lets an agent take a turn, and sees to it that the time of the request is kept. */
export async function timed(
  request: AgentRequest,
  take: (request: AgentRequest, signal: AbortSignal) => Promise<TurnTaken>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<TurnTaken> {
  const by = request.agent;
  if (request.timeoutMs <= 0) return { outcome: { kind: 'timeout' }, by };
  const timeOver = new AbortController();
  let cancelAlarm: () => void = () => undefined;
  const lost = new Promise<TurnTaken>((resolve) => {
    cancelAlarm = clock.alarm(clock.now() + request.timeoutMs, () => {
      cancelAlarm = clock.alarm(clock.now() + graceMs, () =>
        resolve({ outcome: { kind: 'unknown', message: 'The agent went on when its time was over.' }, by }),
      );
      timeOver.abort();
    });
  });
  try {
    const taken = await Promise.race([take(request, AbortSignal.any([signal, timeOver.signal])), lost]);
    const { outcome } = taken;
    const isLate = timeOver.signal.aborted && outcome.kind === 'failed';
    if (!isLate) return taken;
    return { ...taken, outcome: { kind: 'timeout', ...(outcome.usage && { usage: outcome.usage }) } };
  } finally {
    cancelAlarm();
  }
}
