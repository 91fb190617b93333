/** What is wrong with a body. `path` is like `data.components.0.label`; "" = the body itself. */
export interface BodyFault {
  readonly path: string;
  readonly message: string;
}

/** The fault, unless all is well. */
export function faultUnless(isFine: boolean, path: string, message: string): readonly BodyFault[] {
  return isFine ? [] : [{ path, message }];
}

/** Of each place the first fault: others mostly follow from it. */
export function firstAtEachPlace(faults: readonly BodyFault[]): readonly BodyFault[] {
  const byPath = new Map(faults.toReversed().map((fault) => [fault.path, fault]));
  return faults.filter((fault) => byPath.get(fault.path) === fault);
}

/** A place inside another one. */
export function inside(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** A fault for each thing that an earlier one has already; things without (undefined) don't count. */
export function repeats<T>(
  things: readonly T[],
  keyOf: (thing: T) => unknown,
  pathOf: (thing: T, index: number) => string,
  message: (key: unknown) => string,
): readonly BodyFault[] {
  const seen = new Set<unknown>();
  return things.flatMap((thing, index) => {
    const key = keyOf(thing);
    if (key === undefined || key === null) return [];
    if (seen.has(key)) return [{ path: pathOf(thing, index), message: message(key) }];
    seen.add(key);
    return [];
  });
}

/** Half characters, which do not survive UTF-8. */
export function surrogateFaults(value: unknown, path = ''): readonly BodyFault[] {
  if (typeof value === 'string')
    return faultUnless(value.isWellFormed(), path, 'A surrogate has lost its other half.');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => surrogateFaults(inner, inside(path, key)));
}
