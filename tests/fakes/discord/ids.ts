const epochMs = 1_420_070_400_000n;

/** Makes ids as Discord's: the time, and a number that tells apart what was made in one millisecond. */
export function createIds(nowMs: () => number): { next(): string } {
  let last = 0n;
  return {
    next() {
      const first = (BigInt(Math.floor(nowMs())) - epochMs) << 22n;
      last = first > last ? first : last + 1n;
      return String(last);
    },
  };
}

/** Whether a text can be an id. */
export function isSnowflake(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
