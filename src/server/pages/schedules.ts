import { z } from 'zod';
import { comingTimes } from '../../commands/schedule.ts';
import { isJsonObject } from '../../engine/json.ts';
import { momentIn, scheduleInWords } from '../../engine/schedule/words.ts';
import type { LiveSchedule } from '../../runner/schedules.ts';
import { isAtLeast } from '../access/door.ts';
import { carryOut } from '../api/others.ts';
import { PROBLEMS, type Problem } from '../problem.ts';
import { type Content, html } from './html.ts';
import { type AnyVisit, goTo, type Outcome, type Page, page, show } from './page.ts';
import { alert, form, moment, pathOf, personName, statusBadge, to } from './parts.ts';

const schedulesPage = page({
  method: 'GET',
  path: '/schedules',
  access: 'viewer',
  run: (visit) => showSchedules(visit),
});

const actPage = page({
  method: 'POST',
  path: '/schedules/{schedule}',
  access: 'runner',
  params: z.object({ schedule: z.string() }),
  body: z.looseObject({
    act: z.enum(['pause', 'resume', 'run']),
    why: z.string().max(2_000).default(''),
  }),
  async run(visit) {
    const { act, why } = visit.body;
    const carried = await carryOut(visit, `schedule ${act} ${visit.params.schedule} ${why}`);
    if (!carried.ok) return showSchedules(visit, carried.problem);
    const { data } = carried.value;
    const run = isJsonObject(data) ? data.run : undefined;
    return goTo(typeof run === 'string' ? pathOf('runs', run) : '/schedules');
  },
});

/** @param problem why what somebody has just tried was not done */
async function showSchedules(visit: AnyVisit, problem?: Problem): Promise<Outcome> {
  const { bot } = visit;
  const cards = await Promise.all(bot.schedules.all.map((one) => card(visit, one)));
  return show({
    title: 'Schedules',
    ...(problem ? { status: PROBLEMS[problem.code][0] } : { live: 'any' }),
    main: html`<h1>Schedules</h1>
${alert(problem?.detail)}
${cards.length === 0 && html`<p class="empty">No schedule is in force.</p>`}
<div class="columns">${cards}</div>`,
  });
}

async function card(visit: AnyVisit, one: LiveSchedule): Promise<Content> {
  const { bot, sight } = visit;
  const { trigger, flow, paused } = one;
  const [last] = await bot.store.runs({ schedule: trigger.id, limit: 1 });
  const isSeen = last !== undefined && (await sight.sees(last));
  return html`<section class="card"><h2>${to(pathOf('flows', flow.id), flow.plan.name)} <code>${trigger.id}</code></h2>
<p>${scheduleInWords(trigger)}</p>
${paused && html`<p class="alert">Paused by ${paused.by ? personName(paused.by) : 'Flowbot itself'} since ${moment(paused.atMs)}${paused.why !== '' && html`: ${paused.why}`}</p>`}
${!paused && html`<h3>Next (${trigger.timezone})</h3><ul>${comingTimes(bot, one).map((atMs) => html`<li>${momentIn(trigger.timezone, atMs)}</li>`)}</ul>`}
${isSeen && html`<p>Last run: ${to(pathOf('runs', last.id), html`<code>${last.id}</code>`)} ${statusBadge(last.status)}</p>`}
${isAtLeast(visit.visitor, 'runner') && actions(visit, one)}</section>`;
}

function actions({ nextKey }: AnyVisit, { trigger, paused }: LiveSchedule): Content {
  const act = (name: string, inner: Content) =>
    form(
      `/schedules/${encodeURIComponent(trigger.id)}`,
      nextKey(),
      html`<input type="hidden" name="act" value="${name}">${inner}`,
    );
  const field = `why-${trigger.id}`;
  const stop = paused
    ? act('resume', html`<button>Resume</button>`)
    : act(
        'pause',
        html`<label for="${field}">Why it is to pause</label><input id="${field}" name="why" maxlength="500"> <button>Pause</button>`,
      );
  return html`${stop}<div class="actions">${act('run', html`<button>Run now</button>`)}</div>`;
}

export const schedulePages: readonly Page[] = [schedulesPage, actPage];
