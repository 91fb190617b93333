import type { Person, Place } from '../../engine/people.ts';
import type { RunStatus } from '../../engine/run/state.ts';
import type { RunRow } from '../../ports/store.ts';

/** The columns of `runs` that make a `RunRow`. */
export const runColumns =
  'id, flow, version, status, started_at as startedAtMs, updated_at as updatedAtMs, ' +
  'starter, starter_name as starterName, home, home_thread as homeThread, root, parent';

/** A row of `runColumns`. */
export interface RunColumns {
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly starter: string | null;
  readonly starterName: string | null;
  readonly home: string | null;
  readonly homeThread: string | null;
  readonly root: string | null;
  readonly parent: string | null;
}

export function toRunRow(columns: RunColumns): RunRow {
  const { starter, starterName, home, homeThread, root, parent, ...row } = columns;
  return {
    ...row,
    ...(starter === null || starterName === null ? {} : { startedBy: toPerson(starter, starterName) }),
    ...(home === null ? {} : { home: toPlace(home, homeThread) }),
    ...(root === null || parent === null ? {} : { parent: { run: parent, root } }),
  };
}

/** Two ids as one column, `slack:C1`. Names of platforms have no colon. */
export function address(platform: string, id: string): string {
  return `${platform}:${id}`;
}

/** JSON text as we wrote it ourselves. */
export function parse<T>(json: string): T {
  return JSON.parse(json);
}

function toPerson(starter: string, name: string): Person {
  const [platform, id] = split(starter);
  return { platform, id, name: parse<string>(name) };
}

function toPlace(home: string, thread: string | null): Place {
  const [platform, conversation] = split(home);
  return { platform, conversation, ...(thread === null ? {} : { thread }) };
}

function split(address: string): [platform: string, id: string] {
  const colon = address.indexOf(':');
  return [address.slice(0, colon), address.slice(colon + 1)];
}
