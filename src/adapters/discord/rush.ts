import type { Clock } from '../../ports/clock.ts';

/** Keeps work back while many people wait for a first word at the same time: giving it to all of them comes first. */
export interface Rush {
  /** Somebody waits for a first word. Call the result, once, when they have it. */
  begin(): () => void;
  readonly isOn: boolean;
  /** Resolves when there is no rush; or after a while, because work must not wait for ever. */
  over(): Promise<void>;
}

/** Makes it. */
export function createRush(options: {
  readonly clock: Clock;
  /** People who wait without its being a rush. */
  readonly most: number;
  /** How long a rush keeps one piece of work back, in milliseconds. */
  readonly longestMs: number;
  readonly onBegin: () => void;
}): Rush {
  const { clock, most, longestMs, onBegin } = options;
  let waiting = 0;
  let rush: PromiseWithResolvers<void> | undefined;

  return {
    get isOn() {
      return rush !== undefined;
    },
    begin() {
      waiting += 1;
      if (waiting > most && rush === undefined) {
        rush = Promise.withResolvers();
        onBegin();
      }
      return () => {
        waiting -= 1;
        if (waiting > most) return;
        rush?.resolve();
        rush = undefined;
      };
    },
    async over() {
      if (rush === undefined) return;
      const { promise: tooLong, resolve } = Promise.withResolvers<void>();
      const cancel = clock.alarm(clock.now() + longestMs, resolve);
      await Promise.race([rush.promise, tooLong]);
      cancel();
    },
  };
}
