import type { Plan } from '../../engine/flow/plan.ts';
import { movedAlong, type ReadValue } from '../../engine/run/moved-along.ts';
import type { RunState } from '../../engine/run/state.ts';
import { type Content, type Html, html } from './html.ts';
import { jsonText, longText } from './parts.ts';

/** What moved along arrows of a run last, or why nothing did. @param positions in `Plan.edges` */
export function edgeDetail(plan: Plan, state: RunState, positions: readonly number[]): Html {
  const edges = positions.flatMap((at) => (plan.edges[at] ? [at] : []));
  if (edges.length === 0) return html`<h2>Arrow</h2><p class="empty">There is no such arrow.</p>`;
  return html`${edges.map((at) => oneEdge(plan, state, at))}`;
}

function oneEdge(plan: Plan, state: RunState, at: number): Content {
  const edge = plan.edges[at];
  const moved = movedAlong(plan, state, at);
  if (!edge || !moved) return false;
  const nameOf = (id: string) => plan.steps.get(id)?.name ?? id;
  const title = html`<h2>${nameOf(edge.from)} → ${nameOf(edge.to)}</h2>`;
  const exit =
    edge.exit !== 'done' && html`<p class="soft">Taken when it is left by <code>${edge.exit}</code>.</p>`;
  if (moved.kind === 'nothing') {
    return html`${title}${exit}<p>Nothing moved along this arrow. ${moved.why}</p>${readTable(moved.reads, 'What its condition looked at')}`;
  }
  const { output, reads, times, feedback } = moved;
  return html`${title}${exit}
${times !== undefined && html`<p>Sent back ${times} ${times === 1 ? 'time' : 'times'}.</p>`}
${feedback !== undefined && feedback !== '' && html`<h3>What was asked to change</h3>${longText(feedback, 'Feedback')}`}
${readTable(reads, `What “${nameOf(edge.to)}” reads of it`)}
${output && html`<h3>All that “${nameOf(edge.from)}” gave</h3>${longText(output.text, 'Text')}${Object.keys(output.json).length > 0 && jsonText(output.json, 'Data')}`}
${!output && html`<p class="empty">It carried no value: what it came from is under way again.</p>`}`;
}

function readTable(reads: readonly ReadValue[], title: string): Content {
  if (reads.length === 0) return false;
  return html`<h3>${title}</h3>${reads.map(
    ({ source, value }) =>
      html`<p><code>${source}</code></p>${value === undefined ? html`<p class="empty">There is no such value.</p>` : typeof value === 'string' ? longText(value, source) : jsonText(value, source)}`,
  )}`;
}
