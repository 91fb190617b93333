import { z } from 'zod';
import { isAdmin, readsFiles } from '../../commands/bot.ts';
import type { Agent } from '../../engine/agents/agent.ts';
import { agentInWords } from '../../engine/agents/agent-words.ts';
import { dollars } from '../../engine/agents/usage-words.ts';
import { formatDuration } from '../../engine/data/duration.ts';
import type { Catalog, LoadedFlow } from '../../runner/catalog.ts';
import { failed } from '../problem.ts';
import { spendPlots, spendTable, spentOn } from './agent-spend.ts';
import { type Content, html } from './html.ts';
import { type AnyVisit, type Page, page, show, type Visit, wrong } from './page.ts';
import { facts, longText, pathOf, section, table, to } from './parts.ts';

/** What the price of an agent is for. */
const PRICED = 'Price of a million tokens';

/** Most days that are told of. */
const DAYS_MAX = 366;
const OFFERED = `from 1 to ${DAYS_MAX}`;

const daysQuery = z.object({
  days: z.coerce.number().int().min(1, OFFERED).max(DAYS_MAX, OFFERED).default(30),
});

type Asked = Visit<unknown, z.output<typeof daysQuery>, unknown>;

const HEADS = ['Agent', 'What it is for', 'What it is and may do', PRICED, 'Flows that ask it'];

const agentsPage = page({
  method: 'GET',
  path: '/agents',
  access: 'viewer',
  query: daysQuery,
  async run(visit) {
    const { agents } = visit.bot.catalog;
    const rows = [...agents.values()].map((agent) => [
      agentLink(agent.name),
      agent.description,
      agentInWords(agent),
      priceOf(agent),
      linked(flowsOf(visit, agent.name).map(flowLink)),
    ]);
    return show({
      title: 'Agents',
      main: html`<h1>Agents</h1>
${table('Agents', HEADS, rows, 'There are no agents.')}
${await spendOfAll(visit)}`,
      live: 'any',
    });
  },
});

const agentPage = page({
  method: 'GET',
  path: '/agents/{agent}',
  access: 'viewer',
  params: z.object({ agent: z.string() }),
  query: daysQuery,
  async run(visit) {
    const name = visit.params.agent;
    const agent = visit.bot.catalog.agents.get(name);
    const spend = await spendOfOne(visit, name);
    if (!agent && spend === undefined) {
      return wrong(failed('not-found', `There is no agent ${name.slice(0, 60)}.`).problem);
    }
    const steps = flowsOf(visit, name).flatMap((flow) =>
      [...flow.plan.steps.values()]
        .filter((step) => step.stepType.agents?.(step.config).some((one) => one.name === name))
        .map((step) => [flowLink(flow), step.name, step.type]),
    );
    return show({
      title: name,
      main: html`<h1>${name}</h1>
${agent ? aboutOf(agent, visit.bot.catalog, readsFiles(visit.bot, await visit.sight.callerAt(undefined))) : html`<p class="empty">There is no file of this agent any more.</p>`}
${section('Steps that ask it', table('Steps that ask it', ['Flow', 'Step', 'Type'], steps, 'No step of a flow asks it.'))}
${spend}`,
      live: 'any',
    });
  },
});

/** @param isWhole with what it is told */
function aboutOf(agent: Agent, { agents }: Catalog, isWhole: boolean): Content {
  const { name, description, timeLimitMs, fallback, rateLimit, instructions } = agent;
  const standsInFor = [...agents.values()].filter((other) => other.fallback === name);
  return html`${description !== undefined && html`<p>${description}</p>`}
<p>${agentInWords(agent)}</p>
${facts([
  ['Works on at once', agent.concurrency],
  ['Most turns', agent.maxTurns],
  ['Most tool calls', agent.toolCalls],
  ['Longest attempt', timeLimitMs !== undefined && formatDuration(timeLimitMs)],
  [PRICED, priceOf(agent)],
  [
    'Requests',
    rateLimit && `at most ${rateLimit.requests.toLocaleString('en')} in ${formatDuration(rateLimit.perMs)}`,
  ],
  ['When it can’t answer', fallback !== undefined && html`${agentLink(fallback)} does`],
  ['Answers in place of', standsInFor.length > 0 && linked(standsInFor.map((one) => agentLink(one.name)))],
])}
${instructions !== undefined && toldOf(instructions, isWhole)}`;
}

function toldOf(instructions: string, isWhole: boolean): Content {
  return isWhole
    ? section('What it is always told', longText(instructions, 'Instructions'))
    : html`<p class="soft">What it is always told is for admins to see.</p>`;
}

function priceOf({ price }: Agent): Content {
  return price && `${dollars(price.inputUsd)} read, ${dollars(price.outputUsd)} written`;
}

function flowsOf({ bot }: AnyVisit, agent: string): readonly LoadedFlow[] {
  return bot.catalog.flows.filter(({ plan }) => plan.agents.has(agent));
}

function agentLink(name: string): Content {
  return to(pathOf('agents', name), name);
}

function flowLink({ id, plan }: LoadedFlow): Content {
  return to(pathOf('flows', id), plan.name);
}

/** Links, one after the other. */
function linked(links: readonly Content[]): Content {
  return links.map((link, index) => html`${index > 0 && ', '}${link}`);
}

async function spendOfAll(visit: Asked): Promise<Content> {
  const { bot, sight, query } = visit;
  if (!isAdmin(bot, await sight.callerAt(undefined))) {
    return html`<p class="soft">What they have used up is for admins to see.</p>`;
  }
  const { catalog } = bot;
  const spent = await spentOn(bot, query.days);
  const agentNamed = (name: string) => {
    if (name === '') return 'no agent';
    const path = `${pathOf('agents', name)}?days=${query.days}`;
    return to(path, catalog.agents.has(name) ? name : `${name} (gone)`);
  };
  const flowNamed = (id: string) => {
    const flow = catalog.flow(id);
    return flow ? flowLink(flow) : `${id} (gone)`;
  };
  return section(
    'Used up',
    html`${periods(query.days)}
${spendPlots(spent, ({ agent }) => agent ?? 'no agent')}
${spendTable('By agent', spent, ({ agent }) => agent ?? '', agentNamed)}
${spendTable('By flow', spent, ({ flow }) => flow, flowNamed)}`,
  );
}

/** Undefined for an agent that is not there and, as far as the visitor may know, never was. */
async function spendOfOne(visit: Asked, name: string): Promise<Content> {
  const { bot, sight, query } = visit;
  const isLoaded = bot.catalog.agents.has(name);
  if (!isAdmin(bot, await sight.callerAt(undefined))) {
    return isLoaded ? html`<p class="soft">What it has used up is for admins to see.</p>` : undefined;
  }
  const ownIn = async (days: number) => {
    const spent = await spentOn(bot, days);
    return { ...spent, rows: spent.rows.filter(({ agent }) => agent === name) };
  };
  // One that is gone is known by what it has used up, however many days ago.
  if (!isLoaded && (await ownIn(DAYS_MAX)).rows.length === 0) return undefined;
  const own = await ownIn(query.days);
  return section(
    'Used up',
    html`${periods(query.days)}
${spendPlots(own, ({ flow }) => bot.catalog.flow(flow)?.plan.name ?? flow)}
${spendTable(
  'By day',
  own,
  ({ day }) => day,
  (day) => day,
)}`,
  );
}

const PERIODS = [7, 30, 90, DAYS_MAX] as const;

/** How many days are told of, to choose from. */
function periods(days: number): Content {
  const each = PERIODS.map((one) =>
    one === days ? html`<strong aria-current="true">${one} days</strong>` : to(`?days=${one}`, `${one} days`),
  );
  return html`<p>${linked(each)}</p>`;
}

export const agentPages: readonly Page[] = [agentsPage, agentPage];
