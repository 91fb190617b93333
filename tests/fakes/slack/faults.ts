/** How a call of the Web API fails. */
export type MethodFault =
  /** Answered with `ok: false` and not done. */
  | { readonly kind: 'error'; readonly code: string; readonly messages?: readonly string[] }
  /** Too many requests; without `retryAfterS` there is no `Retry-After`. */
  | { readonly kind: '429'; readonly retryAfterS?: number }
  /** An HTTP status; not done unless `isDone`. */
  | { readonly kind: 'status'; readonly status: number; readonly isDone?: true }
  /** The connection breaks before it is done. */
  | { readonly kind: 'reset' }
  /** Done, then the connection breaks. */
  | { readonly kind: 'lost' }
  /** Done, but the body of the answer is cut off. */
  | { readonly kind: 'cut' }
  /** Not done, answered with a page. */
  | { readonly kind: 'html' }
  /** Done after so many real milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number };

/** The faults that are still to come. */
export interface Faults {
  /** The next `times` calls of one of the methods fail so. */
  add(methods: readonly string[], fault: MethodFault, times: number): void;
  /** The fault of this call, which is used up by that. */
  take(method: string): MethodFault | undefined;
}

/** Makes the list. */
export function createFaults(): Faults {
  const coming: { readonly methods: readonly string[]; readonly fault: MethodFault; times: number }[] = [];
  return {
    add(methods, fault, times) {
      coming.push({ methods, fault, times });
    },
    take(method) {
      const index = coming.findIndex(({ methods }) => methods.includes(method));
      const found = coming[index];
      if (found === undefined) return undefined;
      found.times -= 1;
      if (found.times <= 0) coming.splice(index, 1);
      return found.fault;
    },
  };
}
