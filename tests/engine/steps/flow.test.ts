import { expect, it } from 'vitest';
import { drive, text } from '../run/drive.ts';

it('hands over its input with the types of what stands there', () => {
  const run = drive({
    steps: {
      build: text('v2'),
      deploy: {
        type: 'flow',
        uses: 'other',
        with: { version: '{{build.text}}', all: '{{start.json}}', said: 'It is {{build.text}}.', times: 2 },
      },
    },
  });
  expect([...run.lanes.values()].map(({ input }) => input)).toEqual([
    { version: 'v2', all: expect.objectContaining({ prompt: '' }), said: 'It is v2.', times: 2 },
  ]);
});

it('fails before it starts anything when a value is missing', () => {
  const run = drive({
    steps: { deploy: { type: 'flow', uses: 'other', with: { version: '{{start.json.files.0}}' } } },
  });
  expect(run.callKeys).toEqual([]);
  expect(run.state.steps.deploy).toMatchObject({ status: 'failed', failure: { code: 'missing-value' } });
});
