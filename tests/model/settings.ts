import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/engine/json.ts';

/** How questions of a flow stand to each other. */
export type Shape =
  | 'plain' // one question
  | 'rounds' // a rejection sends the draft back, twice at most
  | 'twin' // two questions at the same time
  | 'talk'; // two, and the first shows what was said with the second

/** What a flow asks, and how. */
export interface Settings {
  readonly shape: Shape;
  /** Addresses of people and names of roles; undefined = the conversation. */
  readonly approvers: { readonly users: readonly string[]; readonly roles: readonly string[] } | undefined;
  readonly quorum: number | 'all' | 'each';
  /** Offers `later` beside approve and reject. */
  readonly hasLater: boolean;
  /** An approval needs a comment. */
  readonly needsComment: boolean;
  readonly hasForm: boolean;
  readonly allowRequester: boolean | undefined;
  readonly allowGuests: boolean;
  readonly remindAfterMs: number | undefined;
  /** Address of whom it goes to. */
  readonly escalateTo: string | undefined;
  /** Undefined = only when too few are left. */
  readonly escalateAfterMs: number | undefined;
  readonly expiresAfterMs: number | undefined;
  /** Approved when nobody decides. */
  readonly isApprovedThen: boolean;
  /** A conversation of its own: as a flow names it, and its address. */
  readonly to: { readonly written: string; readonly address: string } | undefined;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Rounds that a rejection begins, at most. */
export const roundsMax = 2;

/** Whom flows can name. */
export interface Nameable {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly escalateTo: string;
  readonly to: { readonly written: string; readonly address: string };
}

/** Any settings that a flow file may have. */
export function arbitrarySettings({ users, roles, escalateTo, to }: Nameable): fc.Arbitrary<Settings> {
  const named = fc.record({ users: fc.subarray([...users]), roles: fc.subarray([...roles]) });
  return fc
    .record({
      shape: fc.constantFrom<Shape>('plain', 'rounds', 'twin', 'talk'),
      approvers: fc.option(named, { nil: undefined, freq: 4 }),
      quorum: fc.constantFrom<Settings['quorum']>(1, 1, 2, 'all', 'each'),
      hasLater: fc.boolean(),
      needsComment: fc.boolean(),
      hasForm: fc.boolean(),
      allowRequester: fc.option(fc.boolean(), { nil: undefined }),
      allowGuests: fc.boolean(),
      remindAfterMs: fc.option(fc.constant(hourMs), { nil: undefined }),
      escalateTo: fc.option(fc.constant(escalateTo), { nil: undefined }),
      escalateAfterMs: fc.option(fc.constant(2 * hourMs), { nil: undefined }),
      expiresAfterMs: fc.option(fc.constantFrom(5 * hourMs, 30 * hourMs), { nil: undefined }),
      isApprovedThen: fc.boolean(),
      to: fc.option(fc.constant(to), { nil: undefined, freq: 3 }),
    })
    .map(sound);
}

/** The nearest settings that a flow file may have. */
function sound(settings: Settings): Settings {
  const { approvers: given, escalateTo, expiresAfterMs, escalateAfterMs } = settings;
  const approvers = given && given.users.length + given.roles.length > 0 ? given : undefined;
  const most = approvers && approvers.roles.length === 0 ? approvers.users.length : 2;
  return {
    ...settings,
    approvers,
    quorum: soundQuorum(settings.quorum, approvers, most),
    escalateTo: approvers || escalateAfterMs !== undefined ? escalateTo : undefined,
    escalateAfterMs: escalateTo === undefined ? undefined : escalateAfterMs,
    isApprovedThen: settings.isApprovedThen && expiresAfterMs !== undefined,
  };
}

function soundQuorum(
  quorum: Settings['quorum'],
  approvers: Settings['approvers'],
  most: number,
): Settings['quorum'] {
  if (typeof quorum === 'number') return Math.min(quorum, most);
  if (!approvers) return 1;
  return quorum === 'all' && approvers.roles.length > 0 ? 'each' : quorum;
}

/** What people are asked, by the id of the step. */
export const titles: Readonly<Record<string, string>> = { ask: 'May it go out?', other: 'Is it legal?' };

/** The flow file. People start it by `!ask`. */
export function flowOf(settings: Settings): string {
  return JSON.stringify({
    name: 'Ask',
    triggers: [{ type: 'command', command: 'ask' }, { type: 'manual' }],
    ...shapeOf(settings),
  });
}

function shapeOf(settings: Settings): JsonObject {
  const { shape, hasLater } = settings;
  const draft = { type: 'template', text: 'A draft' };
  const put = { type: 'template', text: 'Put off' };
  const wired = (step: string) => (hasLater ? [`${step}.later -> put`] : []);
  const begin: Readonly<Record<string, Json>> = { draft, ...(hasLater && { put }) };
  switch (shape) {
    case 'plain':
      return {
        steps: { ...begin, ask: approval('ask', settings, ['draft']) },
        edges: ['draft -> ask', ...wired('ask')],
      };
    case 'rounds':
      return {
        steps: { ...begin, ask: approval('ask', settings, ['draft']) },
        edges: [
          'draft -> ask',
          { from: 'ask.rejected', to: 'draft', sendBack: true, maxRounds: roundsMax },
          ...wired('ask'),
        ],
      };
    case 'twin':
      return {
        steps: {
          ...begin,
          ask: approval('ask', settings, ['draft']),
          other: approval('other', settings, []),
        },
        edges: ['draft -> ask', 'draft -> other', ...wired('ask'), ...wired('other')],
      };
    case 'talk':
      return {
        steps: {
          ...begin,
          ask: { ...approval('ask', settings, []), notes: 'Legal says: {{other.json.feedback}}' },
          other: approval('other', settings, ['draft']),
        },
        edges: [
          'draft -> ask',
          'draft -> other',
          { from: 'other.rejected', to: 'draft', sendBack: true, maxRounds: roundsMax },
          ...wired('ask'),
          ...wired('other'),
        ],
      };
  }
}

function approval(step: string, settings: Settings, show: readonly string[]): JsonObject {
  const { approvers, hasLater, hasForm, allowRequester, allowGuests, escalateTo, to } = settings;
  const { remindAfterMs, escalateAfterMs, expiresAfterMs, isApprovedThen } = settings;
  return {
    type: 'approval',
    title: titles[step] ?? step,
    show: [...show],
    actions: [
      { id: 'approve', ...(settings.needsComment && { comment: 'required' }) },
      ...(hasLater ? [{ id: 'later' }] : []),
      { id: 'reject' },
    ],
    quorum: settings.quorum,
    ...(approvers && { approvers: { users: [...approvers.users], roles: [...approvers.roles] } }),
    ...(hasForm && { form: amountForm }),
    ...(allowRequester !== undefined && { allowRequester }),
    ...(allowGuests && { allowGuests }),
    remindAfter: remindAfterMs === undefined ? null : duration(remindAfterMs),
    ...(escalateTo !== undefined && { escalateTo: { users: [escalateTo] } }),
    ...(escalateAfterMs !== undefined && { escalateAfter: duration(escalateAfterMs) }),
    ...(expiresAfterMs !== undefined && { expiresAfter: duration(expiresAfterMs) }),
    ...(isApprovedThen && {
      onExpire: { exit: 'approved', ...(hasForm && { values: { amount: 1 } }) },
    }),
    ...(to && { to: to.written }),
  };
}

const amountForm: JsonObject = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 1 } },
  required: ['amount'],
};

function duration(ms: number): string {
  return `${ms / minuteMs}m`;
}
