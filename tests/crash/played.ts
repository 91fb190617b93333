import fc from 'fast-check';
import { expect } from 'vitest';
import type { Plan } from '../../src/engine/flow/plan.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';
import { type Answering, answered } from '../fakes/http.ts';
import { play, type Script } from './people.ts';
import { evidenceOf, type StageOptions, setStage } from './stage.ts';
import { type Story, tell } from './story.ts';

/** Servers: GitHub's status page, one that is down at first, one that is gone; everybody else says yes. */
export const answering: Answering = ({ method, url }, before) => {
  const { pathname } = new URL(url);
  switch (pathname) {
    case '/api/v2/status.json':
      return answered(200, { status: { indicator: 'none', description: 'All Systems Operational' } });
    case '/shaky':
      return before === 0 ? answered(503, { sorry: true }) : answered(200, { ok: true });
    case '/gone':
      return answered(410, {});
    default:
      return answered(200, { method, path: pathname });
  }
};

/** However often the process dies, and wherever, the story is the same. */
export async function endsTheSame(flows: FlowSet, script: Script): Promise<void> {
  const { story: undisturbed } = await storyOf(flows, script);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 }), async (points) => {
      const { story } = await storyOf(flows, script, { deaths: points.map((nth) => ({ nth })) });
      expect(story).toEqual(undisturbed);
    }),
    { numRuns: 20 },
  );
}

/** Plays a script to its end and tells what came of it. */
export async function storyOf(
  flows: FlowSet,
  script: Script,
  options: StageOptions = {},
): Promise<{ readonly story: Story; readonly points: readonly string[] }> {
  const stage = setStage(flows, { answering, ...options });
  await play(stage, script);
  const planOf = (flow: string): Plan => {
    const plan = flows.flows.find(({ id }) => id === flow)?.plan;
    if (!plan) throw new Error(`There is no flow ${flow}.`);
    return plan;
  };
  const [command = ''] = script.opening.slice(1).split(' ');
  const story = await tell(planOf(command), await evidenceOf(stage), planOf);
  return { story, points: stage.lives.flatMap(({ points }) => points) };
}
