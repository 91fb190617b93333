import { SlackError } from './errors.ts';
import { isWire, type Wire } from './wire.ts';
import type { Channel, Workspace } from './workspace.ts';

/** A method of the Web API. */
export interface Method {
  /** Which token it takes; default: the bot's. */
  readonly token?: 'app' | 'config' | 'bot or app';
  /** Scopes that are all needed. */
  readonly scopes?: readonly string[];
  /** Names of its arguments; `token` and `team_id` are always allowed. */
  readonly args: readonly string[];
  readonly required?: readonly string[];
  /** Does it; throws `SlackError` when it is refused. */
  run(args: Args, workspace: Workspace, caller: Caller): Wire;
}

/** Who calls. */
export interface Caller {
  readonly token: 'bot' | 'app' | 'config';
  /** Gives an address for a new Socket Mode connection. */
  readonly openConnection: () => string;
}

/** The arguments of a call, which come as text (forms) or as they are (JSON). */
export interface Args {
  /** Undefined when it is absent or empty. */
  text(name: string): string | undefined;
  /** A required text. */
  need(name: string): string;
  flag(name: string): boolean;
  /** A whole number from 1 to `max`. Throws `invalid_limit` otherwise. */
  count(name: string, fallback: number, max: number): number;
  /** The value of JSON text. Throws `invalid_arguments` when it can't be read. */
  json(name: string): unknown;
  has(name: string): boolean;
}

/** Makes the arguments of a call, when they are those of the method. Throws `invalid_arguments`. */
export function readArgs(method: Method, given: Wire): Args {
  const allowed = [...method.args, 'token', 'team_id'];
  const text = (name: string) => {
    const value = given[name];
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const faults = [
    ...Object.keys(given)
      .filter((name) => !allowed.includes(name))
      .map((name) => `[ERROR] unexpected argument: ${name}`),
    ...(method.required ?? [])
      .filter((name) => text(name) === undefined)
      .map((name) => `[ERROR] missing required field: ${name}`),
  ];
  if (faults.length > 0) throw new SlackError('invalid_arguments', faults);
  return {
    text,
    need: (name) => text(name) ?? '',
    flag: (name) => ['true', '1'].includes(text(name) ?? ''),
    count(name, fallback, max) {
      const value = Number(text(name) ?? fallback);
      if (!Number.isInteger(value) || value < 1 || value > max) throw new SlackError('invalid_limit');
      return value;
    },
    json(name) {
      const value = given[name];
      if (typeof value !== 'string') return value ?? undefined;
      if (value === '') return undefined;
      try {
        return JSON.parse(value);
      } catch {
        throw new SlackError('invalid_arguments', [`[ERROR] ${name} is not valid JSON`]);
      }
    },
    has: (name) => text(name) !== undefined,
  };
}

/** Throws `missing_scope` when the bot's token lacks one. */
export function needScopes({ scopes }: Workspace, ...needed: readonly string[]): void {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) {
    throw new SlackError('missing_scope', [], { needed: missing.join(','), provided: scopes.join(',') });
  }
}

const scopeNames = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' } as const;

/** The scope that reading a conversation takes. */
export function scopeFor(kind: Channel['kind'], what: 'read' | 'history'): string {
  return `${scopeNames[kind]}:${what}`;
}

/** A conversation by id that the bot can see. Throws `channel_not_found`. */
export function visibleChannel({ channels, botUserId }: Workspace, id: string): Channel {
  const channel = channels.get(id);
  if (channel === undefined || (channel.kind !== 'channel' && !channel.members.has(botUserId))) {
    throw new SlackError('channel_not_found');
  }
  return channel;
}

/**
 * One page of a list, with the cursor of the next. `keep` filters after the page was cut, as Slack does: so pages may
 * be short, or empty although there are more. Throws `invalid_cursor`.
 */
export function pageOf<T>(
  { pageSizes }: Workspace,
  items: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  keep: (item: T) => boolean = () => true,
): { readonly items: readonly T[]; readonly next: string } {
  const { at, page } = cursor === undefined ? { at: 0, page: 0 } : readCursor(cursor);
  const size = Math.min(pageSizes[page] ?? limit, limit);
  const end = at + size;
  const next =
    end < items.length ? Buffer.from(JSON.stringify({ at: end, page: page + 1 })).toString('base64') : '';
  return { items: items.slice(at, end).filter(keep), next };
}

function readCursor(cursor: string): { readonly at: number; readonly page: number } {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64').toString());
    if (isWire(read) && typeof read.at === 'number' && typeof read.page === 'number') {
      return { at: read.at, page: read.page };
    }
  } catch {
    // Refused below.
  }
  throw new SlackError('invalid_cursor');
}

/** `limit` and `cursor` of a call. */
export function pageAsked(args: Args): { readonly limit: number; readonly cursor: string | undefined } {
  return { limit: args.count('limit', 100, 999), cursor: args.text('cursor') };
}
