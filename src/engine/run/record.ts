/**
 * An entry of a record whose keys are ids that people chose: only its own. `constructor` is a fine id for a step,
 * and every object has something by that name.
 */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
