/** How a request fails. */
export type RequestFault =
  /** Refused and not done. */
  | { readonly kind: 'error'; readonly status: number; readonly code: number; readonly message: string }
  /** Too many requests, not done; without `retryAfterS` there is no `Retry-After`. */
  | { readonly kind: '429'; readonly retryAfterS?: number; readonly isGlobal?: true }
  /** An HTTP status with a page; not done unless `isDone`. */
  | { readonly kind: 'status'; readonly status: number; readonly isDone?: true }
  /** The connection breaks before it is done. */
  | { readonly kind: 'reset' }
  /** Done, then the connection breaks. */
  | { readonly kind: 'lost' }
  /** Never answered; not done unless `isDone`. */
  | { readonly kind: 'hang'; readonly isDone?: true }
  /** Done, but answered only when `release` resolves. */
  | { readonly kind: 'late'; readonly release: Promise<void> };

/** The faults that are still to come. */
export interface Faults {
  /** The next `times` requests whose route is wanted fail so. */
  add(wanted: (route: string) => boolean, fault: RequestFault, times: number): void;
  /** The fault of this request, which is used up by that. */
  take(route: string): RequestFault | undefined;
}

/** Makes the list. */
export function createFaults(): Faults {
  const coming: {
    readonly wanted: (route: string) => boolean;
    readonly fault: RequestFault;
    times: number;
  }[] = [];
  return {
    add(wanted, fault, times) {
      coming.push({ wanted, fault, times });
    },
    take(route) {
      const index = coming.findIndex(({ wanted }) => wanted(route));
      const found = coming[index];
      if (found === undefined) return undefined;
      found.times -= 1;
      if (found.times <= 0) coming.splice(index, 1);
      return found.fault;
    },
  };
}
