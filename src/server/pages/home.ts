import type { Bot } from '../../commands/bot.ts';
import { pausedInWords } from '../../commands/may-start.ts';
import { comingTimes } from '../../commands/schedule.ts';
import { OPEN_STATUSES } from '../../engine/run/state.ts';
import { scheduleInWords } from '../../engine/schedule/words.ts';
import { seenRuns } from '../api/runs.ts';
import { type Html, html } from './html.ts';
import { type Page, page, show } from './page.ts';
import { alert, moment, pathOf, section, table, to } from './parts.ts';
import { runTable } from './runs.ts';

/** Lines of each part. */
const LINES = 10;

const home = page({
  method: 'GET',
  path: '/',
  access: 'viewer',
  async run({ bot, sight }) {
    // Those that name the visitor first; those that ask everybody of a conversation are theirs, too.
    const questions = (await sight.questions())
      .filter(({ isTheirs, approvers }) => isTheirs || approvers === undefined)
      .toSorted((one, other) => Number(other.isTheirs) - Number(one.isTheirs));
    const { paused } = bot.catalog;
    const open = await seenRuns(bot, sight, LINES, { statuses: OPEN_STATUSES });
    const lost = await seenRuns(bot, sight, LINES, { statuses: ['failed', 'rejected'] });
    const more = (next: string | null, path: string) =>
      next !== null && html`<p>${to(path, 'All of them')}</p>`;
    const waiting = table(
      'Questions that wait for you',
      ['Question', 'Asks', 'Flow', 'Run', 'Since'],
      questions
        .slice(0, LINES)
        .map(({ id, title, flow, run, openedAtMs, isTheirs }) => [
          to(pathOf('questions', id), title),
          isTheirs ? 'you' : 'everybody there',
          bot.catalog.flow(flow)?.plan.name ?? flow,
          to(pathOf('runs', run), html`<code>${run}</code>`),
          moment(openedAtMs),
        ]),
      'Nothing waits for your answer.',
    );
    return show({
      title: 'Home',
      live: 'any',
      main: html`<h1>What is going on</h1>
${alert(paused && pausedInWords(paused))}
${section('Waits for you', html`${waiting}${questions.length > LINES && html`<p>${to('/questions', `All ${questions.length}`)}</p>`}`)}
${section('Under way', html`${runTable(bot, open.rows, nothingYet(bot))}${more(open.next, '/runs?status=open')}`)}
${section('Failed lately', html`${runTable(bot, lost.rows, 'Nothing has failed.')}${more(lost.next, '/runs?status=failed,rejected')}`)}
${section('Comes next', coming(bot))}`,
    });
  },
});

function nothingYet({ chats, settings }: Bot): string {
  return chats.has('playground')
    ? `Nothing is under way. In the playground, write a command of a flow, or ${settings.command} help.`
    : `Nothing is under way. In the chat, write a command of a flow, or ${settings.command} help.`;
}

/** The times at which schedules start runs next. */
function coming(bot: Bot): Html {
  const next = bot.schedules.all
    .flatMap((one) => comingTimes(bot, one).map((atMs) => ({ atMs, one })))
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(0, LINES);
  return table(
    'Next times of schedules',
    ['When', 'Flow', 'Schedule'],
    next.map(({ atMs, one }) => [
      moment(atMs),
      to(pathOf('flows', one.flow.id), one.flow.plan.name),
      scheduleInWords(one.trigger),
    ]),
    'No schedule is in force.',
  );
}

export const homePages: readonly Page[] = [home];
