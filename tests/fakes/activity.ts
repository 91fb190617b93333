import { setTimeout as tick } from 'node:timers/promises';

/** What the bot is doing at the moment, as far as it can be seen from outside. */
export interface Activity {
  /** A request of the bot begins; the result ends it. */
  begin(): () => void;
  /** Something changed: look again, all who wait. */
  changed(): void;
  /** Resolves when no request has begun or was in progress for a short while of real time (30 ms, at most 2 s). */
  quiet(): Promise<void>;
  /** Resolves when the check is true; it is made again at each change. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
}

/** Makes it. */
export function createActivity(): Activity {
  let begun = 0;
  let running = 0;
  let changes = Promise.withResolvers<void>();
  const changed = () => {
    const before = changes;
    changes = Promise.withResolvers();
    before.resolve();
  };
  return {
    begin() {
      begun += 1;
      running += 1;
      return () => {
        running -= 1;
        changed();
      };
    },
    changed,
    async quiet() {
      // Many short ticks, so that a busy process gets to its sockets between them.
      for (let calm = 0, ticks = 0; calm < 6 && ticks < 400; ticks += 1) {
        const before = begun;
        await tick(5);
        calm = running === 0 && begun === before ? calm + 1 : 0;
      }
    },
    async until(check) {
      for (;;) {
        const next = changes.promise;
        if (await check()) return;
        await next;
      }
    },
  };
}
