import type { Graph, GraphEdge, NodeState } from './graph.ts';
import type { Line, Placed, Point } from './placed.ts';
import { shapeOf, signOf } from './shapes.ts';
import { cutTo, escapeXml, FONT_PX, LABEL_FONT_PX, LABEL_MAX_PX, labelWidth, plainLine } from './text.ts';
import { type Cell, NOTE_FONT_PX, NOTE_SIDES_PX, nameLines } from './units.ts';

/** Colours for a light and for a dark page; `page`: those that `pictureStyles` gives, which follow the reader. */
export type Theme = 'light' | 'dark' | 'page';

interface Tint {
  readonly line: string;
  readonly fill: string;
}

interface Colours {
  readonly page: string;
  readonly frame: string;
  readonly text: string;
  readonly soft: string;
  readonly edge: string;
  readonly live: string;
  readonly back: string;
  readonly states: Readonly<Record<NodeState, Tint>>;
}

const COLOURS: Readonly<Record<'light' | 'dark', Colours>> = {
  light: {
    page: '#ffffff',
    frame: '#d5dae1',
    text: '#1b1f24',
    soft: '#5a6472',
    edge: '#8a94a3',
    live: '#1f7a3d',
    back: '#b3261e',
    states: {
      planned: { line: '#8a94a3', fill: '#f6f8fa' },
      working: { line: '#0b62c4', fill: '#e6f1fd' },
      asking: { line: '#9a5b00', fill: '#fff3d6' },
      sleeping: { line: '#5d4bb3', fill: '#efecfb' },
      retrying: { line: '#9a5b00', fill: '#fff8ea' },
      done: { line: '#1f7a3d', fill: '#e7f6ec' },
      failed: { line: '#b3261e', fill: '#fdeceb' },
      skipped: { line: '#aab2bd', fill: '#ffffff' },
    },
  },
  dark: {
    page: '#15181c',
    frame: '#3a414b',
    text: '#eceff3',
    soft: '#a6b0bd',
    edge: '#7b8694',
    live: '#57c27b',
    back: '#ff8a80',
    states: {
      planned: { line: '#7b8694', fill: '#1e2329' },
      working: { line: '#64acff', fill: '#132a45' },
      asking: { line: '#f2b84b', fill: '#3a2b0d' },
      sleeping: { line: '#b3a4ff', fill: '#272145' },
      retrying: { line: '#f2b84b', fill: '#2b2415' },
      done: { line: '#57c27b', fill: '#12301d' },
      failed: { line: '#ff8a80', fill: '#3d1715' },
      skipped: { line: '#59626e', fill: '#15181c' },
    },
  },
};

type Paint = Exclude<keyof Colours, 'states'>;
const PAINTS: readonly Paint[] = ['page', 'frame', 'text', 'soft', 'edge', 'live', 'back'];

/** The same under names that a page gives values to. */
const NAMED: Colours = {
  page: 'var(--picture-page)',
  frame: 'var(--picture-frame)',
  text: 'var(--picture-text)',
  soft: 'var(--picture-soft)',
  edge: 'var(--picture-edge)',
  live: 'var(--picture-live)',
  back: 'var(--picture-back)',
  states: mapStates((state) => ({
    line: `var(--picture-${state}-line)`,
    fill: `var(--picture-${state}-fill)`,
  })),
};

function mapStates<T>(make: (state: NodeState) => T): Readonly<Record<NodeState, T>> {
  return {
    planned: make('planned'),
    working: make('working'),
    asking: make('asking'),
    sleeping: make('sleeping'),
    retrying: make('retrying'),
    done: make('done'),
    failed: make('failed'),
    skipped: make('skipped'),
  };
}

/** The style sheet of a page that shows pictures of the theme `page`. */
export function pictureStyles(): string {
  const { light, dark } = COLOURS;
  const paints = PAINTS.map((name) => `--picture-${name}: light-dark(${light[name]}, ${dark[name]});`);
  const tints = Object.values(
    mapStates((state) =>
      (['line', 'fill'] as const)
        .map(
          (of) =>
            `--picture-${state}-${of}: light-dark(${light.states[state][of]}, ${dark.states[state][of]});`,
        )
        .join('\n'),
    ),
  );
  return `:root {\n${[...paints, ...tints].join('\n')}\n}\n`;
}

/**
 * How a picture is drawn. `isLinked`: each step leads to `?step=<id>`, each line to `?edge=<positions>`, for pages that show
 * more of it.
 */
export interface Look {
  readonly theme: Theme;
  readonly isLinked: boolean;
}

/** Draws a picture as SVG: no scripts, no styles, nothing from elsewhere. Each step is a group with `data-step`, each line one with `data-edge`. */
export function svgOf(graph: Graph, placed: Placed, alt: string, { theme, isLinked }: Look): string {
  const colours = theme === 'page' ? NAMED : COLOURS[theme];
  // What is an image has nothing inside that could be reached.
  const role = isLinked ? 'group' : 'img';
  const { widthPx, heightPx, cells, frames, lines } = placed;
  const size = `width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="${role}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="${FONT_PX}">`,
    `<title>${escapeXml(plainLine(graph.title))}</title>`,
    `<desc>${escapeXml(alt)}</desc>`,
    `<rect width="${widthPx}" height="${heightPx}" fill="${colours.page}"/>`,
    ...frames.map(
      ({ left, top, width, height }) =>
        `<rect x="${at(left)}" y="${at(top)}" width="${at(width)}" height="${at(height)}" rx="12" fill="none" stroke="${colours.frame}" stroke-width="1.5"/>`,
    ),
    // Labels come last, so that no line runs through them.
    ...lines.map((line) => (isLinked ? linkedLine(line, graph, colours) : lineSvg(line, colours))),
    ...cells.map((cell) => (isLinked ? linkedCell(cell, colours) : cellSvg(cell, colours))),
    ...lines.map((line) => labelSvg(line, colours)),
    '</svg>',
  ].join('\n');
}

/** What can be read in it comes first, so that whoever speaks to their browser can say what they see. */
function linkedCell(cell: Cell, colours: Colours): string {
  const { node } = cell;
  const seen = [plainLine(node.type), ...nameLines(node), plainLine(node.note)].filter((part) => part !== '');
  return link(
    `?step=${encodeURIComponent(node.id)}`,
    `${seen.join(' ')}, ${node.state}`,
    cellSvg(cell, colours),
  );
}

/** A line is thin: something wide that can't be seen is pressed in its place. */
function linkedLine(line: Line, { nodes }: Graph, colours: Colours): string {
  const nameOf = (id: string | undefined) => plainLine(nodes.find((node) => node.id === id)?.name ?? '');
  const names = (ids: readonly string[]) => [...new Set(ids)].map(nameOf).join(', ');
  const from = names(line.edges.map((edge) => edge.from));
  const to = names(line.edges.map((edge) => edge.to));
  const label = `Arrow from ${from} to ${to}`;
  const wide = `<path d="${curve(line.points)}" fill="none" stroke="transparent" stroke-width="16"/>`;
  const ids = line.edges.map((edge) => edge.at).join(',');
  return link(`?edge=${ids}`, label, `${wide}${lineSvg(line, colours)}`);
}

function link(to: string, label: string, inner: string): string {
  return `<a href="${escapeXml(to)}" aria-label="${escapeXml(label)}">${inner}</a>`;
}

function cellSvg(cell: Cell, { states, text, soft }: Colours): string {
  const { node, left, top, width, height } = cell;
  const { line, fill } = states[node.state];
  const middle = left + width / 2;
  const lines = nameLines(node);
  const dashed = node.state === 'skipped' ? ' stroke-dasharray="4 3"' : '';
  // At the left: at the right a sheet is folded.
  const sign = signOf(node.state, left + 22, top + 14);
  const faded = node.state === 'skipped' ? soft : text;
  const note = cutTo(plainLine(node.note), width - NOTE_SIDES_PX + 1, NOTE_FONT_PX);
  return [
    `<g data-step="${escapeXml(node.id)}" data-state="${node.state}">`,
    `<path d="${shapeOf(node.type, cell)}" fill="${fill}" stroke="${line}" stroke-width="${node.state === 'planned' || node.state === 'skipped' ? 1.3 : 2}"${dashed}/>`,
    ...(sign === ''
      ? []
      : [
          `<path d="${sign}" fill="none" stroke="${line}" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>`,
        ]),
    textSvg(cutTo(plainLine(node.type), width - 70, 10), middle, top + 17, { size: 10, colour: soft }),
    ...lines.map((words, index) =>
      textSvg(words, middle, top + 34 + index * 17, { size: FONT_PX, colour: faded, bold: true }),
    ),
    ...(note === '' ? [] : [textSvg(note, middle, top + height - 9, { size: 11, colour: line })]),
    '</g>',
  ].join('\n');
}

function textSvg(
  words: string,
  x: number,
  y: number,
  { size, colour, bold = false }: { readonly size: number; readonly colour: string; readonly bold?: boolean },
): string {
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="middle" font-size="${size}"${weight} fill="${colour}">${escapeXml(words)}</text>`;
}

function lineSvg({ edges, points }: Line, colours: Colours): string {
  const kind = kindOf(edges);
  const [end, before] = [points.at(-1), points.at(-2)];
  if (!end || !before) return '';
  const look = LOOKS[kind];
  const colour = kind === 'back' ? colours.back : kind === 'live' ? colours.live : colours.edge;
  const dash = look.dash === '' ? '' : ` stroke-dasharray="${look.dash}"`;
  const ids = edges.map((edge) => edge.at).join(' ');
  return [
    `<g data-edge="${ids}" data-kind="${kind}">`,
    `<path d="${curve(points)}" fill="none" stroke="${colour}" stroke-width="${look.width}" stroke-linecap="round"${dash}/>`,
    `<path d="${arrow(before, end, look.width)}" fill="${colour}"/>`,
    '</g>',
  ].join('');
}

/** Thick: data has moved; dashed: not taken; dotted: back to an earlier step. */
const LOOKS = {
  live: { width: 3.2, dash: '' },
  open: { width: 1.4, dash: '' },
  dead: { width: 1.4, dash: '6 5' },
  back: { width: 2, dash: '1 5' },
} as const;

/** Of a line that stands for several: something has moved along it as soon as it has along one. */
function kindOf(edges: readonly GraphEdge[]): GraphEdge['kind'] {
  for (const kind of ['back', 'live', 'open'] as const)
    if (edges.some((edge) => edge.kind === kind)) return kind;
  return 'dead';
}

function labelSvg({ edges, label }: Line, colours: Colours): string {
  if (!label) return '';
  const words = cutTo(plainLine(label.text), LABEL_MAX_PX, LABEL_FONT_PX);
  const width = labelWidth(label.text);
  const { x, y } = label.at;
  const colour = kindOf(edges) === 'back' ? colours.back : colours.soft;
  return [
    `<rect x="${at(x - width / 2)}" y="${at(y - 9)}" width="${at(width)}" height="17" rx="5" fill="${colours.page}"/>`,
    textSvg(words, x, y + 4, { size: 11, colour }),
  ].join('');
}

/** A line with round corners. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${at(first.x)} ${at(first.y)}`;
  let last = first;
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    if (!next) return `${path}L${at(corner.x)} ${at(corner.y)}`;
    const into = toward(corner, last);
    const out = toward(corner, next);
    path += `L${at(into.x)} ${at(into.y)}Q${at(corner.x)} ${at(corner.y)} ${at(out.x)} ${at(out.y)}`;
    last = corner;
  }
  return path;
}

const RADIUS = 8;

/** A point a little way from a corner to another. */
function toward(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}

function arrow(from: Point, to: Point, width: number): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const size = 6 + width * 1.4;
  const side = (turn: number) => ({
    x: to.x - size * Math.cos(angle + turn),
    y: to.y - size * Math.sin(angle + turn),
  });
  const [one, other] = [side(0.42), side(-0.42)];
  return `M${at(to.x)} ${at(to.y)}L${at(one.x)} ${at(one.y)}L${at(other.x)} ${at(other.y)}Z`;
}

function at(value: number): number {
  return Math.round(value * 10) / 10;
}
