import type { Life } from '../crash/life.ts';

/** The life of a process that can be told at any time when it ends. */
export interface Fuse extends Life {
  /** It ends after so many more points; 0 = at once. */
  light(points: number): void;
  spare(): void;
}

/** Begins a life. */
export function createFuse(): Fuse {
  const points: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let left = Number.POSITIVE_INFINITY;
  return {
    end,
    points,
    get over() {
      return left === 0;
    },
    pass(point) {
      if (left === 0) return false;
      points.push(point);
      left -= 1;
      if (left === 0) resolve();
      return left > 0;
    },
    light(after) {
      if (left === 0) return;
      left = after;
      if (left === 0) resolve();
    },
    spare() {
      if (left > 0) left = Number.POSITIVE_INFINITY;
    },
  };
}
