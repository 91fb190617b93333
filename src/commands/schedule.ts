import { beginning, literal, md, type Prose, type ProsePiece } from '../engine/prose.ts';
import { timesAfter } from '../engine/schedule/times.ts';
import { momentIn, scheduleInWords, untilInWords } from '../engine/schedule/words.ts';
import type { Completion } from '../ports/chat.ts';
import type { LiveSchedule } from '../runner/schedules.ts';
import { type Bot, type Caller, deliveryOf, say } from './bot.ts';
import { type Command, type Reply, refuse } from './command.ts';
import { after, matching, wholeWord, wordCompletion } from './completing.ts';
import { mayNotStart, pausedInWords } from './may-start.ts';
import { REASON_MAX_CHARS } from './pause.ts';
import { rememberSwitch } from './remember.ts';
import { startedReply } from './run-actions.ts';
import { startScheduled } from './start-flow.ts';
import { firstWord, shown } from './typed.ts';

const ACTIONS = ['list', 'show', 'pause', 'resume', 'run'] as const;
type Action = (typeof ACTIONS)[number];

/** Most schedules of a list. */
const LISTED_MAX = 25;
/** Times to come that are shown of a schedule. */
const TIMES_SHOWN = 5;
const RUNS_SHOWN = 5;

/** `/flow schedule list | show | pause | resume | run <schedule>` */
export const schedule: Command = {
  name: 'schedule',
  options: [
    {
      name: 'action',
      summary: `One of ${ACTIONS.join(', ')}; left out, they are listed.`,
      required: false,
      completes: true,
    },
    { name: 'schedule', summary: 'The schedule: the id of its flow.', required: false, completes: true },
  ],
  summary: 'Lists schedules, shows what comes next, pauses and resumes them, or starts one now.',
  async run(bot, caller, typed) {
    const { word, rest } = firstWord(typed);
    const action = ACTIONS.find((one) => one === (word === '' ? 'list' : word));
    if (!action) return refuse(`“${shown(word)}” is none of ${ACTIONS.join(', ')}.`);
    if (action === 'list') return listAll(bot);
    const { word: id, rest: why } = firstWord(rest);
    if (id === '') return refuse(`Say which schedule. ${bot.settings.command} schedule list shows them.`);
    const found = bot.schedules.all.find(({ trigger }) => trigger.id.toLowerCase() === id);
    if (!found) {
      // A pause of everything leaves none in force.
      if (bot.catalog.paused) return refuse(pausedInWords(bot.catalog.paused));
      const off = bot.catalog.flows.find(({ plan }) =>
        plan.triggers.some((trigger) => trigger.type === 'schedule' && trigger.id.toLowerCase() === id),
      );
      if (off) return refuse(`${off.plan.name} is switched off.`);
      return refuse(`There is no schedule ${shown(id)}. ${bot.settings.command} schedule list shows them.`);
    }
    if (action === 'show') return show(bot, found);
    const kept = await mayNotStart(bot, found.flow, caller);
    if (kept !== undefined) return refuse(kept);
    return act(bot, caller, action, found, why);
  },
  async complete(bot, _caller, typed) {
    const named = wholeWord(typed);
    if (!named) return matching(typed, ACTIONS.map(wordCompletion));
    return after(named.before, matching(named.rest, bot.schedules.all.map(completionOf)));
  },
};

function completionOf({ trigger, flow }: LiveSchedule): Completion {
  return { typed: trigger.id, shown: `${trigger.id}: ${flow.plan.name}, ${scheduleInWords(trigger)}` };
}

function listAll(bot: Bot): Reply {
  const { all } = bot.schedules;
  const lines = all
    .slice(0, LISTED_MAX)
    .flatMap((one): ProsePiece[] => [
      md('- `'),
      literal(one.trigger.id),
      md('`: '),
      literal(`${one.flow.plan.name}, ${scheduleInWords(one.trigger)}. ${next(bot, one)}`),
      md('\n'),
    ]);
  const rest = all.length > LISTED_MAX ? [md(`- … and ${all.length - LISTED_MAX} more\n`)] : [];
  const { paused } = bot.catalog;
  const empty = paused ? pausedInWords(paused) : 'There are no schedules.';
  return {
    ok: true,
    content: say(...(lines.length === 0 ? [literal(empty)] : [...lines, ...rest])),
    data: all.map(dataOf),
  };
}

function next({ clock }: Bot, { paused, nextMs, trigger }: LiveSchedule): string {
  if (paused)
    return `Paused${paused.by ? ` by ${paused.by.name}` : ''}${paused.why === '' ? '' : `: ${paused.why}`}.`;
  if (nextMs === undefined) return 'It does not come again.';
  return `Next: ${momentIn(trigger.timezone, nextMs)}, ${untilInWords(nextMs - clock.now())}.`;
}

async function show(bot: Bot, one: LiveSchedule): Promise<Reply> {
  const { trigger, flow } = one;
  const times = comingTimes(bot, one);
  const runs = await bot.store.runs({ schedule: trigger.id, limit: RUNS_SHOWN });
  const prose: Prose = [
    md('**'),
    literal(flow.plan.name),
    md('**: '),
    literal(scheduleInWords(trigger)),
    md('\n\n'),
    literal(one.paused || times.length === 0 ? next(bot, one) : 'Next:'),
    md('\n\n'),
    ...times.flatMap((ms): ProsePiece[] => [
      md('- '),
      literal(
        `${momentIn(trigger.timezone, ms)}, ${untilInWords(ms - bot.clock.now())} (${new Date(ms).toISOString()})`,
      ),
      md('\n'),
    ]),
    ...(runs.length === 0 ? [] : [md('\nLast runs:\n\n')]),
    ...runs.flatMap(({ id, status, startedAtMs }): ProsePiece[] => [
      md(`- \`${id}\` `),
      literal(`${status}, started ${momentIn(trigger.timezone, startedAtMs)}`),
      md('\n'),
    ]),
  ];
  return {
    ok: true,
    content: say(...prose),
    data: {
      ...dataOf(one),
      next: times.map((ms) => new Date(ms).toISOString()),
      runs: runs.map(({ id, status }) => ({ id, status })),
    },
  };
}

/** The next times at which it starts something. */
export function comingTimes({ clock }: Bot, { trigger: { times }, paused }: LiveSchedule): readonly number[] {
  if (paused) return [];
  const coming: number[] = [];
  for (const dueMs of timesAfter(times.rule, clock.now() - times.shiftMs)) {
    coming.push(dueMs + times.shiftMs);
    if (coming.length === TIMES_SHOWN) break;
  }
  return coming;
}

function dataOf({ trigger, flow, paused, nextMs }: LiveSchedule) {
  return {
    id: trigger.id,
    flow: flow.id,
    when: scheduleInWords(trigger),
    paused: paused !== undefined,
    nextAt: nextMs === undefined || paused ? null : new Date(nextMs).toISOString(),
  };
}

async function act(
  bot: Bot,
  caller: Caller,
  action: Exclude<Action, 'list' | 'show'>,
  { flow, trigger, paused }: LiveSchedule,
  why: string,
): Promise<Reply> {
  const { id } = trigger;
  switch (action) {
    case 'pause': {
      if (paused) return refuse(`${id} is paused already.`);
      const reason = beginning(why, REASON_MAX_CHARS);
      await rememberSwitch(bot, caller, { kind: 'schedule', schedule: id }, false, reason);
      await bot.schedules.pause(id, { atMs: bot.clock.now(), why: reason, by: caller.person });
      return done(id, ' is paused: its times are skipped until it is resumed.');
    }
    case 'resume': {
      if (!paused) return refuse(`${id} is not paused.`);
      await rememberSwitch(bot, caller, { kind: 'schedule', schedule: id }, true);
      await bot.schedules.resume(id);
      const resumed = bot.schedules.all.find((one) => one.trigger.id === id);
      return done(id, ` goes on. ${resumed ? next(bot, resumed) : ''}`);
    }
    case 'run': {
      const startKey = `schedule:${id}:${deliveryOf(caller)}`;
      const result = await startScheduled(bot, flow, trigger, {
        dueAtMs: bot.clock.now(),
        startKey,
        person: caller.person,
      });
      if (result.kind === 'refused') return refuse(result.why);
      return startedReply(result);
    }
  }
}

function done(id: string, what: string): Reply {
  return { ok: true, content: say(md('`'), literal(id), md('`'), literal(what)), data: { schedule: id } };
}
