/** An object as it goes over the wire: it is turned into JSON, where undefined values are left out. */
export interface Wire {
  readonly [key: string]: unknown;
}

/** Whether a value is an object (not null, not a list). */
export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
