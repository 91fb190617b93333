/** The secrets flows may name, and the guard that keeps them out of everything else. */
export interface Secrets {
  /** The value of a secret, or undefined when it is not set. */
  get(name: string): string | undefined;
  /** Names of all secrets, sorted. */
  names(): readonly string[];
  /** The same JSON data with every secret in it replaced, in its raw, JSON, URL and base64 forms. */
  redact<T>(data: T): T;
}
