/**
 * The life of a bot's process, which can be made to end at any point of its work. Points lie before and after
 * everything that leaves the process: commits, posts, edits, look-ups, requests.
 */
export interface Life {
  /** Whether it goes on. Asked at every point; false from the last point on. */
  pass(point: string): boolean;
  /** Whether it has ended. Unlike `pass` this is no point. */
  readonly over: boolean;
  /** Resolves when it ends. */
  readonly end: Promise<void>;
  /** The points passed so far; the last one is where it ended. */
  readonly points: readonly string[];
}

/** Where a life ends: at its n-th point, counted from 1; with `of` only points with these words count. */
export interface EndsAt {
  readonly nth: number;
  readonly of?: string;
}

/** Begins a life. @param endsAt undefined = it does not end. @param onEnd runs at the very moment it ends. */
export function createLife(endsAt: EndsAt | undefined, onEnd: () => void = () => {}): Life {
  const points: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let left = endsAt?.nth ?? Number.POSITIVE_INFINITY;
  return {
    end,
    points,
    get over() {
      return left === 0;
    },
    pass(point) {
      if (left === 0) return false;
      points.push(point);
      if (endsAt?.of === undefined || endsAt.of === point) left -= 1;
      if (left > 0) return true;
      onEnd();
      resolve();
      return false;
    },
  };
}

/** What a dead process gets from its calls: nothing, ever. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
