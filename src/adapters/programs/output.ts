import { setImmediate } from 'node:timers/promises';

/** Bytes as they come, within a limit. */
export interface Output {
  /** Takes a chunk in. False: it does not fit, and nothing of it is kept. */
  add(chunk: Buffer): boolean;
  bytes(): Buffer;
}

/** All of what comes, up to so many bytes. */
export function wholeOutput(maxBytes: number): Output {
  // One growing buffer: a list of chunks could be a hundred times larger than the bytes in it.
  let room = Buffer.alloc(0);
  let size = 0;
  return {
    add(chunk) {
      if (size + chunk.length > maxBytes) return false;
      if (size + chunk.length > room.length) {
        room = Buffer.concat([room], Math.min(maxBytes, Math.max(2 * room.length, size + chunk.length)));
      }
      size += chunk.copy(room, size);
      return true;
    },
    bytes: () => room.subarray(0, size),
  };
}

/** The end of what comes, so many bytes of it. */
export function endOfOutput(maxBytes: number): Output {
  const room = Buffer.alloc(2 * maxBytes);
  let size = 0;
  return {
    add(chunk) {
      const end = chunk.subarray(-maxBytes);
      if (size + end.length > room.length) {
        room.copyWithin(0, size - maxBytes, size);
        size = maxBytes;
      }
      size += end.copy(room, size);
      return true;
    },
    bytes: () => room.subarray(Math.max(0, size - maxBytes), size),
  };
}

/**
 * Resolves when all is read that was written before the program ended: it is there at once. To wait for the end of
 * what it printed would be to wait for whoever left the group and still holds the other end.
 * @param chunks how many have come so far
 */
export async function quiet(chunks: () => number): Promise<void> {
  for (let turn = 0, still = 0; turn < 1_000 && still < 2; turn += 1) {
    const before = chunks();
    await setImmediate();
    still = chunks() === before ? still + 1 : 0;
  }
}
