import { expect } from 'vitest';
import type { Plan } from '../../src/engine/flow/plan.ts';
import type { Json } from '../../src/engine/json.ts';
import type { RunState } from '../../src/engine/run/state.ts';
import { fold } from '../../src/engine/run/transition.ts';
import type { Store } from '../../src/ports/store.ts';

/** What is left when everything is at rest. */
export interface Evidence {
  readonly store: Store;
  /** The bot's messages. */
  readonly posts: readonly Posted[];
  /** Requests that must not arrive twice. */
  readonly orders: readonly string[];
}

/** A message of the bot. */
export interface Posted {
  /** Its marker: two messages with one marker are one post made twice. */
  readonly key: string;
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
  /** Labels of its buttons. */
  readonly buttons: readonly string[];
}

/** What a run came to, for people and in the store, told so that it is the same whatever happened on the way. */
export interface Story {
  readonly status: string;
  readonly reason: string | null;
  readonly output: Json;
  readonly steps: Readonly<Record<string, Json>>;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Answers to approvals, in order. */
  readonly decisions: readonly string[];
  /** What people read. */
  readonly messages: readonly string[];
  readonly orders: readonly string[];
  /** The stories of the runs that its steps have started, by the call that did. */
  readonly lanes: Readonly<Record<string, Story>>;
}

/** Tells the story of the one run of a flow. Checks on the way what must hold in every story. @param planOf of a lane */
export async function tell(plan: Plan, evidence: Evidence, planOf: PlanOf = noLanes): Promise<Story> {
  const { store, posts } = evidence;
  const rows = await store.runs({ flow: plan.id, limit: 10 });
  expect(rows, 'one message starts one run').toHaveLength(1);
  expect(await store.calls(), 'no call is left').toEqual([]);
  expect(await store.nextTimerMs(), 'no timer is left').toBeUndefined();
  expect(await store.pendingPosts(), 'every post shows the truth').toEqual([]);
  expect(await store.openQuestions(10), 'no question is left').toEqual([]);
  expect(await store.undelivered(), 'every event is done').toEqual([]);
  const keys = posts.map(({ key }) => key);
  expect(keys, 'every message is posted once').toEqual([...new Set(keys)]);
  return tellRun(plan, rows[0]?.id ?? '', evidence, planOf);
}

/** Finds the plan of a flow. */
export type PlanOf = (flow: string) => Plan;

const noLanes: PlanOf = (flow) => {
  throw new Error(`Nobody has expected a run of ${flow}.`);
};

async function tellRun(plan: Plan, id: string, evidence: Evidence, planOf: PlanOf): Promise<Story> {
  const { store, posts, orders } = evidence;
  const state = (await store.run(id))?.state;
  if (!state) throw new Error('The run is not in the store.');
  const journal = await store.journal(id);
  expect(JSON.parse(JSON.stringify(fold(plan, id, journal)))).toEqual(state);
  const answers = journal.filter((event) => event.type === 'question.answered');
  const answered = answers.map(({ question }) => question);
  expect(answered, 'a question is answered once').toEqual([...new Set(answered)]);

  const own = posts.filter(({ key }) => key.includes(state.id));
  return plain(own, state, {
    status: state.status,
    reason: state.reason ?? null,
    output: state.output ?? null,
    steps: Object.fromEntries(Object.entries(state.steps).map(([id, step]) => [id, stepOf(step)])),
    outputs: outputsOf(plan, state),
    decisions: answers.flatMap(({ question, action, feedback, by }) => {
      const asked = state.questions[question];
      return asked?.kind === 'approval'
        ? [`${asked.step} ${asked.round}: ${action} by ${by.name} ${feedback}`]
        : [];
    }),
    messages: own
      .filter(({ key }) => !isDoubt(state, key))
      .map(({ conversation, text, buttons }) => `${conversation}: ${text} ${JSON.stringify(buttons)}`)
      .toSorted(),
    orders: state.start.parent ? [] : orders.toSorted(),
    lanes: await lanesOf(id, evidence, planOf),
  });
}

async function lanesOf(id: string, evidence: Evidence, planOf: PlanOf): Promise<Story['lanes']> {
  const { store } = evidence;
  const lanes: Record<string, Story> = {};
  for (const row of await store.runs({ parent: id, limit: 100 })) {
    const call = (await store.run(row.id))?.state.start.parent?.call ?? '';
    expect(lanes, 'a lane is started once').not.toHaveProperty([call]);
    lanes[call] = await tellRun(planOf(row.flow), row.id, evidence, planOf);
  }
  return lanes;
}

function stepOf(step: RunState['steps'][string]): Json {
  const { status, round } = step;
  return { status, round, ...(step.status === 'done' && { exit: step.exit }) };
}

/** Outputs; those of calls by their text, which is what a person can fill in when nobody knows. */
function outputsOf(plan: Plan, { outputs }: RunState): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([id, { text, json }]) => [
      id,
      callTypes.has(plan.steps.get(id)?.type ?? '') ? text : { text, json },
    ]),
  );
}

const callTypes = new Set(['http', 'agent', 'script', 'tool']);

/** Whether a post asks what became of a call: there are as many of these as there were doubts. */
function isDoubt({ questions }: RunState, key: string): boolean {
  const question = /^question\/(.*)#\d+$/.exec(key)?.[1];
  return question !== undefined && questions[question]?.kind === 'unknown';
}

/** Ids, times and ports depend on how often the bot began; what they stand for does not. */
function plain(posts: readonly Posted[], state: RunState, story: Story): Story {
  // Links to messages on Slack hold their ids without the dot.
  const ids = posts.flatMap(({ id, key }) => [[id, key] as const, [id.replace('.', ''), key] as const]);
  const names = [...ids, [state.id, 'RUN'] as const];
  return JSON.parse(
    names
      .reduce((left, [id, name]) => left.replaceAll(id, name), JSON.stringify(story))
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'),
  );
}
