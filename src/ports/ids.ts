/** Makes ids that nobody can guess. */
export interface Ids {
  /** A short id, 10 characters of `0-9a-z` without look-alikes. */
  next(): string;
}
