import { describe, expect, test } from 'vitest';
import { runChatCommand } from '../../src/commands/table.ts';
import { answered } from '../fakes/http.ts';
import { cardIn, createDesk, type Desk, type Side } from './desk.ts';

/** Asks for each item, two at once. @param question further keys of the question */
const asking = (question = '', more = '') => ({
  deploy: `
name: Deploy
triggers: [{ type: command, command: deploy }]
steps:
  all: { type: map, name: All, uses: each, over: [eu, us, asia], maxParallel: 2${more} }
output: "{{all.json.items}}"
`,
  each: `
name: Each
input: { type: object, properties: { item: { type: string } } }
steps:
  ask: { type: approval, title: Deploy it?, notes: "To {{input.item}}"${question} }
output: { to: "{{input.item}}" }
`,
});

const top = 'k000000001';
const [first, second, third] = ['k000000002', 'k000000003', 'k000000004'];

/** Starts a run, which asks about two of the three items. @returns the thread of its cards */
async function begun(side: Side): Promise<string> {
  return (await side.say(side.ana, '!deploy')).id;
}

const statusOf = async (desk: Desk, run: string) => (await desk.store.run(run))?.row.status;

describe.each(['red', 'blue'] as const)('lanes that ask on %s', (name) => {
  test('have a card each, in the thread under the card of the run at the top', async () => {
    const desk = await createDesk(asking());
    const side = desk[name];
    const thread = await begun(side);
    const posts = (await side.posts({ ...side.here, thread })).map(({ text }) => text);
    expect(posts).toHaveLength(3);
    expect(posts[0]).toContain('All: 0 of 3');
    expect(posts.slice(1)).toEqual([
      expect.stringMatching(/^Deploy it\?[\s\S]*To eu/),
      expect.stringMatching(/^Deploy it\?[\s\S]*To us/),
    ]);
  });

  test('are answered one by one, also after a restart, and the run goes on', async () => {
    let desk = await createDesk(asking());
    const thread = await begun(desk[name]);
    desk = await desk.restart();
    const side = desk[name];
    for (let count = 0; count < 3; count += 1) {
      const cards = await side.posts({ ...side.here, thread });
      const open = cards.find(({ buttons }) => buttons.some(({ label }) => label === 'Approve'));
      if (!open) throw new Error('Nobody is asked.');
      await side.press(side.bo, open.ref, 'Approve');
    }
    const run = await desk.store.run(top);
    expect(run?.state).toMatchObject({
      status: 'succeeded',
      output: ['eu', 'us', 'asia'].map((to) => ({ to })),
    });
    const cards = await side.posts({ ...side.here, thread });
    expect(cards.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toEqual(['Run again']);
  });

  test('the run at the top stands for its only open question, and otherwise names them', async () => {
    const desk = await createDesk(asking());
    const side = desk[name];
    await begun(side);
    expect((await side.flow(side.bo, `approve ${top}`)).text).toBe(
      `Run ${top} has several open questions: ${first}.1 (Deploy it?, All 1), ${second}.1 (Deploy it?, All 2). Name one of them.`,
    );
    expect((await side.flow(side.bo, `approve ${first}`)).text).toBe('Recorded: approve.');
    expect((await side.flow(side.bo, `approve ${second}.1`)).text).toBe('Recorded: approve.');
    expect((await side.flow(side.bo, `approve ${top}`)).text).toBe('Recorded: approve.');
    expect(await statusOf(desk, top)).toBe('succeeded');
    expect((await side.flow(side.cy, `approve ${top}`)).text).toMatch(
      /^Bo has already answered “Approve” at /,
    );
  });

  test('whoever started the run at the top may not answer in its lanes where people are named', async () => {
    const approvers = `, approvers: { users: ["${name}:U0ANA", "${name}:U0BO"] }`;
    const desk = await createDesk(asking(approvers, ', maxItems: 3'));
    const side = desk[name];
    const thread = await begun(side);
    const card = await cardIn(side, thread, 'Deploy it?');
    const why = 'You started this run, so somebody else has to answer.';
    expect((await side.press(side.ana, card.ref, 'Approve')).text).toBe(why);
    expect((await side.flow(side.ana, `approve ${first}`)).text).toBe(why);
    expect((await side.press(side.bo, card.ref, 'Approve')).text).toBe('');
    expect(await statusOf(desk, first)).toBe('succeeded');
  });

  test('nor whoever asked for the run that it repeats', async () => {
    const approvers = `, approvers: { users: ["${name}:U0ANA", "${name}:U0BO"] }`;
    const desk = await createDesk(asking(approvers));
    const side = desk[name];
    await begun(side);
    await side.flow(side.ana, `cancel ${top}`);
    const offer = await side.flow(side.ada, `retry ${top}`);
    const again = offer.buttons.find(({ label }) => label === 'From the beginning');
    await side.pressId(side.ada, again?.id ?? '');
    const [question] = await desk.store.openQuestions(1);
    const repeated = await desk.store.run(question?.run ?? '');
    expect(repeated?.state.start).toMatchObject({ person: side.ada, requesters: [side.ana] });
    const refused = await side.flow(side.ana, `approve ${question?.id}`);
    expect(refused.text).toBe('You started this run, so somebody else has to answer.');
    expect((await side.flow(side.bo, `approve ${question?.id}`)).text).toBe('Recorded: approve.');
  });

  test('a run that is cancelled closes what its lanes ask: no card keeps a button', async () => {
    const desk = await createDesk(asking());
    const side = desk[name];
    const thread = await begun(side);
    await side.flow(side.ana, `cancel ${top}`);
    const cards = await side.posts({ ...side.here, thread });
    expect(cards.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toEqual(['Run again']);
    expect(await desk.store.openQuestions(10)).toEqual([]);
    expect((await side.flow(side.bo, `approve ${first}.1`)).text).toMatch(/^This question is closed/);
  });

  test('a lane that is cancelled fails the step whose run it is, with who did it', async () => {
    const desk = await createDesk(asking());
    const side = desk[name];
    await begun(side);
    await side.flow(side.ana, `cancel ${second}`);
    expect(await statusOf(desk, first)).toBe('cancelled');
    expect((await desk.store.run(top))?.state).toMatchObject({
      status: 'failed',
      reason: '"All" failed: item 2 of 3: Cancelled by Ana.',
    });
  });

  test('a lane is not retried alone: the run at the top is', async () => {
    const desk = await createDesk(asking());
    const side = desk[name];
    await begun(side);
    await side.flow(side.ana, `cancel ${second}`);
    const why = `This run is a part of run ${top}: retry that one.`;
    expect((await side.flow(side.ana, `retry ${second}`)).text).toBe(why);
    expect((await side.flow(side.ana, `retry ${second} yes`)).text).toBe(why);
  });
});

describe('what is told of lanes', () => {
  const ids = (data: unknown) => JSON.stringify(data).match(/k0000\d+/g);

  test('/flow runs lists runs at the top only', async () => {
    const desk = await createDesk(asking());
    await begun(desk.red);
    const { text } = await desk.red.flow(desk.red.ana, 'runs');
    expect(ids(text)).toEqual([top]);
  });

  test('/flow status names those that are open or failed, and a lane says what it is a part of', async () => {
    const desk = await createDesk(asking('', ', onItemFailure: collect'));
    const { red } = desk;
    await begun(red);
    await red.flow(red.bo, `approve ${first}`);
    await red.flow(red.bo, `reject ${second} No.`);
    const { text } = await red.flow(red.ana, `status ${top}`);
    expect(text).toContain('All: 2 of 3, 1 failed');
    expect(text).toContain(
      `Runs of its lanes that are open or did not succeed:\n\n- ${third} All 3: waiting\n- ${second} All 2: rejected, "ask" was rejected by Bo: No.`,
    );
    const lane = await red.flow(red.ana, `status ${second}`);
    expect(lane.text).toContain(`\n\nAll 2 of run ${top}`);
    expect(lane.buttons).toEqual([]);
    const reply = await runChatCommand(
      desk.bot,
      { person: red.ana, place: red.here, event: 'e', atMs: 0 },
      `status ${first}`,
    );
    expect(reply.data).toMatchObject({ id: first, partOf: top, lanes: [] });
  });

  test('of 400 it names twenty, and the data has all', async () => {
    const desk = await createDesk({
      all: `
name: All
triggers: [{ type: command, command: all }]
steps: { each: { type: map, uses: one, over: [${Array.from({ length: 400 }, (_, n) => n).join()}], maxItems: 400, maxParallel: 50, onItemFailure: collect } }
`,
      one: 'input: { type: object, properties: { item: { type: integer } } }\nsteps: { ask: { type: approval, title: "Go?" } }\n',
    });
    const { red } = desk;
    await red.say(red.ana, '!all');
    const { text } = await red.flow(red.ana, `status ${top}`);
    expect(text.match(/^- k0/gm)).toHaveLength(20);
    expect(text).toContain('- … and 30 more');
    const caller = { person: red.ana, place: red.here, event: 'e', atMs: 0 };
    const reply = await runChatCommand(desk.bot, caller, `status ${top}`);
    expect(reply.data).toMatchObject({ lanes: { length: 50 } });
    const refused = await red.flow(red.bo, `approve ${top}`);
    expect(refused.text.match(/\(Go\?, /g)).toHaveLength(10);
    expect(refused.text).toContain(', and 40 more. Name one of them.');
  });

  test('/flow approvals says which lane of which run asks', async () => {
    const desk = await createDesk(asking());
    await begun(desk.red);
    const { text } = await desk.red.flow(desk.red.bo, 'approvals');
    expect(text).toContain(`${first}.1 Deploy it? (each, All 1 of run ${top})`);
  });
});

describe('a retry of the run at the top', () => {
  test('C34: goes on with its lanes: what succeeded is kept, what failed goes on, and no post is doubled', async () => {
    let isDown = true;
    const desk = await createDesk(
      {
        ship: `
name: Ship
triggers: [{ type: command, command: ship }]
steps: { all: { type: map, uses: one, over: [eu, us], onItemFailure: collect }, check: { type: template, text: "{{all.json.failed.0.index}}" }, fail: { type: http, url: "https://down.example/" } }
`,
        one: `
input: { type: object, properties: { item: { type: string } } }
steps:
  say: { type: message, to: "#general", text: "Shipping {{input.item}}" }
  call: { type: http, url: "https://example.com/{{input.item}}" }
  done: { type: message, to: "#general", text: "Shipped {{input.item}}" }
`,
      },
      ({ url }) => answered(isDown && !url.endsWith('/eu') ? 404 : 200, {}),
    );
    const { red } = desk;
    await red.say(red.ana, '!ship');
    expect(await statusOf(desk, top)).toBe('failed');
    isDown = false;
    const requests = desk.http.arrived.length;
    await red.flow(red.ana, `retry ${top} yes`);
    const said = (await red.posts(red.elsewhere)).map(({ text }) => text);
    expect(said.toSorted()).toEqual(['Shipped eu', 'Shipping eu', 'Shipping us']);
    expect(desk.http.arrived.length - requests).toBe(1);
  });

  test('goes on with posts of lanes that were half sent', async () => {
    const long = `${'first '.repeat(300)}\\n\\n${'second '.repeat(250)}`;
    const desk = await createDesk({
      tell: `
name: Tell
triggers: [{ type: command, command: tell }]
steps: { all: { type: map, uses: one, over: [eu, us], maxParallel: 2 } }
`,
      one: `
input: { type: object, properties: { item: { type: string } } }
steps: { say: { type: message, to: "red:#general", text: "{{input.item}} ${long}" } }
`,
    });
    const { red } = desk;
    const { chat } = red.platform;
    const { post } = chat;
    let isArchived = true;
    chat.post = async (place, part, key) => {
      const isLater =
        place.conversation === red.elsewhere.conversation && JSON.stringify(part).includes('second');
      return isLater && isArchived
        ? { kind: 'refused', message: 'The channel is archived.' }
        : post(place, part, key);
    };
    await red.say(red.ana, '!tell');
    expect(await statusOf(desk, top)).toBe('failed');
    const begun = (await red.posts(red.elsewhere)).length;
    isArchived = false;
    await red.flow(red.ana, `retry ${top} yes`);
    const parts = (await red.posts(red.elsewhere)).map(({ text }) => text.slice(0, 6).trim());
    expect(begun).toBeGreaterThan(0);
    expect(parts.toSorted()).toEqual(['eu fir', 'second', 'second', 'us fir']);
  });
});
