import { describe, expect, test } from 'vitest';
import { cardIn, createDesk, type Desk, type Side } from './desk.ts';

/** Each of its calls uses up 100 tokens and costs nothing. */
const agents = {
  default: `
runtime: scripted
price: { input: 0, output: 0 }
replies: [{ reply: Done., usage: { inputTokens: 90, outputTokens: 10 } }]
`,
};

/** Three calls of a model under a budget for two. */
const write = `
name: Write
triggers: [{ type: command, command: write }]
budget: { tokens: 150 }
alerts: [0.5]
steps:
  one: { type: llm, prompt: One }
  two: { type: llm, prompt: Two }
  three: { type: llm, prompt: Three }
`;

/** The same over runs of a lane. */
const each = {
  batch: `
name: Batch
triggers: [{ type: command, command: batch }]
budget: { tokens: 350 }
steps: { all: { type: map, name: All, uses: part, over: [1, 2, 3, 4], maxParallel: 2, onItemFailure: collect } }
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

const top = 'k000000001';
const TITLE = 'The budget of this run is used up: may it go on?';
const open = (flows: Readonly<Record<string, string>>) => createDesk(flows, undefined, [], agents);
const stateOf = async (desk: Desk, run = top) => (await desk.store.run(run))?.state;
const textsIn = async (side: Side, thread: string) =>
  (await side.posts({ ...side.here, thread })).map(({ text }) => text);

/** Whether the step of each run has ended well, in a line each. */
async function ended(desk: Desk): Promise<readonly string[]> {
  const rows = await desk.store.runs({ root: top, limit: 100 });
  const states = await Promise.all(rows.toReversed().map(({ id }) => stateOf(desk, id)));
  return states.map((state) =>
    Object.entries(state?.steps ?? {})
      .map(([id, { status }]) => `${id} ${status}`)
      .join(),
  );
}

describe.each(['red', 'blue'] as const)('a budget that is used up, on %s', (name) => {
  test('is asked about once, with figures, in the thread of the run; an alert came before', async () => {
    const desk = await open({ write });
    const side = desk[name];
    const { id: thread } = await side.say(side.ana, '!write');
    await desk.pass(3_600_000);
    const texts = await textsIn(side, thread);
    expect(texts.filter((text) => text.startsWith(TITLE))).toEqual([
      expect.stringContaining(
        '200 tokens of 150 tokens are used up. Nothing new starts until somebody decides.',
      ),
    ]);
    expect(texts.filter((text) => text.includes('📊'))).toEqual([
      `📊 Write has used up 66 % of its budget: 100 tokens of 150 tokens (run ${top}).`,
    ]);
    expect(texts[0]).toContain('Write is waiting');
    expect(await stateOf(desk)).toMatchObject({ status: 'waiting', steps: { three: { status: 'ready' } } });
  });

  test('may be raised by as much again with the button, also after a restart; the card then says so', async () => {
    let desk = await open({ write });
    const { id: thread } = await desk[name].say(desk[name].ana, '!write');
    desk = await desk.restart();
    const side = desk[name];
    const card = await cardIn(side, thread, TITLE);
    expect(card.buttons.map(({ label }) => label)).toEqual(['Allow as much again', 'Stop here']);
    await side.press(side.bo, card.ref, 'Allow as much again');
    await desk.settle();
    expect((await stateOf(desk))?.status).toBe('succeeded');
    const decided = await cardIn(side, thread, TITLE);
    expect(decided.text).toContain('💰 More allowed by Bo');
    expect(decided.buttons).toEqual([]);
    expect((await textsIn(side, thread)).filter((text) => text.includes('📊'))).toHaveLength(2);
  });

  test('may be raised by a command', async () => {
    const desk = await open({ write });
    const side = desk[name];
    await side.say(side.ana, '!write');
    expect((await side.flow(side.ana, `answer ${top} MORE`)).text).toBe('Recorded: more.');
    await desk.settle();
    expect((await stateOf(desk))?.status).toBe('succeeded');
  });

  test('ends the run where somebody stops it, and a late answer hears who did', async () => {
    const desk = await open({ write });
    const side = desk[name];
    const { id: thread } = await side.say(side.ana, '!write');
    const card = await cardIn(side, thread, TITLE);
    await side.press(side.bo, card.ref, 'Stop here');
    expect(await stateOf(desk)).toMatchObject({
      status: 'failed',
      reason: '"three" failed: the budget of this run is used up, and more was refused.',
    });
    expect((await cardIn(side, thread, TITLE)).text).toContain('⛔ Stopped by Bo');
    expect((await side.flow(side.cy, `answer ${top} more`)).text).toMatch(
      /^Bo has already answered “Stop here”/,
    );
  });

  test('is asked of those who may start the flow, where these are named', async () => {
    const desk = await open({ write: `${write}allow: { users: ["${name}:U0ANA"] }\n` });
    const side = desk[name];
    await side.say(side.ana, '!write');
    expect((await side.flow(side.bo, `answer ${top} more`)).text).toMatch(/^Only .*may answer this\.$/);
    expect((await side.flow(side.ana, `answer ${top} more`)).text).toBe('Recorded: more.');
  });
});

describe('a budget over the runs of lanes', () => {
  test('holds them all until somebody decides, once for all of them; then they go on where they were', async () => {
    const desk = await open(each);
    const { red } = desk;
    const { id: thread } = await red.say(red.ana, '!batch');
    await desk.pass(60_000);
    expect(await ended(desk)).toEqual(['one done,two done', 'one done,two done', 'one running,two pending']);
    const asked = (await textsIn(red, thread)).filter((text) => text.startsWith(TITLE));
    expect(asked).toEqual([expect.stringContaining('400 tokens of 350 tokens are used up.')]);
    await red.flow(red.bo, `answer ${top} more`);
    await desk.pass(60_000);
    expect(await ended(desk)).toHaveLength(4);
    expect(await stateOf(desk)).toMatchObject({ output: '4 of 4 succeeded.' });
  });

  test('holds calls of lanes that have begun, also over a restart', async () => {
    const batch = each.batch.replace('tokens: 350', 'tokens: 150');
    let desk = await open({ ...each, batch });
    await desk.red.say(desk.red.ana, '!batch');
    const held = await ended(desk);
    expect(held).toHaveLength(2);
    expect(held.join()).toContain('two running');
    desk = await desk.restart();
    await desk.pass(600_000);
    expect(await ended(desk)).toEqual(held);
    const { red } = desk;
    for (let times = 0; times < 8 && (await stateOf(desk))?.status !== 'succeeded'; times += 1) {
      await red.flow(red.bo, `answer ${top} more`);
      await desk.pass(60_000);
    }
    expect(await stateOf(desk)).toMatchObject({ status: 'succeeded', output: '4 of 4 succeeded.' });
  });

  test('that is refused fails what was held, in lanes too, and the run at the top', async () => {
    const batch = each.batch.replace('tokens: 350', 'tokens: 150');
    const desk = await open({ ...each, batch });
    const { red } = desk;
    await red.say(red.ana, '!batch');
    await red.flow(red.bo, `answer ${top} stop`);
    await desk.pass(60_000);
    // What was under way at the ceiling was finished; of what was held nothing was done.
    expect(await ended(desk)).toEqual(['one done,two failed', 'one done,two failed']);
    expect((await stateOf(desk))?.usageBelow?.tokens).toBe(200);
    expect((await stateOf(desk))?.reason).toBe(
      '"All" failed: the budget of this run is used up, and more was refused.',
    );
    expect(await desk.store.runs({ root: top, statuses: ['running', 'waiting'], limit: 10 })).toEqual([]);
  });
});
