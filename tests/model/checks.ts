import { expect } from 'vitest';
import { sha256 } from '../../src/adapters/system/sha256.ts';
import type { AuditEntry } from '../../src/engine/audit/entry.ts';
import { verifyAudit } from '../../src/engine/audit/verify.ts';
import { notifiedOn } from '../../src/engine/named.ts';
import { personAddress } from '../../src/engine/people.ts';
import type { ModelRecord } from './record.ts';
import { type Asked, refusals, reminderDueMs } from './rules.ts';
import { type Settings, titles } from './settings.ts';
import type { World } from './world.ts';

/** More than there is of anything. */
const MANY = 10_000;

/** Follows what the bot has written down since it was looked at last. */
export function createFollower(world: World, record: ModelRecord) {
  const seen = new Map<string, number>();
  let auditSeen = 0;
  /** Decisions and answers by question, as the audit has them. */
  const decisions = new Map<string, number>();
  const answers = new Map<string, number>();
  let refused = 0;

  async function followJournals(): Promise<void> {
    for (const { id } of (await world.store.runs({ limit: MANY })).toReversed()) {
      const journal = await world.store.journal(id);
      for (const event of journal.slice(seen.get(id) ?? 0)) record.follow(id, event);
      seen.set(id, journal.length);
    }
  }

  function followEntry(entry: AuditEntry): void {
    switch (entry.type) {
      case 'question.refused': {
        refused += 1;
        const { question, by, action, why } = entry;
        const attempt = record.attempts.find(
          (one) =>
            one.outcome === 'pending' &&
            one.question === question &&
            one.action === action &&
            personAddress(one.player.person) === personAddress(by) &&
            [...one.possible].some(
              (verdict) => verdict !== 'counts' && verdict !== 'unfit' && refusals[verdict].test(why),
            ),
        );
        if (!attempt) {
          const theirs = record.attempts.filter((one) => one.question === question && one.action === action);
          const told = theirs.map(
            ({ player, outcome, possible }) => `${player.name} ${outcome} [${[...possible]}]`,
          );
          throw new Error(
            `${by.name} was refused “${action}” to ${question} without reason: ${why} (${told.join('; ')})`,
          );
        }
        attempt.outcome = 'refused';
        return;
      }
      case 'question.answered':
        answers.set(entry.question, (answers.get(entry.question) ?? 0) + 1);
        if (entry.decided) decisions.set(entry.question, (decisions.get(entry.question) ?? 0) + 1);
        return;
      case 'question.closed':
        decisions.set(entry.question, (decisions.get(entry.question) ?? 0) + 1);
        return;
      default:
    }
  }

  async function followAudit(): Promise<void> {
    const entries = await world.store.audit({ afterN: auditSeen, limit: MANY });
    for (const { entry } of entries) if (entry) followEntry(entry);
    auditSeen += entries.length;
    for (const { asked } of record.runs.values()) {
      for (const { id, state } of asked) {
        expect(decisions.get(id) ?? 0, `ends of ${id} in the audit`).toBe(state === 'open' ? 0 : 1);
        const counted = record.attempts.filter(
          ({ question, outcome }) => question === id && outcome === 'counted',
        );
        expect(answers.get(id) ?? 0, `answers to ${id} in the audit`).toBe(counted.length);
      }
    }
    expect(
      record.attempts.filter(({ outcome }) => outcome === 'refused').length,
      'each refusal is in the audit once',
    ).toBe(refused);
  }

  return {
    async follow(): Promise<void> {
      await followJournals();
      await followAudit();
    },
  };
}

/** What must be so whenever nothing moves: runs and questions are as the model has them, and so are timers. */
export async function checkState(world: World, record: ModelRecord, settings: Settings): Promise<void> {
  const timers = (await world.store.dueTimers(Number.MAX_SAFE_INTEGER, MANY)).map(({ key }) => key);
  const wanted: string[] = [];
  for (const run of record.runs.values()) {
    const stored = await world.store.run(run.id);
    const status = stored?.state.status ?? 'absent';
    const isOpen = ['queued', 'running', 'waiting'].includes(status);
    expect(isOpen ? 'open' : status, `status of run ${run.id}`).toBe(run.status);
    const questions = Object.values(stored?.state.questions ?? {}).map(({ id, step, round, state }) => ({
      id,
      step,
      round,
      state: state.status,
      ...(state.status === 'answered' && { action: state.action }),
    }));
    expect(questions, `questions of run ${run.id}`).toEqual(
      run.asked.map(({ id, step, round, state, action }) => ({
        id,
        step,
        round,
        state,
        ...(state === 'answered' && { action }),
      })),
    );
    for (const asked of run.asked) wanted.push(...timersOf(asked, settings));
  }
  // One timer for each reminder.
  const ofQuestions = timers.flatMap((key) => /^question\/[^/]+\/[a-z]+/.exec(key)?.[0] ?? []);
  expect(ofQuestions.toSorted(), 'timers of questions').toEqual(wanted.toSorted());
  const open = (await world.store.openQuestions(MANY)).map(({ id }) => id);
  const asked = [...record.runs.values()].flatMap((run) => run.asked);
  expect(open.toSorted(), 'open questions').toEqual(
    asked.flatMap(({ id, state }) => (state === 'open' ? [id] : [])).toSorted(),
  );
}

function timersOf(asked: Asked, settings: Settings): readonly string[] {
  const { id, state, isEscalated } = asked;
  if (state !== 'open') return [];
  const { escalateAfterMs, expiresAfterMs } = settings;
  return [
    ...(Number.isFinite(reminderDueMs(settings, asked)) ? [`question/${id}/remind`] : []),
    ...(escalateAfterMs !== undefined && !isEscalated ? [`question/${id}/escalate`] : []),
    ...(expiresAfterMs !== undefined ? [`question/${id}/expire`] : []),
  ];
}

/** What must be so when all platforms work and have had time: everything that people see is true. */
export async function checkShown(
  world: World,
  record: ModelRecord,
  settings: Settings,
  deleted: ReadonlySet<string>,
): Promise<void> {
  const keys = world.posted.map(({ key }) => key);
  expect(keys, 'every message is posted once').toEqual([...new Set(keys)]);
  expect(await world.store.calls(), 'no call is left').toEqual([]);
  expect(await world.store.undelivered(), 'every event is done').toEqual([]);
  const pending = record.attempts.filter(({ outcome }) => outcome === 'pending');
  expect(pending, 'everybody’s answer is dealt with').toEqual([]);
  for (const { asked } of record.runs.values()) {
    for (const one of asked) await checkQuestion(world, settings, one, deleted);
  }
  checkNotified(world, record, settings);
  const verdict = await verifyAudit(
    async (afterN) => ({
      head: await world.store.auditHead(),
      links: await world.store.audit({ limit: 50, ...(afterN !== undefined && { afterN }) }),
    }),
    sha256,
  );
  expect(verdict.kind, 'the audit').toBe('sound');
}

async function checkQuestion(
  world: World,
  settings: Settings,
  asked: Asked,
  deleted: ReadonlySet<string>,
): Promise<void> {
  if (asked.placedAtMs === undefined) {
    expect(await world.store.post(`question/${asked.id}`), 'nothing is asked nowhere').toBeUndefined();
    return;
  }
  const card = await shownAs(world, `question/${asked.id}`, deleted);
  if (card) {
    const labels = asked.state === 'open' ? labelsOf(settings) : [];
    expect(card.buttons, `buttons of the card of ${asked.id}`).toEqual(labels);
    expect(card.text, `card of ${asked.id}`).toContain(titles[asked.step]);
    expect(card.text, `card of ${asked.id}`).toMatch(wordsOf(asked));
  }
  const others = [
    ...Array.from({ length: asked.reminders }, (_, nth) => `question/${asked.id}/reminder/${nth + 1}`),
    ...(asked.isEscalated ? [`question/${asked.id}/escalation`] : []),
  ];
  for (const key of others) {
    const post = await shownAs(world, key, deleted);
    if (!post) continue;
    expect(post.buttons, `buttons of ${key}`).toEqual([]);
    expect(post.text, key).toMatch(asked.state === 'open' ? /Still waiting|may answer, too/ : wordsOf(asked));
  }
  expect(await world.store.post(`question/${asked.id}/reminder/${asked.reminders + 1}`)).toBeUndefined();
}

/** What people see of a post; undefined = a platform or a person does not let it be there. */
async function shownAs(world: World, key: string, deleted: ReadonlySet<string>) {
  const post = await world.store.post(key);
  if (!post) throw new Error(`There is no post ${key}.`);
  if (post.failed !== undefined) return undefined;
  expect(post.shown, `${key} shows the newest`).toBe(post.revision);
  const ref = post.parts.at(-1)?.message;
  if (!ref) throw new Error(`${key} is not there.`);
  const { id, ...place } = ref;
  const message = (await world.side(ref.platform).platform.messages(place)).find((one) => one.ref.id === id);
  if (!message && deleted.has(id)) return undefined;
  if (!message) throw new Error(`The message of ${key} is not on the platform.`);
  return { text: message.text, buttons: message.buttons.map(({ label }) => label) };
}

function labelsOf({ hasLater }: Settings): readonly string[] {
  return ['Approve', ...(hasLater ? ['Later'] : []), 'Reject'];
}

/** How people read where a question is. */
function wordsOf({ state, action, votes }: Asked): RegExp {
  switch (state) {
    case 'open':
      return /Waiting for/;
    case 'answered': {
      const what = { approve: 'Approved', reject: 'Rejected', later: 'Later' }[action ?? ''] ?? '';
      const names = votes.filter((vote) => vote.action === action).map(({ name }) => name);
      return new RegExp(`${what} by ${names.join('.*')}`);
    }
    case 'expired':
      return /Expired/;
    case 'void':
      return /has changed/;
    case 'superseded':
      return /Not needed any more/;
  }
}

/** Nobody is notified but those named: by cards and reminders the approvers, by an escalation those it goes to. */
function checkNotified(world: World, record: ModelRecord, settings: Settings): void {
  const { approvers, escalateTo } = settings;
  const named = [...(approvers?.users ?? []), ...(approvers?.roles ?? []).map((role) => `@${role}`)];
  for (const { key, message, notify } of world.posted) {
    const id = /^question\/([^/#]+)/.exec(key)?.[1];
    const asked = id === undefined ? undefined : record.find(id);
    const others = asked?.isEscalated && escalateTo !== undefined ? [escalateTo] : [];
    const allowed = asked ? [...named, ...others] : [...record.runs.values()].map(starterOf);
    const known = notifiedOn(message.platform, allowed);
    expect(
      notify.filter((one) => !known.includes(one)),
      `notified by ${key}`,
    ).toEqual([]);
  }
}

function starterOf({
  starter,
}: {
  readonly starter: { readonly person: Parameters<typeof personAddress>[0] };
}) {
  return personAddress(starter.person);
}
