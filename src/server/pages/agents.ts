import { z } from 'zod';
import { isAdmin, readsFiles } from '../../commands/bot.ts';
import type { Agent } from '../../engine/agents/agent.ts';
import { agentInWords } from '../../engine/agents/agent-words.ts';
import { dollars } from '../../engine/agents/usage-words.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import { failed } from '../problem.ts';
import { spendPlots, spendTable, spentOn } from './agent-spend.ts';
import { type Content, html } from './html.ts';
import { type Page, page, show, type Visit, wrong } from './page.ts';
import { facts, longText, pathOf, section, table, to } from './parts.ts';

const daysQuery = z.object({
  days: z.coerce.number().int().min(1, 'from 1 to 366').max(366, 'from 1 to 366').default(30),
});

type Asked = Visit<unknown, z.output<typeof daysQuery>, unknown>;

const agentsPage = page({
  method: 'GET',
  path: '/agents',
  access: 'viewer',
  query: daysQuery,
  async run(visit) {
    const { agents } = visit.bot.catalog;
    const rows = [...agents.values()].map((agent) => [
      to(pathOf('agents', agent.name), agent.name),
      agent.description,
      agentInWords(agent),
      flowLinks(flowsOf(visit, agent.name)),
    ]);
    return show({
      title: 'Agents',
      main: html`<h1>Agents</h1>
${table('Agents', ['Agent', 'What it is for', 'What it is and may do', 'Flows that ask it'], rows, 'There are no agents.')}
${await spendOfAll(visit)}`,
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
        .map((step) => [to(pathOf('flows', flow.id), flow.plan.name), step.name, step.type]),
    );
    return show({
      title: name,
      main: html`<h1>${name}</h1>
${agent ? aboutOf(agent, readsFiles(visit.bot, await visit.sight.callerAt(undefined))) : html`<p class="empty">There is no file of this agent any more.</p>`}
${section('Steps that ask it', table('Steps that ask it', ['Flow', 'Step', 'Type'], steps, 'No step of a flow asks it.'))}
${spend}`,
    });
  },
});

/** @param isWhole with what it is told */
function aboutOf(agent: Agent, isWhole: boolean): Content {
  const { description, price, rateLimit, instructions } = agent;
  return html`${description !== undefined && html`<p>${description}</p>`}
<p>${agentInWords(agent)}</p>
${facts([
  ['Works on at once', agent.concurrency],
  ['Most turns', agent.maxTurns],
  ['Most tool calls', agent.toolCalls],
  [
    'Price of a million tokens',
    price && `${dollars(price.inputUsd)} read, ${dollars(price.outputUsd)} written`,
  ],
  ['Requests', rateLimit && `at most ${rateLimit.requests} in ${rateLimit.perMs / 1_000} s`],
])}
${isWhole && instructions !== undefined && section('What it is always told', longText(instructions, 'Instructions'))}`;
}

function flowsOf({ bot }: Visit<unknown, unknown, unknown>, agent: string): readonly LoadedFlow[] {
  return bot.catalog.flows.filter(({ plan }) => plan.agents.has(agent));
}

function flowLinks(flows: readonly LoadedFlow[]): Content {
  return flows.map(({ id, plan }, index) => html`${index > 0 && ', '}${to(pathOf('flows', id), plan.name)}`);
}

async function spendOfAll(visit: Asked): Promise<Content> {
  const { bot, sight, query } = visit;
  if (!isAdmin(bot, await sight.callerAt(undefined))) {
    return html`<p class="soft">What they have used up is for admins to see.</p>`;
  }
  const spent = await spentOn(bot, query.days);
  const named = (name: string) =>
    name === ''
      ? 'no agent'
      : to(pathOf('agents', name), bot.catalog.agents.has(name) ? name : `${name} (gone)`);
  return section(
    'Used up',
    html`${periods(query.days)}
${spendPlots(spent, ({ agent }) => agent ?? 'no agent')}
${spendTable('By agent', spent, ({ agent }) => agent ?? '', named)}
${spendTable(
  'By flow',
  spent,
  ({ flow }) => flow,
  (flow) => to(pathOf('flows', flow), bot.catalog.flow(flow)?.plan.name ?? flow),
)}`,
  );
}

async function spendOfOne(visit: Asked, name: string): Promise<Content> {
  const { bot, sight, query } = visit;
  if (!isAdmin(bot, await sight.callerAt(undefined))) return undefined;
  const spent = await spentOn(bot, query.days);
  const own = { ...spent, rows: spent.rows.filter(({ agent }) => agent === name) };
  if (own.rows.length === 0 && !bot.catalog.agents.has(name)) return undefined;
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

const PERIODS = [7, 30, 90, 366] as const;

function periods(days: number): Content {
  return html`<p>Days: ${PERIODS.map((one) => html`<a href="?days=${one}"${one === days && html` aria-current="true"`}>${one}</a> `)}</p>`;
}

export const agentPages: readonly Page[] = [agentsPage, agentPage];
