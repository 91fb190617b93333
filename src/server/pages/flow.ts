import { z } from 'zod';
import { isAdmin, readsFiles } from '../../commands/bot.ts';
import { mayNotStart } from '../../commands/may-start.ts';
import { comingTimes } from '../../commands/schedule.ts';
import { formatDuration } from '../../engine/data/duration.ts';
import { formFields } from '../../engine/data/input.ts';
import type { Plan, PlanStep } from '../../engine/flow/plan.ts';
import type { FormField } from '../../engine/post.ts';
import { inUnits } from '../../engine/run/budget-words.ts';
import { CEILINGS } from '../../engine/run/spending.ts';
import { momentIn } from '../../engine/schedule/words.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import { isAtLeast } from '../access/door.ts';
import { carryOut } from '../api/others.ts';
import { seenRuns } from '../api/runs.ts';
import { shortFile, triggerWords } from '../api/views.ts';
import { failed, PROBLEMS, type Problem } from '../problem.ts';
import { startFor } from '../starting.ts';
import { type Filled, fieldsOf, readFields, type Values } from './fields.ts';
import { flowEdgeDetail, flowStepDetail } from './flow-detail.ts';
import { type Content, type Html, html } from './html.ts';
import { readInput } from './json-input.ts';
import { edgeSchema, goTo, type Outcome, type Page, page, show, type Visit, wrong } from './page.ts';
import { alert, facts, form, pathOf, section, table, textArea, to } from './parts.ts';
import { flowPicture, flowPicturePart } from './picture.ts';
import { runTable } from './runs.ts';

const params = z.object({ flow: z.string() });

type OfFlow = Visit<z.output<typeof params>, unknown, unknown>;

const flowPage = page({
  method: 'GET',
  path: '/flows/{flow}',
  access: 'viewer',
  params,
  query: z.object({ as: z.string().optional(), step: z.string().optional(), edge: edgeSchema }),
  run: (visit) => {
    const { as, step, edge } = visit.query;
    return showFlow(visit, {
      asJson: as === 'json',
      ...(step !== undefined && { step }),
      ...(edge !== undefined && { edge }),
    });
  },
});

const picturePart = page({
  method: 'GET',
  path: '/flows/{flow}/picture',
  access: 'viewer',
  params,
  async run({ bot, params }) {
    const flow = bot.catalog.flow(params.flow);
    return flow ? { kind: 'part', content: await flowPicturePart(bot, flow.plan) } : noFlow(params.flow);
  },
});

const startPage = page({
  method: 'POST',
  path: '/flows/{flow}',
  access: 'runner',
  params,
  body: z.looseObject({ json: z.string().optional() }),
  async run(visit) {
    const { bot, sight, event, body } = visit;
    const flow = bot.catalog.flow(visit.params.flow);
    if (!flow) return noFlow(visit.params.flow);
    const { json } = body;
    const fields = fieldsFor(visit, flow);
    const values = readFields(fields, body);
    const input = json === undefined ? undefined : readInput(json);
    const back: Tried = { asJson: json !== undefined, values, ...(json !== undefined && { json }) };
    if (typeof input === 'string') {
      return showFlow(visit, { ...back, problem: { code: 'does-not-fit', detail: input } });
    }
    const started = await startFor(bot, sight, {
      flow,
      trigger: 'manual',
      prompt: '',
      startKey: `page:${event}`,
      ...(input ? { input } : { values: ownValues(values) }),
    });
    return started.ok
      ? goTo(pathOf('runs', started.value.run))
      : showFlow(visit, { ...back, problem: started.problem });
  },
});

const switchPage = page({
  method: 'POST',
  path: '/flows/{flow}/switch',
  access: 'runner',
  params,
  body: z.looseObject({ act: z.enum(['enable', 'disable']) }),
  async run(visit) {
    const flow = visit.bot.catalog.flow(visit.params.flow);
    if (!flow) return noFlow(visit.params.flow);
    const carried = await carryOut(visit, `${visit.body.act} ${flow.id}`);
    return carried.ok ? goTo(pathOf('flows', flow.id)) : wrong(carried.problem);
  },
});

function noFlow(id: string): Outcome {
  return wrong(failed('not-found', `There is no flow ${id.slice(0, 60)}.`).problem);
}

/** What somebody looks at, or has just tried, and what they wrote. */
interface Tried {
  readonly asJson: boolean;
  readonly step?: string;
  readonly edge?: string;
  readonly problem?: Problem;
  readonly values?: Values;
  readonly json?: string;
}

async function showFlow(visit: OfFlow, tried: Tried): Promise<Outcome> {
  const { bot, sight, params } = visit;
  const flow = bot.catalog.flow(params.flow);
  if (!flow) return noFlow(params.flow);
  const { plan } = flow;
  const runs = await seenRuns(bot, sight, RUNS_SHOWN, { flow: flow.id });
  const warnings = bot.catalog.warnings.filter((line) => line.startsWith(`${flow.file}:`));
  return show({
    title: plan.name,
    status: tried.problem ? PROBLEMS[tried.problem.code][0] : 200,
    main: html`<h1>${plan.name}</h1>
${plan.description !== undefined && html`<p>${plan.description}</p>`}
${alert(tried.problem?.detail)}
${warnings.map((line) => html`<p class="alert">${line}</p>`)}
${factsOf(visit, flow)}
${await switchOf(visit, flow)}
<div class="beside">
<div>${await flowPicture(bot, plan)}
${section('Steps', stepTable(plan))}
${section('Last runs', html`${runTable(bot, runs.rows, 'It has not run yet.')}${versionsOf(flow, runs.rows)}${runs.next !== null && html`<p>${to(`/runs?flow=${encodeURIComponent(flow.id)}`, 'All its runs')}</p>`}`)}</div>
<div>${await detailOf(visit, flow, tried)}
${section('What starts it', triggerTable(visit, flow))}
${section('Start it', await startForm(visit, flow, tried))}</div>
</div>`,
  });
}

const RUNS_SHOWN = 20;

async function detailOf({ bot, sight }: OfFlow, flow: LoadedFlow, { step, edge }: Tried): Promise<Html> {
  const shown =
    edge !== undefined
      ? flowEdgeDetail(flow.plan, edge.split(',').map(Number))
      : step !== undefined && flowStepDetail(flow, step, readsFiles(bot, await sight.callerAt(undefined)));
  return html`<div id="detail" tabindex="-1" role="region" aria-label="Details">${shown}</div>`;
}

function factsOf({ bot }: OfFlow, flow: LoadedFlow): Html {
  const { plan } = flow;
  const limits = [
    plan.maxRuns !== undefined &&
      `${plan.maxRuns} open runs at most; then it ${plan.whenFull === 'queue' ? 'waits' : 'refuses'}`,
    plan.timeoutMs !== undefined && `a run takes at most ${formatDuration(plan.timeoutMs)}`,
    plan.coolDown?.user !== undefined && `each person once in ${formatDuration(plan.coolDown.user)}`,
    plan.coolDown?.conversation !== undefined &&
      `each conversation once in ${formatDuration(plan.coolDown.conversation)}`,
    ...CEILINGS.flatMap((ceiling) => {
      const limit = plan.budget?.[ceiling];
      return limit === undefined ? [] : [`a run may use up ${inUnits(ceiling, limit)}`];
    }),
  ].filter((one) => one !== false);
  return facts([
    ['Flow', html`<code>${flow.id}</code>`],
    ['File', shortFile(flow.file)],
    ['Version', html`<code title="${flow.version}">${flow.version.slice(0, 12)}</code>`],
    ['Lives in', plan.conversation],
    ['May start it', plan.allow ? plan.allow.join(', ') : 'everybody there'],
    ['Limits', limits.join('; ')],
    ['Switched off', !bot.catalog.isEnabled(flow) && 'It starts nothing.'],
  ]);
}

async function switchOf({ bot, sight, nextKey }: OfFlow, flow: LoadedFlow): Promise<Content> {
  if (!isAdmin(bot, await sight.callerAt(undefined))) return false;
  const [act, label] = bot.catalog.isEnabled(flow)
    ? ['disable', 'Switch it off']
    : ['enable', 'Switch it on'];
  return form(
    `${pathOf('flows', flow.id)}/switch`,
    nextKey(),
    html`<input type="hidden" name="act" value="${act}"><button>${label}</button>`,
  );
}

function stepTable({ steps }: Plan): Html {
  const rows = [...steps.values()].map((step) => [
    html`<a href="?step=${encodeURIComponent(step.id)}">${step.name}</a>`,
    html`<code>${step.id}</code>`,
    step.type,
    needsOf(step),
  ]);
  return table('Steps', ['Step', 'Id', 'Type', 'Needs'], rows, 'It has no steps.');
}

/** Agents and flows that a step works with. */
function needsOf({ stepType, config }: PlanStep): Content {
  const agents = stepType.agents?.(config).map(({ name }) => to(pathOf('agents', name), name)) ?? [];
  const flow = stepType.uses?.(config);
  return html`${agents.map((agent) => html`${agent} `)}${flow !== undefined && to(pathOf('flows', flow), flow)}`;
}

/** Versions that its last runs are pinned to. */
function versionsOf({ version }: LoadedFlow, rows: readonly { readonly version: string }[]): Content {
  const counted = [...Map.groupBy(rows, (row) => row.version)];
  if (counted.every(([one]) => one === version)) return false;
  return html`<p class="soft">Versions of these: ${counted.map(([one, runs], index) => html`${index > 0 && ', '}<code>${one.slice(0, 12)}</code> (${runs.length}${one === version && ', in force now'})`)}.</p>`;
}

function triggerTable({ bot }: OfFlow, flow: LoadedFlow): Html {
  const rows = flow.plan.triggers.map((trigger) => {
    const live = bot.schedules.all.find(
      (one) => trigger.type === 'schedule' && one.trigger.id === trigger.id,
    );
    const next = live
      ? comingTimes(bot, live).map((atMs) => html`<li>${momentIn(live.trigger.timezone, atMs)}</li>`)
      : [];
    return [trigger.type, triggerWords(bot, flow, trigger), next.length > 0 && html`<ul>${next}</ul>`];
  });
  return table('What starts it', ['By', 'How', 'Next'], rows, 'Nothing starts it.');
}

/** Before the names of the input's fields, so that none is taken for one of ours. */
const OWN = 'field_';

function fieldsFor({ visitor }: OfFlow, { plan }: LoadedFlow): readonly FormField[] {
  const fields = plan.input ? formFields(plan.input, {}, visitor.person.platform) : [];
  return fields.map((field) => ({ ...field, id: `${OWN}${field.id}` }));
}

/** What was filled in, by the names that the input has. */
function ownValues(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.slice(OWN.length), value]));
}

async function startForm(visit: OfFlow, flow: LoadedFlow, tried: Tried): Promise<Content> {
  const { bot, sight, visitor, nextKey } = visit;
  const { plan } = flow;
  if (!plan.triggers.some(({ type }) => type === 'manual' || type === 'api')) {
    return html`<p class="empty">Its file has no trigger of the type manual or api.</p>`;
  }
  const why = isAtLeast(visitor, 'runner')
    ? await mayNotStart(bot, flow, await sight.callerAt(undefined))
    : 'You may look, and start nothing.';
  if (why !== undefined) return html`<p class="empty">${why}</p>`;
  const fields = fieldsFor(visit, flow);
  const other = tried.asJson
    ? html`<a href="${pathOf('flows', flow.id)}">Fields instead</a>`
    : fields.length > 0 && html`<a href="${pathOf('flows', flow.id)}?as=json">As JSON instead</a>`;
  const inner = tried.asJson
    ? textArea({ id: 'json', name: 'json', label: 'Input, as JSON', value: tried.json ?? '{}', rows: 10 })
    : fieldsOf(fields, 'start', filledOf(tried));
  return form(
    pathOf('flows', flow.id),
    nextKey(),
    html`${inner}<div class="actions"><button class="primary">Start</button>${other}</div>`,
  );
}

/** What was filled in, with what is wrong said at the fields. */
function filledOf({ values, problem }: Tried): Filled | undefined {
  if (!values) return undefined;
  const said = (problem?.errors ?? []).map(
    ({ pointer, detail }) => [`${OWN}${pointer.split('/')[2] ?? ''}`, detail] as const,
  );
  return { values, errors: Object.fromEntries(said) };
}

export const singleFlowPages: readonly Page[] = [flowPage, picturePart, startPage, switchPage];
