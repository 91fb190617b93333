import { type IIdentifyThrottler, SimpleShardingStrategy } from 'discord.js';
import type { Clock } from '../../ports/clock.ts';
import { createPace } from '../chat/pace.ts';

/** What the library makes connections with. */
type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/**
 * The connections of one client. The library’s own give up when the first try fails and go on all the same, and one that
 * waits for its next try does not notice that it shall end: these go on until they are ended. Why a connection can't be
 * made is told by the client's events.
 */
export class Connections extends SimpleShardingStrategy {
  #isOver = false;

  constructor(manager: Manager) {
    super(manager);
    const { retrieveSessionInfo } = manager.options;
    // Asked before each try.
    manager.options.retrieveSessionInfo = (shard) =>
      this.#isOver ? new Promise(() => {}) : retrieveSessionInfo(shard);
  }

  override async connect(): Promise<void> {
    this.#isOver = false;
    await super.connect().catch(() => {});
  }

  override async destroy(...how: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#isOver = true;
    await super.destroy(...how);
  }
}

/** One session in five seconds, of those connections that Discord counts together. */
const apart = { burst: 1, perMinute: 12, reserve: 0 };
/** Of what Discord allows a day: so much at once, and so much in the long run. Who needs more loses the token. */
const ofTotal = { burst: 0.1, perDay: 0.8 };
const minutesADay = 1_440;

/**
 * Decides when the connections of a client may begin new sessions, so that even one that breaks all the time never uses
 * up what Discord allows a day.
 *
 * @see https://docs.discord.com/developers/events/gateway#session-start-limit-object
 */
export async function createSessionPace(
  manager: Pick<Manager, 'fetchGatewayInformation'>,
  clock: Clock,
): Promise<IIdentifyThrottler> {
  const { total, max_concurrency: together } = (await manager.fetchGatewayInformation()).session_start_limit;
  const short = createPace(apart);
  const long = createPace({
    burst: Math.max(1, Math.floor(total * ofTotal.burst)),
    perMinute: (total * ofTotal.perDay) / minutesADay,
    reserve: 0,
  });
  return {
    async waitForIdentify(shard, signal) {
      for (;;) {
        const nowMs = clock.now();
        const waitMs = short.take(`${shard % together}`, nowMs, true) || long.take('', nowMs, true);
        if (waitMs === 0) return;
        await passed(waitMs, signal);
      }
    },
  };

  async function passed(forMs: number, signal: AbortSignal): Promise<void> {
    const { promise: due, resolve } = Promise.withResolvers<void>();
    const cancel = clock.alarm(clock.now() + forMs, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await due;
    cancel();
    signal.throwIfAborted();
  }
}
