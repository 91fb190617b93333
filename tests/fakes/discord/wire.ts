/** An object as it goes over the wire: it is turned into JSON, where undefined values are left out. */
export interface Wire {
  readonly [key: string]: unknown;
}

/** Whether a value is an object (not null, not a list). */
export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none when it is no list. */
export function wiresOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isWire) : [];
}

/** The texts of a list; none when it is no list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** A text, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number, or 0. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
