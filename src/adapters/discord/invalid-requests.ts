import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

/**
 * Counts requests that Discord does not want: after 10,000 of them in ten minutes it takes nothing more from this
 * machine's address, whoever sends it.
 *
 * @see https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
 */
export interface InvalidRequests {
  /** @param scope whose limit a 429 is about: those of a resource that others use too do not count */
  count(status: number, scope: string | null): void;
  /** How long nothing may be sent, so that it does not come to that; 0 = it may. */
  readonly restMs: number;
}

const windowMs = 600_000;
/** Half of what Discord allows: its ten minutes may begin in the middle of ours. */
const max = 5_000;
const warnEach = 1_000;

/** Makes the counter. */
export function createInvalidRequests({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Log;
}): InvalidRequests {
  let fromMs = 0;
  let counted = 0;

  /** A clock that was set back begins anew. */
  function leftMs(): number {
    const goneMs = clock.now() - fromMs;
    return goneMs < 0 ? 0 : Math.max(0, windowMs - goneMs);
  }

  return {
    count(status, scope) {
      const isInvalid = status === 401 || status === 403 || (status === 429 && scope !== 'shared');
      if (!isInvalid) return;
      if (leftMs() === 0) {
        fromMs = clock.now();
        counted = 0;
      }
      counted += 1;
      if (counted % warnEach === 0) {
        log.warn('Discord refuses many requests of this bot.', { count: counted, withinMs: windowMs });
      }
    },
    get restMs() {
      return counted < max ? 0 : leftMs();
    },
  };
}
