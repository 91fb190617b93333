/** Work that people wait for, a few at a time: the rest stands in line, so that new events are still taken at once. */
export interface Turns {
  /**
   * Does the work when its turn comes; resolves with what it gives. Undefined: the line was closed before.
   * @param urgent before everything that is not: somebody looks at a button that was pressed.
   */
  take<T>(work: () => Promise<T>, urgent: boolean): Promise<T | undefined>;
  /** Sends away whoever stands in line; complete when the work under way has ended. May be called twice. */
  close(): Promise<void>;
}

/** Makes a line. @param atOnce work done at the same time, at most, asked whenever there is some. */
export function createTurns(atOnce: () => number): Turns {
  const urgently: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  let closed: Promise<void> | undefined;
  let whenIdle = () => {};

  function next(): void {
    busy -= 1;
    fill();
    if (busy === 0) whenIdle();
  }

  function fill(): void {
    while (busy < atOnce()) {
      const first = urgently.shift() ?? waiting.shift();
      if (!first) break;
      busy += 1;
      first();
    }
  }

  /** Resolves when it is one's turn. */
  function turn(urgent: boolean): Promise<void> {
    return new Promise((resolve) => {
      (urgent ? urgently : waiting).push(resolve);
      fill();
    });
  }

  return {
    async take(work, urgent) {
      if (closed) return undefined;
      await turn(urgent);
      try {
        return closed ? undefined : await work();
      } finally {
        next();
      }
    },
    close() {
      closed ??= new Promise((resolve) => {
        if (busy === 0) resolve();
        else whenIdle = resolve;
      });
      return closed;
    },
  };
}
