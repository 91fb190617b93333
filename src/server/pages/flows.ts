import { z } from 'zod';
import { isAdmin } from '../../commands/bot.ts';
import { flowsFor, pausedInWords } from '../../commands/may-start.ts';
import { comingTimes } from '../../commands/schedule.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import { carryOut } from '../api/others.ts';
import { triggerWords } from '../api/views.ts';
import { PROBLEMS, type Problem } from '../problem.ts';
import { singleFlowPages } from './flow.ts';
import { type Content, type Html, html } from './html.ts';
import { type AnyVisit, goTo, type Outcome, type Page, page, show } from './page.ts';
import { alert, form, moment, pathOf, section, table, to } from './parts.ts';

const flowsPage = page({
  method: 'GET',
  path: '/flows',
  access: 'viewer',
  run: (visit) => showFlows(visit),
});

const stopPage = page({
  method: 'POST',
  path: '/flows',
  access: 'runner',
  body: z.looseObject({
    act: z.enum(['pause', 'resume', 'reload']),
    why: z.string().max(2_000).default(''),
  }),
  async run(visit) {
    const { act, why } = visit.body;
    const carried = await carryOut(visit, act === 'pause' ? `pause ${why}` : act);
    return carried.ok ? goTo('/flows') : showFlows(visit, carried.problem);
  },
});

/** @param problem why what somebody has just tried was not done */
async function showFlows(visit: AnyVisit, problem?: Problem): Promise<Outcome> {
  const { bot, sight } = visit;
  const caller = await sight.callerAt(undefined);
  const flows = await flowsFor(bot, caller);
  const { paused } = bot.catalog;
  const stopped = paused && pausedInWords(paused);
  const rows = flows.map(({ flow, why }) => [
    html`${to(pathOf('flows', flow.id), flow.plan.name)}<br><code>${flow.id}</code>`,
    flow.plan.description,
    html`<ul>${flow.plan.triggers.map((trigger) => html`<li>${triggerWords(bot, flow, trigger)}</li>`)}</ul>`,
    nextOf(visit, flow),
    html`<code title="${flow.version}">${flow.version.slice(0, 12)}</code>`,
    why === undefined || why === stopped ? 'yes' : why,
  ]);
  return show({
    title: 'Flows',
    ...(problem ? { status: PROBLEMS[problem.code][0] } : { live: 'any' }),
    main: html`<h1>Flows</h1>
${alert(problem?.detail)}
${alert(stopped)}
${isAdmin(bot, caller) ? faultsOf(visit) : bot.catalog.broken.length > 0 && html`<p class="alert">${bot.catalog.broken.length} files could not be loaded; admins see why.</p>`}
${table('Flows', ['Flow', 'What it does', 'Starts by', 'Next', 'Version', 'You may start it'], rows, 'There are no flows yet.')}
${isAdmin(bot, caller) && section('Everything', switches(visit, paused !== undefined))}`,
  });
}

/** When its schedules start it next. */
function nextOf({ bot }: AnyVisit, { id }: LoadedFlow): Content {
  const times = bot.schedules.all
    .filter(({ flow }) => flow.id === id)
    .flatMap((one) => comingTimes(bot, one));
  return times.length > 0 && moment(Math.min(...times));
}

/** Faults of files that could not be loaded, and warnings of those that were: with line and column. */
function faultsOf({ bot }: AnyVisit): Content {
  const { broken, warnings } = bot.catalog;
  const list = (lines: readonly string[]) => html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`${broken.length > 0 && section('Not loaded', html`${broken.map(({ file, faults }) => html`<div class="card"><h3>${file}</h3>${list(faults)}</div>`)}`)}
${warnings.length > 0 && section('Doubtful', list(warnings))}`;
}

function switches({ nextKey }: AnyVisit, isPaused: boolean): Html {
  const act = (name: string, inner: Content) =>
    form('/flows', nextKey(), html`<input type="hidden" name="act" value="${name}">${inner}`);
  const stop = isPaused
    ? act('resume', html`<button class="primary">Let everything start again</button>`)
    : act(
        'pause',
        html`<label for="why">Why</label><input id="why" name="why" maxlength="500"> <button class="danger">Start nothing any more</button>`,
      );
  return html`<div class="actions">${act('reload', html`<button>Read the files again</button>`)}</div>${stop}`;
}

export const flowPages: readonly Page[] = [flowsPage, stopPage, ...singleFlowPages];
