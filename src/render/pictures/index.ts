import type { Plan } from '../../engine/flow/plan.ts';
import type { RunState } from '../../engine/run/state.ts';
import { altOf } from './alt.ts';
import { type Graph, graphOf, type Names } from './graph.ts';
import { layout } from './layout.ts';
import { type Look, svgOf, type Theme } from './svg.ts';

export { type Graph, graphOf } from './graph.ts';
export { type Look, pictureStyles } from './svg.ts';

/** A picture. */
export interface Picture {
  readonly svg: string;
  /** What it shows, in words: at most 1,000 UTF-16 units. */
  readonly alt: string;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** The picture of a flow. The same plan gives the same picture. */
export function flowPicture(plan: Plan, theme: Theme = 'light'): Picture {
  return draw(graphOf(plan), undefined, { theme, isLinked: false });
}

/** The picture of a run as it is now. @param names of people by their addresses, as far as they are known */
export function runPicture(
  plan: Plan,
  run: RunState,
  names: Names = new Map(),
  theme: Theme = 'light',
): Picture {
  return draw(graphOf(plan, run, names), run.status, { theme, isLinked: false });
}

/** The picture of a graph. @param status of the run that it shows */
export function draw(
  graph: Graph,
  status?: string,
  look: Look = { theme: 'light', isLinked: false },
): Picture {
  const placed = layout(graph);
  const alt = altOf(graph, status);
  return { svg: svgOf(graph, placed, alt, look), alt, widthPx: placed.widthPx, heightPx: placed.heightPx };
}
