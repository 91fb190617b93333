import { describe, expect, test } from 'vitest';
import { dayOf } from '../../src/engine/run/day-budget.ts';
import { cardIn, createDesk, type Desk, type Side } from './desk.ts';

/** Each of its calls uses up 100 tokens. */
const model = `
runtime: scripted
replies: [{ reply: Done., usage: { inputTokens: 90, outputTokens: 10 } }]
`;
/** They cost nothing. */
const priced = `${model}price: { input: 0, output: 0 }\n`;

const write = `
name: Write
triggers: [{ type: command, command: write }]
budget: { perDay: { tokens: 400 } }
alerts: [0.3, 0.7]
steps:
  one: { type: llm, prompt: One }
  two: { type: llm, prompt: Two }
`;

const other = `
name: Other
triggers: [{ type: command, command: other }]
steps: { one: { type: llm, prompt: One } }
`;

/** Each item asks twice. */
const each = {
  batch: `
name: Batch
triggers: [{ type: command, command: batch }]
budget: { perDay: { tokens: 250 } }
steps: { all: { type: map, name: All, uses: part, over: [1, 2, 3], maxParallel: 1, onItemFailure: collect } }
output: "{{all.text}}"
`,
  part: `
name: Part
input: { type: object, properties: { item: { type: integer } } }
steps:
  one: { type: llm, prompt: "One {{input.item}}" }
  two: { type: llm, prompt: "Two {{input.item}}" }
`,
};

const DAY_MS = 86_400_000;
const TITLE = 'The budget of the day is used up: may this run go on?';
const [first, second, third] = ['k000000001', 'k000000002', 'k000000003'] as const;
const open = (
  flows: Readonly<Record<string, string>>,
  budget?: Parameters<typeof createDesk>[4],
): Promise<Desk> => createDesk(flows, undefined, [], { default: priced }, budget);
const stateOf = async (desk: Desk, run: string) => (await desk.store.run(run))?.state;
const statusOf = async (desk: Desk, run: string) => (await stateOf(desk, run))?.status;
const textsIn = async (side: Side, thread: string) =>
  (await side.posts({ ...side.here, thread })).map(({ text }) => text);
/** When the next day begins, from now. */
const nightMs = (desk: Desk) => Date.parse(dayOf(desk.clock.now())) + DAY_MS - desk.clock.now();

/** Two runs, which use up all of it. The thread of each. */
async function writeTwice(side: Side): Promise<readonly [string, string]> {
  const one = await side.say(side.ana, '!write');
  const two = await side.say(side.bo, '!write');
  return [one.id, two.id];
}

describe.each(['red', 'blue'] as const)('a budget of a day that is used up, on %s', (name) => {
  test('is asked about in the thread of the run that needs more; the others have gone through', async () => {
    const desk = await open({ write });
    const side = desk[name];
    const [, thread] = await writeTwice(side);
    await side.say(side.cy, '!write');
    expect(await statusOf(desk, first)).toBe('succeeded');
    expect(await statusOf(desk, second)).toBe('succeeded');
    expect(await stateOf(desk, third)).toMatchObject({
      status: 'waiting',
      steps: { one: { status: 'asking' } },
    });
    expect(await textsIn(side, thread)).not.toContainEqual(expect.stringContaining(TITLE));
  });

  test('lets a run go on with the button, which then uses up more; another run asks for itself', async () => {
    const desk = await open({ write });
    const side = desk[name];
    await writeTwice(side);
    const { id: thread } = await side.say(side.cy, '!write');
    const card = await cardIn(side, thread, TITLE);
    expect(card.text).toContain(
      `Write: 400 tokens of 400 tokens are used up on ${dayOf(desk.clock.now())} (UTC). The step “one” waits.`,
    );
    expect(card.buttons.map(({ label }) => label)).toEqual(['Let this run go on', 'Stop here']);
    await side.press(side.bo, card.ref, 'Let this run go on');
    await desk.settle();
    expect(await stateOf(desk, third)).toMatchObject({ status: 'succeeded', usage: { tokens: 200 } });
    await side.say(side.ana, '!write');
    expect(await statusOf(desk, 'k000000004')).toBe('waiting');
  });
});

describe('a run that waits for the budget of a day', () => {
  test('goes on by itself the next day, also after a restart, and under the budget of that day', async () => {
    let desk = await open({ write });
    await writeTwice(desk.red);
    const { id: thread } = await desk.red.say(desk.red.cy, '!write');
    desk = await desk.restart();
    await desk.pass(nightMs(desk) - 1_000);
    expect(await statusOf(desk, third)).toBe('waiting');
    await desk.pass(2_000);
    expect(await stateOf(desk, third)).toMatchObject({ status: 'succeeded', usage: { tokens: 200 } });
    expect((await cardIn(desk.red, thread, TITLE)).buttons).toEqual([]);
  });

  test('fails where somebody stops it', async () => {
    const desk = await open({ write });
    const { red } = desk;
    await writeTwice(red);
    await red.say(red.cy, '!write');
    await red.flow(red.bo, `answer ${third} stop`);
    expect(await stateOf(desk, third)).toMatchObject({
      status: 'failed',
      reason: '"one" failed: the budget of the day is used up, and more was refused.',
    });
  });

  test('asks those who may start the flow, where these are named', async () => {
    const desk = await open({ write: `${write}allow: { users: ["red:U0ANA"] }\n` });
    const { red } = desk;
    for (let times = 0; times < 3; times += 1) await red.say(red.ana, '!write');
    expect((await red.flow(red.bo, `answer ${third} more`)).text).toMatch(/^Only .*may answer this\.$/);
    expect((await red.flow(red.ana, `answer ${third} more`)).text).toBe('Recorded: more.');
  });

  test('leaves other flows alone', async () => {
    const desk = await open({ write, other });
    await writeTwice(desk.red);
    await desk.red.say(desk.red.ana, '!other');
    expect(await statusOf(desk, third)).toBe('succeeded');
  });
});

describe('work of unknown cost', () => {
  test('is asked about under a ceiling of cost', async () => {
    const spend = `
name: Spend
triggers: [{ type: command, command: spend }]
budget: { perDay: { costUsd: 5 } }
steps:
  one: { type: llm, prompt: One }
  two: { type: llm, prompt: Two }
`;
    const desk = await createDesk({ spend }, undefined, [], { default: model });
    const { red } = desk;
    const { id: thread } = await red.say(red.ana, '!spend');
    expect((await cardIn(red, thread, TITLE)).text).toContain(
      `Spend: nobody knows what a call of a model on ${dayOf(desk.clock.now())} (UTC) cost, and the cost is limited.`,
    );
    await red.flow(red.bo, `answer ${first} more`);
    await desk.settle();
    expect(await statusOf(desk, first)).toBe('succeeded');
  });
});

describe('lanes', () => {
  test('count for the flow at the top; who lets one go on lets all of its run', async () => {
    const desk = await open(each);
    const { red } = desk;
    const { id: thread } = await red.say(red.ana, '!batch');
    const asked = (await textsIn(red, thread)).filter((text) => text.startsWith(TITLE));
    expect(asked).toEqual([expect.stringContaining('Batch: 300 tokens of 250 tokens are used up')]);
    await red.press(red.bo, (await cardIn(red, thread, TITLE)).ref, 'Let this run go on');
    await desk.pass(60_000);
    expect(await stateOf(desk, first)).toMatchObject({ status: 'succeeded', output: '3 of 3 succeeded.' });
    expect(await desk.store.spent(dayOf(0), '9999-12-31')).toEqual([
      expect.objectContaining({
        flow: 'part',
        root: 'batch',
        usage: expect.objectContaining({ tokens: 600 }),
      }),
    ]);
  });
});

describe('the budget of all flows together', () => {
  const budget = { perDay: { tokens: 250 }, alerts: [0.5] };

  test('holds every flow until an admin lets it go on; admins are told before', async () => {
    const desk = await open({ other }, budget);
    const { red } = desk;
    for (let times = 0; times < 3; times += 1) await red.say(red.ana, '!other');
    const { id: thread } = await red.say(red.ana, '!other');
    const card = await cardIn(red, thread, TITLE);
    expect(card.text).toContain('All flows together: 300 tokens of 250 tokens are used up on');
    expect((await red.flow(red.ana, 'answer k000000004 more')).text).toMatch(/^Only .*may answer this\.$/);
    expect((await red.flow(red.ada, 'answer k000000004 more')).text).toBe('Recorded: more.');
    await desk.settle();
    expect(await statusOf(desk, 'k000000004')).toBe('succeeded');
    const told = (await red.posts({ platform: 'red', conversation: 'D-U0ADA' })).map(({ text }) => text);
    expect(told.filter((text) => text.includes('📊'))).toEqual([
      `📊 All flows together have used up 80 % of their budget of the day: 200 tokens of 250 tokens on ${dayOf(desk.clock.now())} (UTC).`,
    ]);
  });
});

describe('alerts', () => {
  const alertsIn = async (desk: Desk, threads: readonly string[]) =>
    (await Promise.all(threads.map((thread) => textsIn(desk.red, thread))))
      .flat()
      .filter((text) => text.includes('📊'));

  test('are given once for each part of a ceiling and day, also over restarts', async () => {
    let desk = await open({ write });
    const today = dayOf(desk.clock.now());
    const threads = [...(await writeTwice(desk.red))];
    desk = await desk.restart();
    threads.push((await desk.red.say(desk.red.cy, '!write')).id);
    expect(await alertsIn(desk, threads)).toEqual([
      `📊 Write has used up 50 % of its budget of the day: 200 tokens of 400 tokens on ${today} (UTC).`,
      `📊 Write has used up 75 % of its budget of the day: 300 tokens of 400 tokens on ${today} (UTC).`,
    ]);
    await desk.pass(nightMs(desk) + 1_000);
    expect(await alertsIn(desk, threads)).toHaveLength(3);
  });

  test('that a process could not store are given by the next one, before its next call', async () => {
    let desk = await open({ write });
    const { commit } = desk.store;
    desk.store.commit = async (all) => {
      if (all.posts?.some(({ key }) => key.startsWith('budget/day/'))) throw new Error('The disk is full.');
      return commit(all);
    };
    const { id: thread } = await desk.red.say(desk.red.ana, '!write');
    expect(await statusOf(desk, first)).toBe('succeeded');
    expect(await alertsIn(desk, [thread])).toEqual([]);
    desk.store.commit = commit;
    desk = await desk.restart();
    const next = await desk.red.say(desk.red.bo, '!write');
    const given = await alertsIn(desk, [next.id]);
    expect(given.map((text) => text.slice(0, 23))).toEqual([
      '📊 Write has used up 50',
      '📊 Write has used up 75',
    ]);
  });
});
