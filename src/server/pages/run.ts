import { z } from 'zod';
import { mayControl, readsFiles } from '../../commands/bot.ts';
import { whatHappened } from '../../commands/journal-words.ts';
import { cancelRun } from '../../commands/run-actions.ts';
import { usageWords } from '../../engine/agents/usage-words.ts';
import type { Plan } from '../../engine/flow/plan.ts';
import { own } from '../../engine/run/record.ts';
import { usageOf } from '../../engine/run/spending.ts';
import { isFinal, type RunState } from '../../engine/run/state.ts';
import type { StoredRun } from '../../ports/store.ts';
import { look, refusedBy } from '../api/runs.ts';
import { type Content, type Html, html } from './html.ts';
import {
  type AnyVisit,
  edgeSchema,
  goTo,
  type Outcome,
  type Page,
  page,
  show,
  type Visit,
  wrong,
} from './page.ts';
import {
  alert,
  details,
  facts,
  form,
  jsonText,
  longText,
  moment,
  pathOf,
  personName,
  section,
  statusBadge,
  table,
  to,
} from './parts.ts';
import { runPicture, runPicturePart } from './picture.ts';
import { questionCard } from './question.ts';
import { edgeDetail } from './run-edge.ts';
import { stepDetail } from './run-step.ts';
import { runTable } from './runs.ts';

const params = z.object({ run: z.string() });

const runPage = page({
  method: 'GET',
  path: '/runs/{run}',
  access: 'viewer',
  params,
  query: z.object({
    step: z.string().optional(),
    edge: edgeSchema,
    chat: z.string().optional(),
  }),
  run: (visit) => showRun(visit),
});

const cancelPage = page({
  method: 'POST',
  path: '/runs/{run}/cancel',
  access: 'runner',
  params,
  async run(visit) {
    const { bot, sight, params } = visit;
    const found = await look(visit, params.run);
    if (!found.ok) return wrong(found.problem);
    const caller = await sight.callerAt(found.value.stored.row.home);
    const reply = await cancelRun(bot, caller, params.run);
    return reply.ok ? goTo(pathOf('runs', params.run)) : wrong(refusedBy(reply).problem);
  },
});

const picturePart = page({
  method: 'GET',
  path: '/runs/{run}/picture',
  access: 'viewer',
  params,
  async run(visit) {
    const found = await look(visit, visit.params.run);
    if (!found.ok) return wrong(found.problem);
    const { plan, stored } = found.value;
    return { kind: 'part', content: await runPicturePart(visit.bot, plan, stored.state) };
  },
});

/** Events of a journal on one page. */
const JOURNAL_MAX = 200;

const journalPage = page({
  method: 'GET',
  path: '/runs/{run}/journal',
  access: 'viewer',
  params,
  query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
  async run(visit) {
    const found = await look(visit, visit.params.run);
    if (!found.ok) return wrong(found.problem);
    const { row } = found.value.stored;
    const { after } = visit.query;
    const events = await visit.bot.store.journal(row.id, after);
    const shown = events.slice(0, JOURNAL_MAX);
    const rows = shown.map((event, index) => [
      after + index + 1,
      moment(event.atMs),
      whatHappened(event),
      details('All of it', jsonText(JSON.parse(JSON.stringify(event)), 'Event')),
    ]);
    const at = `${pathOf('runs', row.id)}/journal`;
    return show({
      title: `Journal of run ${row.id}`,
      live: { run: row.id },
      main: html`<h1>Journal of run ${to(pathOf('runs', row.id), row.id)}</h1>
<p class="soft">What came to it from outside, in order: results, answers, times. All else follows from this.</p>
${table('Events', ['No.', 'When', 'What', 'Details'], rows, 'Nothing has happened behind this place.')}
<p class="actions">${after > 0 && to(`${at}?after=${Math.max(0, after - JOURNAL_MAX)}`, 'Earlier')}
${events.length > shown.length && to(`${at}?after=${after + shown.length}`, 'Later')}</p>`,
    });
  },
});

async function showRun(
  visit: Visit<
    z.output<typeof params>,
    {
      readonly step?: string | undefined;
      readonly edge?: string | undefined;
      readonly chat?: string | undefined;
    },
    unknown
  >,
): Promise<Outcome> {
  const { bot, query } = visit;
  const found = await look(visit, visit.params.run);
  if (!found.ok) return wrong(found.problem);
  const { stored, plan } = found.value;
  const { row, state } = stored;
  const picture = await runPicture(bot, plan, state);
  const below = await bot.store.runs({ parent: row.id, limit: LANES_MAX });
  return show({
    title: `${plan.name}, run ${row.id}`,
    live: { run: row.id },
    main: html`<div class="title"><h1>${plan.name}</h1>${statusBadge(row.status)}</div>
${alert(state.reason)}
${await factsOf(visit, stored, plan)}
${await actionsOf(visit, stored)}
${await questionsOf(visit, stored)}
<div class="beside">
<div>${picture}
${section('Steps', stepTable(plan, state))}
${below.length > 0 && section('Runs of its lanes', runTable(bot, below))}</div>
<div>${query.chat !== undefined && chatOf(state)}
<div id="detail" tabindex="-1" role="region" aria-label="Details">${await detailOf(visit, stored, plan)}</div></div>
</div>`,
  });
}

/** Most runs of lanes that are listed. */
const LANES_MAX = 100;

async function factsOf({ bot }: AnyVisit, { row, state }: StoredRun, plan: Plan): Promise<Html> {
  const { start } = state;
  const used = usageOf(state);
  return facts([
    ['Run', html`<code>${row.id}</code>`],
    ['Flow', to(pathOf('flows', row.flow), plan.name)],
    ['Version', html`<code title="${row.version}">${row.version.slice(0, 12)}</code>`],
    ['Started', html`${moment(row.startedAtMs)} by ${personName(row.startedBy)} (${start.trigger})`],
    ['Lives in', start.homeName],
    ['Last change', moment(row.updatedAtMs)],
    ['Used up', usageWords(used)],
    ['Waits because', bot.runs.whyQueued(row.id)],
    ['Retry of', start.retryOf && to(pathOf('runs', start.retryOf.run), start.retryOf.run)],
    ['Part of run', row.parent && to(pathOf('runs', row.parent.root), row.parent.root)],
    ['Everything', to(`${pathOf('runs', row.id)}/journal`, 'Journal')],
  ]);
}

async function actionsOf({ bot, sight, nextKey }: AnyVisit, { row, state }: StoredRun): Promise<Content> {
  const at = pathOf('runs', row.id);
  const hasChat = state.start.home?.platform === 'playground';
  const chat = hasChat && html`<a class="button" href="?chat=1">Chat beside it</a>`;
  if (!mayControl(bot, await sight.callerAt(row.home), row))
    return chat && html`<div class="actions">${chat}</div>`;
  const acts = isFinal(row.status)
    ? !row.parent && html`<a class="button" href="${at}/again">Run again …</a>`
    : details(
        'Cancel the run …',
        form(
          `${at}/cancel`,
          nextKey(),
          html`<button class="danger">Cancel it: nothing new starts any more</button>`,
        ),
      );
  return html`<div class="actions">${acts}${chat}</div>`;
}

/** The playground, at the thread in which the run lives. */
function chatOf({ start }: RunState): Content {
  const { home } = start;
  if (home?.platform !== 'playground') return false;
  const at = [home.conversation, ...(home.thread === undefined ? [] : [home.thread])];
  return html`<iframe class="chat" title="Chat" src="/playground/#${at.map(encodeURIComponent).join('/')}"></iframe>`;
}

async function questionsOf(visit: AnyVisit, { row, state }: StoredRun): Promise<Content> {
  const open = Object.values(state.questions).filter((question) => question.state.status === 'open');
  if (open.length === 0) return false;
  const cards = await Promise.all(open.map((question) => questionCard(visit, { row, question })));
  return section('Open questions', html`${cards}`);
}

function stepTable(plan: Plan, state: RunState): Html {
  const rows = [...plan.steps.values()].map(({ id, name, type }) => {
    const step = own(state.steps, id);
    const used = own(state.usageOfSteps ?? {}, id);
    const status = step?.status ?? 'pending';
    return [
      html`<a href="?step=${encodeURIComponent(id)}">${name}</a>`,
      type,
      html`<span class="badge ${status}">${status}</span>${step?.status === 'done' && step.exit !== 'done' && html` <code>${step.exit}</code>`}`,
      (step?.round ?? 1) > 1 && `round ${step?.round}`,
      used && usageWords(used),
    ];
  });
  return table('Steps', ['Step', 'Type', 'State', 'Round', 'Used up'], rows, 'It has no steps.');
}

async function detailOf(
  {
    bot,
    sight,
    query,
  }: Visit<unknown, { readonly step?: string | undefined; readonly edge?: string | undefined }, unknown>,
  { row, state }: StoredRun,
  plan: Plan,
): Promise<Content> {
  if (query.edge !== undefined) return edgeDetail(plan, state, query.edge.split(',').map(Number));
  if (query.step !== undefined) {
    const step = plan.steps.get(query.step);
    if (!step) return html`<h2>Step</h2><p class="empty">This run has no such step.</p>`;
    const isWhole = readsFiles(bot, await sight.callerAt(row.home));
    return stepDetail(plan, state, await bot.store.journal(row.id), step, isWhole);
  }
  const { text } = state.start;
  return html`<h2>What went in</h2>
${text !== '' && longText(text, 'What was said')}
${jsonText(state.start.input, 'Input')}
<h2>What came out</h2>
${state.output === undefined ? html`<p class="empty">${isFinal(row.status) ? 'It gives nothing back.' : 'It has not ended.'}</p>` : jsonText(state.output, 'Output')}
<p class="soft">Press a step or an arrow of the picture to see more.</p>`;
}

export const runPages: readonly Page[] = [runPage, cancelPage, picturePart, journalPage];
