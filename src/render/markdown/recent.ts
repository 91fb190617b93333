/** How many results are kept, and how many UTF-16 units they and their keys may take together. */
const ENTRIES_MAX = 100;
const SIZE_MAX = 1_000_000;

/** The latest results of a slow function from texts to texts. The ones used longest ago go first. */
export class Recent {
  readonly #results = new Map<string, string>();
  #size = 0;

  /** The result for a key: the kept one, else what `make` returns. */
  get(key: string, make: () => string): string {
    const kept = this.#results.get(key);
    const result = kept ?? make();
    if (kept !== undefined) this.#drop(key, kept);
    this.#results.set(key, result);
    this.#size += key.length + result.length;
    for (const [oldest, old] of this.#results) {
      if (this.#results.size <= ENTRIES_MAX && this.#size <= SIZE_MAX) break;
      this.#drop(oldest, old);
    }
    return result;
  }

  #drop(key: string, result: string): void {
    this.#results.delete(key);
    this.#size -= key.length + result.length;
  }
}
