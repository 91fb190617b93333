import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/engine/json.ts';
import { graphOf } from '../../../src/render/pictures/graph.ts';
import { flowPicture, type Picture, runPicture } from '../../../src/render/pictures/index.ts';
import { layout } from '../../../src/render/pictures/layout.ts';
import { agentLibrary, arbitraryFlow } from '../../engine/run/arbitrary-flow.ts';
import { ana, ask, type Driven, drive, get, join, post, text } from '../../engine/run/drive.ts';
import { play } from '../../engine/run/moves.ts';

const anyFlow = arbitraryFlow({ sendBacks: true, failures: true, agents: true });
const luck = fc.array(fc.nat(60), { maxLength: 60 });
const hostile = fc.oneof(
  fc.constantFrom(
    '<script>alert(1)</script>',
    ']]>',
    '"\'&',
    '\u202Eevil',
    'a\u0000b',
    '\ud800',
    '🚀'.repeat(60),
    '漢'.repeat(120),
  ),
  fc.string({ minLength: 1, maxLength: 120, unit: 'binary' }),
);

/** Throws when it is no well-formed XML. */
const read = ({ svg }: Picture) => new Resvg(svg, { font: { loadSystemFonts: false } });

/** The flow, with other names. */
function named(flow: JsonObject, name: string): JsonObject {
  const steps = isJsonObject(flow.steps) ? flow.steps : {};
  const renamed = Object.entries(steps).map(([id, step]) => [
    id,
    isJsonObject(step) ? { ...step, name } : step,
  ]);
  return { ...flow, name, steps: Object.fromEntries(renamed) };
}

describe('a picture of any flow, at any point of any run', () => {
  test('is well-formed, holds no code, and is the same each time', () => {
    fc.assert(
      fc.property(anyFlow, luck, hostile, fc.constantFrom('light', 'dark'), (flow, choices, name, theme) => {
        const run = drive(named(flow, name.slice(0, 120)), {}, agentLibrary);
        play(run, choices);
        for (const picture of [
          flowPicture(run.plan, theme),
          runPicture(run.plan, run.state, new Map(), theme),
        ]) {
          read(picture);
          expect(picture.svg).not.toMatch(/<script|style=|href|javascript:|<foreignObject/i);
          expect(picture.alt.length).toBeLessThanOrEqual(1_000);
          expect(picture.alt.trim()).not.toBe('');
        }
        expect(runPicture(run.plan, run.state).svg).toBe(runPicture(run.plan, run.state).svg);
      }),
      { numRuns: 60 },
    );
  });

  test('shows every step once and every edge, inside of it, and no step on another', () => {
    fc.assert(
      fc.property(anyFlow, luck, (flow, choices) => {
        const run = drive(flow, {}, agentLibrary);
        play(run, choices);
        const { cells, lines, widthPx, heightPx } = layout(graphOf(run.plan, run.state));
        expect(cells.map(({ node }) => node.id).toSorted()).toEqual([...run.plan.steps.keys()].toSorted());
        expect(lines.flatMap(({ edges }) => edges.map(({ at }) => at)).toSorted()).toEqual(
          [...run.plan.edges.keys()].toSorted(),
        );
        for (const [index, one] of cells.entries()) {
          expect(one.left).toBeGreaterThanOrEqual(0);
          expect(one.left + one.width).toBeLessThanOrEqual(widthPx);
          expect(one.top + one.height).toBeLessThanOrEqual(heightPx);
          for (const other of cells.slice(index + 1)) {
            const isApart =
              one.left + one.width <= other.left ||
              other.left + other.width <= one.left ||
              one.top + one.height <= other.top ||
              other.top + other.height <= one.top;
            expect(isApart, `${one.node.id} and ${other.node.id}`).toBe(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('what a picture tells', () => {
  const review: JsonObject = {
    name: 'Release <notes>',
    steps: {
      draft: { ...text('x'), name: 'Draft & more' },
      review: { ...ask, approvers: { users: ['slack:U0ANA', 'slack:U0BO', 'slack:U0CY'] } },
      publish: post,
      never: post,
    },
    edges: [
      'draft -> review',
      'review.approved -> publish',
      { from: 'review.rejected', to: 'draft', sendBack: true, maxRounds: 5 },
      { from: 'draft', to: 'never', when: { path: 'text', is: 'y' } },
    ],
  };
  const stateOf = (run: Driven, id: string) => {
    const group = new RegExp(`data-step="${id}" data-state="(\\w+)"`).exec(
      runPicture(run.plan, run.state).svg,
    );
    return group?.[1];
  };
  const kindOf = (run: Driven, at: number) =>
    new RegExp(`data-edge="${at}" data-kind="(\\w+)"`).exec(runPicture(run.plan, run.state).svg)?.[1];

  test('where each step is, which arrows carried data, and for whom a run waits', () => {
    const run = drive(review);
    expect(['draft', 'review', 'publish', 'never'].map((id) => stateOf(run, id))).toEqual([
      'done',
      'asking',
      'planned',
      'skipped',
    ]);
    expect([0, 1, 2, 3].map((at) => kindOf(run, at))).toEqual(['live', 'open', 'back', 'dead']);
    const { svg, alt } = runPicture(run.plan, run.state, new Map([['slack:U0ANA', 'Ana']]));
    expect(svg).toContain('waits for Ana, slack:U0B');
    expect(svg).toContain('rejected, 0 of 5');
    expect(svg).toContain('<title>Release &lt;notes&gt;</title>');
    expect(alt).toContain('Run of Release <notes>, waiting: 4 steps. Draft & more is done;');
    expect(alt).toContain('waiting, waits for Ana, slack:U0BO and 1 more');
  });

  test('a flow that no run is of has neither', () => {
    const { plan } = drive(review);
    const { svg, alt } = flowPicture(plan);
    expect(svg).not.toContain('data-kind="live"');
    expect(svg).toContain('rejected, up to 5 times');
    expect(alt).toBe(
      'Flow Release <notes>: 4 steps. Draft & more (template), review (approval), publish (message), never (message).',
    );
  });

  test('each state has a sign of its own beside its colour', () => {
    const run = drive({ steps: { a: get, b: post } });
    const svg = runPicture(run.plan, run.state).svg;
    expect(svg).toContain('data-step="a" data-state="working"');
    expect(run.plan.steps.size).toBe(2);
    expect(ana.name).toBe('Ana');
  });
});

describe('large flows stay readable', () => {
  const many = (count: number, step: JsonObject) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, step]));

  test.each<[string, JsonObject]>([
    ['60 steps one after the other', { steps: many(60, post) }],
    [
      '60 steps beside each other',
      {
        steps: { ...many(60, post), first: text('x'), last: join },
        edges: Array.from({ length: 60 }, (_, index) => `first -> s${index} -> last`),
      },
    ],
  ])('%s', (_, flow) => {
    const { plan } = drive(flow);
    const { widthPx, heightPx } = flowPicture(plan);
    const ratio = widthPx / heightPx;
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(2.2);
    // So that it is read on a screen of 2,000 pixels without a magnifying glass.
    expect(Math.max(widthPx, heightPx)).toBeLessThan(2_000);
  });
});
