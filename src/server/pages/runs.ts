import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import type { RunRow } from '../../ports/store.ts';
import { runStatuses } from '../api/resources.ts';
import { readStatuses, seenRuns } from '../api/runs.ts';
import { type Html, html } from './html.ts';
import { type Page, page, show, wrong } from './page.ts';
import { moment, pathOf, personName, statusBadge, table, to } from './parts.ts';

/** Runs on one page. */
const LISTED = 50;

const runsPage = page({
  method: 'GET',
  path: '/runs',
  access: 'viewer',
  query: z.object({
    flow: z.string().default(''),
    status: z.string().default(''),
    mine: z.string().default(''),
    before: z.string().optional(),
  }),
  async run({ bot, sight, visitor, query }) {
    const { flow, status, mine, before } = query;
    const statuses = readStatuses(status === '' ? undefined : status);
    if (!statuses.ok) return wrong(statuses.problem);
    const { rows, next } = await seenRuns(bot, sight, LISTED, {
      ...(flow !== '' && { flow }),
      ...(statuses.value && { statuses: statuses.value }),
      ...(mine !== '' && { startedBy: visitor.person }),
      ...(before !== undefined && { before }),
    });
    const older = new URLSearchParams({ flow, status, mine, before: next ?? '' });
    const option = (value: string, name: string, chosen: string) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`;
    return show({
      title: 'Runs',
      live: 'any',
      main: html`<h1>Runs</h1>
<form method="get" action="/runs" class="filters">
<div><label for="flow">Flow</label><select id="flow" name="flow">${option('', 'all', flow)}${bot.catalog.flows.map(({ id, plan }) => option(id, plan.name, flow))}</select></div>
<div><label for="status">Status</label><select id="status" name="status">${option('', 'any', status)}${option('open', 'open', status)}${runStatuses.map((one) => option(one, one, status))}</select></div>
<div><label class="plain" for="mine"><input type="checkbox" id="mine" name="mine" value="1"${mine !== '' && html` checked`}> only mine</label></div>
<div><button>Show</button></div>
</form>
${runTable(bot, rows)}
${next !== null && html`<p>${to(`/runs?${older}`, 'Older runs')}</p>`}`,
    });
  },
});

/** Runs, one a line. */
export function runTable({ catalog }: Bot, rows: readonly RunRow[], empty = 'There are no such runs.'): Html {
  return table(
    'Runs',
    ['Run', 'Flow', 'Status', 'Started', 'By'],
    rows.map((row) => [
      to(pathOf('runs', row.id), html`<code>${row.id}</code>`),
      to(pathOf('flows', row.flow), catalog.flow(row.flow)?.plan.name ?? row.flow),
      statusBadge(row.status),
      moment(row.startedAtMs),
      personName(row.startedBy),
    ]),
    empty,
  );
}

export const runListPages: readonly Page[] = [runsPage];
