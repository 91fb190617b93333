import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, drive, text } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

const minute = 60_000;
const lane: JsonObject = { type: 'flow', uses: 'other', timeout: '5m' };

describe('the time limit of a step', () => {
  it('is set when its lane begins, and let go of when it ends', () => {
    const run = drive({ steps: { deploy: lane } });
    expect([...run.timers]).toEqual([['deploy/1/1/timeout', run.atMs + 5 * minute]]);
    run.laneEnds('deploy', 0);
    expect(run.timers.size).toBe(0);
  });

  it('fails the step in time, whatever its runs wait for', () => {
    const run = drive({ steps: { deploy: lane } });
    run.laneMoves('deploy', 0, 'waiting');
    run.wait(5 * minute);
    expect(run.state.reason).toBe('"deploy" failed: it took longer than its time limit of 5 minutes.');
    keepsItsPromises(run);
  });

  it('is let go of when the run is cancelled', () => {
    const run = drive({ steps: { deploy: lane } });
    run.cancel();
    expect(run.timers.size).toBe(0);
  });

  it('is let go of when work is sent back, and begins anew in the next round', () => {
    const run = drive({
      humanReminder: null,
      steps: { draft: text('d'), deploy: lane, review: ask },
      edges: ['draft -> deploy', 'draft -> review', { from: 'review.rejected', to: 'draft', sendBack: true }],
    });
    run.wait(3 * minute);
    run.answer('review', 'reject');
    expect([...run.timers]).toEqual([['deploy/2/1/timeout', run.atMs + 5 * minute]]);
    keepsItsPromises(run);
  });

  it('is never set for a step that ends at once', () => {
    const run = drive({
      steps: { each: { type: 'map', over: [], uses: 'other', timeout: '5m' }, review: ask },
      humanReminder: null,
    });
    expect(run.timers.size).toBe(0);
  });

  it('is never set for a step that is stopped as soon as it begins', () => {
    const run = drive({
      humanReminder: null,
      steps: { go: text(''), deploy: lane, bad: text('{{start.json.files.0}}'), end: { type: 'join' } },
      edges: ['go -> deploy -> end', 'go -> bad -> end'],
    });
    expect(run.state.status).toBe('failed');
    expect(run.timers.size).toBe(0);
    expect(run.lanes.size).toBe(0);
  });
});
