/** Lines of work, one for each key: in each, one thing is done at a time. */
export interface Queues {
  /** Does the work once all that was asked for under this key before has ended, well or not. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when all lines are empty. */
  idle(): Promise<void>;
}

/** Makes them, empty. */
export function createQueues(): Queues {
  /** Settles with the last work of each line; never rejects. */
  const ends = new Map<string, Promise<void>>();

  return {
    take(key, work) {
      const before = ends.get(key) ?? Promise.resolve();
      const result = before.then(work);
      const end = result.then(
        () => undefined,
        () => undefined,
      );
      ends.set(key, end);
      void end.then(() => {
        if (ends.get(key) === end) ends.delete(key);
      });
      return result;
    },
    async idle() {
      while (ends.size > 0) await Promise.all(ends.values());
    },
  };
}
