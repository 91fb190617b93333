import { z } from 'zod';
import { mayControl } from '../../commands/bot.ts';
import type { Reply } from '../../commands/command.ts';
import { retryTold } from '../../commands/retry-told.ts';
import { rerun, retryRun } from '../../commands/run-actions.ts';
import type { Plan } from '../../engine/flow/plan.ts';
import { isJsonObject } from '../../engine/json.ts';
import { planRetryOn } from '../../engine/run/retry.ts';
import { isFinal } from '../../engine/run/state.ts';
import type { StoredRun } from '../../ports/store.ts';
import { isAtLeast } from '../access/door.ts';
import { look, refusedBy } from '../api/runs.ts';
import { PROBLEMS, type ProblemCode } from '../problem.ts';
import { type Content, html } from './html.ts';
import { readInput } from './json-input.ts';
import { goTo, type Outcome, type Page, page, show, type Visit, wrong } from './page.ts';
import { alert, form, pathOf, section, textArea, to } from './parts.ts';

const params = z.object({ run: z.string() });

type Asked = Visit<z.output<typeof params>, unknown, unknown>;

const againPage = page({
  method: 'GET',
  path: '/runs/{run}/again',
  access: 'viewer',
  params,
  query: z.object({ from: z.string().optional() }),
  run: (visit) => choices(visit, visit.query.from || undefined),
});

const retryPage = page({
  method: 'POST',
  path: '/runs/{run}/retry',
  access: 'runner',
  params,
  body: z.looseObject({ from: z.string().default(''), version: z.enum(['same', 'current']).default('same') }),
  async run(visit) {
    const { from, version } = visit.body;
    const step = from === '' ? undefined : from;
    return act(visit, step, async (stored) => {
      const caller = await visit.sight.callerAt(stored.row.home);
      return retryRun(visit.bot, caller, stored.row.id, version, step);
    });
  },
});

const rerunPage = page({
  method: 'POST',
  path: '/runs/{run}/rerun',
  access: 'runner',
  params,
  body: z.looseObject({ input: z.string() }),
  async run(visit) {
    const input = readInput(visit.body.input);
    if (typeof input === 'string') {
      return choices(visit, undefined, { code: 'does-not-fit', detail: input, typed: visit.body.input });
    }
    return act(
      visit,
      undefined,
      async (stored) => {
        const caller = await visit.sight.callerAt(stored.row.home);
        return rerun(visit.bot, caller, stored.row.id, visit.event, input);
      },
      visit.body.input,
    );
  },
});

/** Starts a run, and goes to it; what was refused is said on the page again. */
async function act(
  visit: Asked,
  from: string | undefined,
  work: (stored: StoredRun) => Promise<Reply>,
  typed?: string,
): Promise<Outcome> {
  const found = await look(visit, visit.params.run);
  if (!found.ok) return wrong(found.problem);
  const reply = await work(found.value.stored);
  // Also one that is there: a form that is sent twice leads to the same run.
  const started = isJsonObject(reply.data) ? reply.data.run : undefined;
  if (typeof started === 'string') return goTo(pathOf('runs', started));
  const { problem } = refusedBy(reply);
  return choices(visit, from, { ...problem, ...(typed !== undefined && { typed }) });
}

/** What was refused, and what was typed into the input. */
interface Refused {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly typed?: string;
}

/** The ways to run it again, each with what it would do. */
async function choices(visit: Asked, from: string | undefined, refused?: Refused): Promise<Outcome> {
  const found = await look(visit, visit.params.run);
  if (!found.ok) return wrong(found.problem);
  const { stored, plan } = found.value;
  const { row } = stored;
  const title = `Run ${row.id} again`;
  const why = await whyNot(visit, stored);
  return show({
    title,
    status: refused ? PROBLEMS[refused.code][0] : 200,
    main: html`<h1>${title}</h1>
<p>${to(pathOf('runs', row.id), html`${plan.name}, run ${row.id}`)}</p>
${alert(refused?.detail)}
${
  why === undefined
    ? html`${section('Retry: keep what was finished', retryChoice(visit, stored, plan, from))}
${section('From the beginning', rerunForm(visit, stored, refused?.typed))}`
    : html`<p class="empty">${why}</p>`
}`,
  });
}

/** Why a visitor may not run a run again, in a sentence. */
async function whyNot({ bot, sight, visitor }: Asked, { row }: StoredRun): Promise<string | undefined> {
  if (row.parent) return `This run is a part of run ${row.parent.root}: run that one again.`;
  if (!isFinal(row.status)) return 'It has not ended yet.';
  const isTheirs = mayControl(bot, await sight.callerAt(row.home), row);
  if (isTheirs && isAtLeast(visitor, 'runner')) return undefined;
  return 'Only who has started the run, and admins, may run it again.';
}

function rerunForm({ nextKey }: Asked, { row, state }: StoredRun, typed: string | undefined): Content {
  const input = textArea({
    id: 'input',
    name: 'input',
    label: 'Input, as JSON',
    value: typed ?? JSON.stringify(state.start.input, undefined, 2),
    rows: 12,
  });
  return form(
    `${pathOf('runs', row.id)}/rerun`,
    nextKey(),
    html`<p>A new run of the flow as it is now, with the same input or another one.</p>
${input}
<div class="actions"><button>Start a new run</button></div>`,
  );
}

function retryChoice(visit: Asked, { row, state }: StoredRun, plan: Plan, from: string | undefined): Content {
  const told = retryTold(plan, state, from);
  const steps = html`<form method="get" action="${pathOf('runs', row.id)}/again" class="filters">
<div><label for="from">From the step</label><select id="from" name="from"><option value="">where it stopped</option>${[...plan.steps.values()].map(({ id, name }) => html`<option value="${id}"${id === from && html` selected`}>${name}</option>`)}</select></div>
<div><button>Show what would happen</button></div>
</form>`;
  if ('refused' in told) return html`${steps}<p class="empty">${told.refused}</p>`;
  const list = (names: readonly string[]) =>
    names.length > 0
      ? html`<ul>${names.map((name) => html`<li>${name}</li>`)}</ul>`
      : html`<p class="empty">Nothing.</p>`;
  return html`${steps}
<div class="columns">
<div><h3>Is kept</h3>${list(told.keeps)}</div>
<div><h3>Runs</h3>${list(told.runs)}</div>
<div><h3>May happen a second time</h3>${list(told.effects)}</div>
</div>
${form(
  `${pathOf('runs', row.id)}/retry`,
  visit.nextKey(),
  html`<input type="hidden" name="from" value="${from ?? ''}">${versionChoice(visit, row, plan, state, from)}<div class="actions"><button class="primary">Retry</button></div>`,
)}`;
}

/** The flow may have changed since: which version runs, and what that changes of the plan. */
function versionChoice(
  { bot }: Asked,
  { flow, version }: StoredRun['row'],
  plan: Plan,
  state: StoredRun['state'],
  from: string | undefined,
): Content {
  const same = html`<input type="hidden" name="version" value="same">`;
  const current = bot.catalog.flow(flow);
  if (!current || current.version === version) return same;
  const renewed = planRetryOn(current.plan, plan, state, from);
  if ('refused' in renewed) {
    return html`${same}<p>The flow has changed since. A retry with it as it is now is not possible: ${renewed.refused}</p>`;
  }
  return html`<p>The flow has changed since. With it as it is now a retry keeps: ${renewed.kept.join(', ') || 'nothing'}; it runs: ${renewed.again.join(', ')}.</p>
<label for="version">Version of the flow</label><select id="version" name="version"><option value="same">the one this run began with</option><option value="current">the one in force now</option></select>`;
}

export const againPages: readonly Page[] = [againPage, retryPage, rerunPage];
