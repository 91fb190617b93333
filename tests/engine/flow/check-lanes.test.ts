import { describe, expect, test } from 'vitest';
import { checkLanes } from '../../../src/engine/flow/check-lanes.ts';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

/** What is wrong with flows that run each other, a line each. */
function faults(flows: Readonly<Record<string, JsonObject>>): readonly string[] {
  const read = Object.entries(flows).map(([id, definition]) => {
    const { plan, faults } = compile(definition, id);
    if (!plan) throw new Error(faults.map(({ message }) => message).join('\n'));
    return { file: `${id}.flow.yaml`, plan, definition };
  });
  return checkLanes(read, new Map()).map(
    ({ file, path, message, fix }) => `${file} ${path.join('.')}: ${message} ${fix}`,
  );
}

const schedule: JsonObject = { triggers: [{ type: 'schedule', every: '1h' }] };
const webhook: JsonObject = { triggers: [{ type: 'webhook', secret: 'HOOK' }] };
const using = (uses: string): JsonObject => ({ steps: { sub: { type: 'flow', uses } } });
const asking: JsonObject = { steps: { ask: { type: 'approval' } } };
const say: JsonObject = { steps: { say: { type: 'message', text: 'hello' } } };
const fix = 'Write conversation: at the top of this flow, such as slack:#releases.';

describe('a run that nobody starts in a chat', () => {
  test.each<[string, Record<string, JsonObject>, string[]]>([
    [
      'a schedule whose lane asks',
      { top: { ...schedule, ...using('each') }, each: asking },
      [
        `top.flow.yaml steps.sub.uses: steps.sub.uses: a run that a schedule starts has no conversation, and ask of each needs one. ${fix}`,
      ],
    ],
    [
      'a webhook whose lane has a lane that posts where the run lives; also where that has a conversation of its own',
      {
        top: { ...webhook, ...using('mid') },
        mid: { conversation: 'slack:#ops', ...using('leaf') },
        leaf: say,
      },
      [
        `top.flow.yaml steps.sub.uses: steps.sub.uses: a run that a webhook starts has no conversation, and say of leaf needs one. ${fix}`,
      ],
    ],
    [
      'a schedule with a conversation',
      { top: { ...schedule, conversation: 'slack:#ops', ...using('each') }, each: asking },
      [],
    ],
    [
      'a schedule whose lane asks somewhere else',
      {
        top: { ...schedule, ...using('each') },
        each: { steps: { ask: { type: 'approval', to: 'slack:#ops' } } },
      },
      [],
    ],
    [
      'a flow that people start',
      { top: { triggers: [{ type: 'manual' }], ...using('each') }, each: asking },
      [],
    ],
  ])('%s', (_, flows, expected) => {
    expect(faults(flows)).toEqual(expected);
  });

  test('what uses such a flow is broken, too', () => {
    const flows = { a: using('top'), top: { ...schedule, ...using('each') }, each: asking };
    expect(faults(flows).map((fault) => fault.split(':')[0])).toEqual([
      'top.flow.yaml steps.sub.uses',
      'a.flow.yaml steps.sub.uses',
    ]);
  });
});

test('flows that come back to themselves are a warning, and end the search all the same', () => {
  const circle = { a: { ...schedule, ...using('b') }, b: using('a'), c: using('c') };
  expect(faults(circle).map((fault) => fault.split('. ')[0])).toEqual([
    'a.flow.yaml steps.sub.uses: steps.sub.uses: b runs a again',
    'b.flow.yaml steps.sub.uses: steps.sub.uses: a runs b again',
    'c.flow.yaml steps.sub.uses: steps.sub.uses: c runs itself',
  ]);
});
