import { beforeAll, describe, expect, test } from 'vitest';
import { isFinal } from '../../src/engine/run/state.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';
import { countFlow, fanFlow, fanItemFlow, loadFlows, workFlow } from './flows.ts';
import type { EndsAt } from './life.ts';
import { play, type Script } from './people.ts';
import { answering, endsTheSame, storyOf } from './played.ts';
import { evidenceOf, releases, setStage } from './stage.ts';

// Lanes, agents, scripts and tools, of which the process dies in the middle.

const server = 'http://shop.example';
let flows: FlowSet;

beforeAll(async () => {
  const texts = { fan: fanFlow('fanItem'), fanItem: fanItemFlow(server), work: workFlow, count: countFlow };
  flows = await loadFlows(texts, 'slack');
});

const decide: Script['decide'] = () => ({ by: 'bo', action: 'approve', feedback: '' });
const fan: Script = { opening: '!fan', decide };
const work: Script = { opening: '!work', decide };
/** An agent asks whether it may call a tool. */
const count: Script = { opening: '!count', decide };

describe.each(Object.entries({ fan, work }))('%s', { timeout: 240_000 }, (_name, script) => {
  test('ends the same wherever the process dies', async () => {
    const undisturbed = await storyOf(flows, script);
    expect(undisturbed.story.status).toBe('succeeded');
    for (const [index, point] of undisturbed.points.entries()) {
      const { story } = await storyOf(flows, script, { deaths: [{ nth: index + 1 }] });
      expect(story, `died at point ${index + 1}: ${point}`).toEqual(undisturbed.story);
    }
  });

  test('ends the same when the process dies again right after its start', async () => {
    const { story: undisturbed, points } = await storyOf(flows, script);
    for (const [index, point] of points.entries()) {
      if (index % 4 !== 0) continue;
      const deaths = [{ nth: index + 1 }, { nth: 1 + (index % 5) }];
      const { story } = await storyOf(flows, script, { deaths });
      expect(story, `died at point ${index + 1}: ${point}, and soon again`).toEqual(undisturbed);
    }
  });

  test('ends the same however often the process dies', () => endsTheSame(flows, script));
});

describe('the process dies between the end of a lane and its news at the run above:', () => {
  test.each([1, 2, 3])('lane %i of three is not run again, and the run goes on', async (nth) => {
    const { story: undisturbed } = await storyOf(flows, fan);
    const deaths = [{ nth, of: 'before commit lane.ended' }];
    const { story } = await storyOf(flows, fan, { deaths });
    expect(story).toEqual(undisturbed);
    expect(story.orders).toHaveLength(3);
  });
});

describe('a call that was cut off in the middle', () => {
  /** Steps about which people were asked what became of them, when the process died there. */
  async function askedWhenDead(endsAt: EndsAt): Promise<readonly string[]> {
    const stage = setStage(flows, { answering, deaths: [endsAt] });
    await play(stage, work);
    expect(stage.lives, 'nobody died').toHaveLength(2);
    await evidenceOf(stage);
    const [row] = await stage.store.runs({ flow: 'work', limit: 1 });
    const state = row && (await stage.store.run(row.id))?.state;
    expect(state?.status).toBe('succeeded');
    expect(await stage.workshop.workspaces.runs(), 'its workspace is gone').toEqual([]);
    return Object.values(state?.questions ?? {}).flatMap(({ kind, step }) =>
      kind === 'unknown' ? [step] : [],
    );
  }

  test.each(['before', 'after'])('is an unknown outcome that people decide: %s the call', async (when) => {
    expect(await askedWhenDead({ nth: 1, of: `${when} agent task` })).toEqual(['write']);
    expect(await askedWhenDead({ nth: 1, of: `${when} program node` })).toEqual(['build']);
  });

  test('of a tool is one only once it has left', async () => {
    expect(await askedWhenDead({ nth: 1, of: 'before tool deploy' })).toEqual([]);
    expect(await askedWhenDead({ nth: 1, of: 'after tool deploy' })).toEqual(['deploy']);
  });

  test.each(['agent prompt', 'agent decision', 'tool stock'])(
    'simply runs again when it changes nothing: %s',
    async (call) => {
      expect(await askedWhenDead({ nth: 1, of: `before ${call}` })).toEqual([]);
      expect(await askedWhenDead({ nth: 1, of: `after ${call}` })).toEqual([]);
    },
  );
});

test('a tool that is set to ask is called only as often as people have allowed it, wherever the process dies', async () => {
  const { points } = await storyOf(flows, count);
  for (const [index, point] of points.entries()) {
    const stage = setStage(flows, { answering, deaths: [{ nth: index + 1 }] });
    await play(stage, count);
    const [row] = await stage.store.runs({ flow: 'count', limit: 1 });
    const state = row && (await stage.store.run(row.id))?.state;
    const where = `died at point ${index + 1}: ${point}`;
    expect(state, where).toMatchObject({ status: 'succeeded', output: 'There are seven.' });
    const allowed = Object.values(state?.questions ?? {}).filter(
      ({ kind, state: closed }) =>
        kind === 'tool' && closed.status === 'answered' && closed.action === 'allow',
    );
    expect(allowed.length, where).toBeGreaterThan(0);
    expect(stage.workshop.looked(), where).toBeLessThanOrEqual(allowed.length);
    const posts = await stage.platform.messages({ platform: 'slack', conversation: 'C-ops' });
    expect(
      posts.filter(({ text }) => text.includes('There are seven.')),
      where,
    ).toHaveLength(1);
  }
}, 240_000);

describe('a run that is cancelled while its lanes ask', () => {
  /** Cancels it when two of its three lanes wait for people. */
  async function cancelled(deaths: readonly EndsAt[] = []) {
    const stage = setStage(flows, { answering, deaths });
    const { ana } = stage.platform.people;
    const root = await stage.platform.say(ana, releases, fan.opening);
    const thread = { ...releases, thread: root.id };
    const buttons = async () =>
      (await stage.platform.messages(thread)).flatMap(({ ref, buttons }) =>
        buttons.map(({ id }) => ({ ref, id })),
      );
    for (let turns = 0; turns < 20; turns += 1) {
      await stage.platform.redeliver();
      await stage.rest();
      if (stage.pass()) continue;
      const open = await stage.store.openQuestions(10);
      // What nobody knows the outcome of is left to itself.
      const cancel = (await buttons()).find(({ id }) => id.startsWith('cancel:'));
      if (!cancel) break;
      if (open.length > 0) await stage.platform.click(ana, cancel.ref, cancel.id);
    }
    const rows = [
      ...(await stage.store.runs({ limit: 10 })),
      ...(await stage.store.runs({ lanes: true, limit: 10 })),
    ];
    return {
      stage,
      rows,
      answerable: (await buttons()).filter(({ id }) => id.startsWith('answer:')),
      points: stage.lives.flatMap(({ points }) => points),
    };
  }

  test('takes them along wherever the process dies, and nothing asks any more', {
    timeout: 240_000,
  }, async () => {
    const { points } = await cancelled();
    for (const [index, point] of points.entries()) {
      const { stage, rows, answerable } = await cancelled([{ nth: index + 1 }]);
      const where = `died at point ${index + 1}: ${point}`;
      expect(rows.length, where).toBeGreaterThan(1);
      expect(
        rows.every(({ status }) => isFinal(status)),
        where,
      ).toBe(true);
      expect(
        rows.every(({ status }) => status === 'cancelled'),
        where,
      ).toBe(true);
      expect(answerable, where).toEqual([]);
      expect(await stage.store.openQuestions(10), where).toEqual([]);
      expect(await stage.store.calls(), where).toEqual([]);
    }
  });
});
