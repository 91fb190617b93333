import type Database from 'better-sqlite3';
import { isBusy } from './errors.ts';

/** How often a transaction is tried while another program writes. Each try waits for the connection's `timeout`. */
const TRIES = 50;

/** Something to be written inside a transaction. The result is to be announced only after COMMIT. */
interface Write {
  /** Writes, and returns what tells the caller. */
  attempt(): () => void;
  reject(error: unknown): void;
}

/**
 * Group commit: everything asked for in one turn of the event loop goes into one transaction, because its price is
 * the flush to the disk. Each write still succeeds or fails by itself.
 */
export class WriteQueue {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #rollback: Database.Statement<[]>;
  #waiting: Write[] = [];
  #tries = 0;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    this.#rollback = db.prepare('rollback');
  }

  /** Calls `work` inside a transaction; resolves with its result when that is on the disk. `work` may be called twice. */
  add<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        const result = work();
        return () => resolve(result);
      };
      this.#waiting.push({ attempt, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** Resolves when everything asked for so far has been stored or refused. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #flush(): void {
    try {
      this.#begin.run();
    } catch (error) {
      this.#waitOrRefuse(error);
      return;
    }
    const writes = this.#take();
    try {
      this.#store(writes);
    } catch {
      // Rare, so it may cost more: savepoints would make every good write pay for the few bad ones.
      for (const write of writes) this.#storeAlone(write);
    }
  }

  /** Ends the transaction that has begun. Throws, and stores nothing, when one of the writes can't be written. */
  #store(writes: readonly Write[]): void {
    let announcements: readonly (() => void)[];
    try {
      announcements = writes.map((write) => write.attempt());
    } catch (error) {
      this.#undo();
      throw error;
    }
    try {
      this.#commit.run();
    } catch (error) {
      this.#undo();
      for (const write of writes) write.reject(error);
      return;
    }
    for (const announce of announcements) announce();
  }

  #storeAlone(write: Write): void {
    try {
      this.#begin.run();
      this.#store([write]);
    } catch (error) {
      write.reject(error);
    }
  }

  /** The transaction could not begin. */
  #waitOrRefuse(error: unknown): void {
    this.#tries += 1;
    if (isBusy(error) && this.#tries < TRIES) {
      // Trying again in another turn, instead of one long wait, lets the process answer people meanwhile.
      setImmediate(() => this.#flush());
      return;
    }
    const reason = isBusy(error) ? this.#lockedOut(error) : error;
    for (const write of this.#take()) write.reject(reason);
  }

  #take(): readonly Write[] {
    const writes = this.#waiting;
    this.#waiting = [];
    this.#tries = 0;
    return writes;
  }

  /** SQLite has already rolled back by itself after some failures, as when the disk is full. */
  #undo(): void {
    if (this.#db.inTransaction) this.#rollback.run();
  }

  #lockedOut(cause: unknown): Error {
    return new Error(
      `${this.#db.name} stayed locked by another program, so nothing was stored. ` +
        'Close the program that writes to this file, then try again.',
      { cause },
    );
  }
}
