export { acquireLock, type Holder, type Lock, LockHeldError } from './lock.ts';
export { openSqliteStore, type SqliteOptions } from './open.ts';
