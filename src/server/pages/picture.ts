import type { Bot } from '../../commands/bot.ts';
import { awaitedNames } from '../../commands/drawn.ts';
import type { Plan } from '../../engine/flow/plan.ts';
import type { RunState } from '../../engine/run/state.ts';
import type { PageDrawing } from '../../ports/drawings.ts';
import { type Content, type Html, html, markup } from './html.ts';

/** Most steps whose picture comes with the page; larger ones take their time, and come after it. */
const AT_ONCE_MAX = 60;

/** The picture of a flow; a sentence in its place when it can't be made. */
export function flowPicture(bot: Bot, plan: Plan): Promise<Html> {
  const at = `/flows/${encodeURIComponent(plan.id)}/picture`;
  return pictureOf(bot, plan, at, () => bot.drawings.forPage(plan));
}

/** The picture of a run as it is now. */
export function runPicture(bot: Bot, plan: Plan, state: RunState): Promise<Html> {
  const at = `/runs/${encodeURIComponent(state.id)}/picture`;
  return pictureOf(bot, plan, at, () => drawRun(bot, plan, state));
}

/** Only the inside of the figure: what a page with a large picture asks for. */
export async function flowPicturePart(bot: Bot, plan: Plan): Promise<Content> {
  return drawn(bot, plan, () => bot.drawings.forPage(plan));
}

/** The same of a run. */
export async function runPicturePart(bot: Bot, plan: Plan, state: RunState): Promise<Content> {
  return drawn(bot, plan, () => drawRun(bot, plan, state));
}

async function drawRun(bot: Bot, plan: Plan, state: RunState): Promise<PageDrawing> {
  return bot.drawings.forPage(plan, { state, names: await awaitedNames(bot, state) });
}

async function pictureOf(bot: Bot, plan: Plan, at: string, draw: () => Promise<PageDrawing>): Promise<Html> {
  if (plan.steps.size <= AT_ONCE_MAX) {
    return html`<figure class="picture" id="picture">${await drawn(bot, plan, draw)}</figure>`;
  }
  const later = html`<p class="empty">The picture of ${plan.steps.size} steps is being drawn. <a href="${at}">Only the picture</a></p>`;
  return html`<figure class="picture" id="picture" data-fill="${at}">${later}</figure>`;
}

async function drawn(bot: Bot, plan: Plan, draw: () => Promise<PageDrawing>): Promise<Content> {
  try {
    const { svg, alt } = await draw();
    return html`<div class="actions" role="group" aria-label="Size of the picture">
<button type="button" class="quiet" data-zoom="out" aria-label="Smaller">−</button>
<button type="button" class="quiet" data-zoom="in" aria-label="Larger">+</button>
<button type="button" class="quiet" data-zoom="fit">Whole width</button>
<button type="button" class="quiet" data-zoom="real">As drawn</button>
</div>
<div class="scroll" tabindex="0" role="group" aria-label="Picture">${markup(svg)}</div>
<figcaption class="hidden">${alt}</figcaption>`;
  } catch (error) {
    bot.log.error('A picture could not be made.', error, { flow: plan.id });
    return html`<p class="empty">The picture could not be made; the log says why.</p>`;
  }
}
