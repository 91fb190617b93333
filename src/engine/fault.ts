/** One thing wrong (or doubtful) in a flow, with the place of it. The loader turns `path` into line and column. */
export interface Fault {
  /** An `error` keeps the flow from loading; a `warning` does not. */
  readonly severity: 'error' | 'warning';
  /** Stable name of the rule that was broken, in kebab case, for tests and tools. */
  readonly rule: string;
  /** Keys and list positions from the top of the flow to the place. */
  readonly path: readonly (string | number)[];
  /** What is wrong: one sentence, with the value in question. */
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
}

/** A fault that keeps a flow from loading. */
export function errorAt(rule: string, path: Fault['path'], message: string, fix: string): Fault {
  return { severity: 'error', rule, path, message, fix };
}
