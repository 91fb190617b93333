import type { Inbound } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

/** Notes until when events came, for the next process: what was typed later may have been missed. */
export interface Heartbeat {
  /** Until when the last process heard the platform (epoch ms); undefined = there was none. Then begins to note. */
  start(inbound: Inbound): Promise<number | undefined>;
  /** Notes it once more. */
  stop(): Promise<void>;
}

const heardNote = 'heard';
const everyMs = 60_000;

/** Makes it. @param isHearing whether events can come now */
export function createHeartbeat(options: {
  readonly platform: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly isHearing: () => boolean;
  /** Since when something may have been missed; undefined = nothing was. */
  readonly missedSinceMs: () => number | undefined;
}): Heartbeat {
  const { platform, clock, log, isHearing, missedSinceMs } = options;
  let bot: Inbound | undefined;
  let cancel = () => {};

  async function beat(): Promise<void> {
    if (isHearing()) await keep(missedSinceMs() ?? clock.now());
  }

  async function keep(heardMs: number): Promise<void> {
    try {
      await bot?.keepNote(platform, heardNote, heardMs);
    } catch (error) {
      log.error('Until when a chat was heard could not be noted.', error, { platform });
    }
  }

  function again(): void {
    cancel = clock.alarm(clock.now() + everyMs, () => {
      void beat();
      again();
    });
  }

  return {
    async start(inbound) {
      const heard = await inbound.note(platform, heardNote);
      bot = inbound;
      again();
      if (typeof heard === 'number') return heard;
      // The first process may end before its first beat.
      await keep(clock.now());
      return undefined;
    },
    async stop() {
      cancel();
      await beat();
      bot = undefined;
    },
  };
}
