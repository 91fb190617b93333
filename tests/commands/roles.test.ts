import { beforeEach, describe, expect, test } from 'vitest';
import type { Person, Place } from '../../src/engine/people.ts';
import type { ChatClick, ChatShortcut } from '../../src/ports/chat.ts';
import { createDesk, type Desk, onlyRun, runsOf, type Side } from './desk.ts';
import { echo } from './flows.ts';

const GUARDED = `
name: Guarded
allow: { users: ["red:U0BO"], roles: [leads] }
input: { type: object, properties: { who: { type: string } }, required: [who] }
triggers: [{ type: command, command: guarded }, { type: manual }]
steps: { say: { type: template, text: "Hello {{input.who}}" } }
`;
const ASKING = `
name: Asking
triggers: [{ type: command, command: asking }]
steps:
  ask: { type: approval, title: May we?, approvers: { users: ["red:U0BO"], roles: [leads, "red:S0OPS"] } }
`;
const SHAKY = `
name: Shaky
triggers: [{ type: command, command: shaky }]
steps: { call: { type: http, url: "https://shop.example/" } }
`;
const RED_ONLY = `
name: Red only
allow: { roles: ["red:leads"] }
triggers: [{ type: manual }]
steps: { say: { type: template, text: Hello } }
`;

let desk: Desk;
/** What was asked about roles, as `person role conversation`. */
let asked: string[];

/** Gives people of a side roles; whoever is not listed has none. A role without a list is one that nobody can tell. */
function roles(
  side: Side,
  members: Readonly<Record<string, readonly Person[] | 'unknown' | 'broken'>>,
): void {
  side.platform.chat.hasRole = async (person: Person, role: string, place: Place) => {
    asked.push(`${person.id} ${role} ${place.conversation}`);
    const list = members[role];
    if (list === 'broken') throw new Error('The platform does not answer.');
    return list === undefined || list === 'unknown' ? undefined : list.some(({ id }) => id === person.id);
  };
}

const unsure = 'and I could not find out whether you are one of them.';

beforeEach(async () => {
  asked = [];
  const down = () => ({
    kind: 'failed' as const,
    reason: 'connection' as const,
    message: 'The connection broke.',
    mayHaveArrived: false,
  });
  desk = await createDesk({ echo, guarded: GUARDED, asking: ASKING, redonly: RED_ONLY, shaky: SHAKY }, down);
  const { red, blue } = desk;
  roles(red, { leads: [red.ana], S0OPS: [red.cy] });
  roles(blue, { leads: [], S0OPS: [] });
});

describe('C61: an approval that names roles', () => {
  test.each<[string, (side: Side) => Person]>([
    ['a person it names', ({ bo }) => bo],
    ['somebody with one of its roles', ({ cy }) => cy],
  ])('is answered by %s', async (_, who) => {
    const { red } = desk;
    await red.say(red.ana, '!asking');
    expect((await red.flow(who(red), 'approve k000000001')).text).toBe('Recorded: approve.');
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });

  test('asks the platform just before, where the answer is given, and only when it has to', async () => {
    const { red } = desk;
    await red.say(red.ana, '!asking');
    await red.flow(red.cy, 'approve k000000001', red.elsewhere);
    expect(asked).toEqual(['U0CY leads C-general', 'U0CY S0OPS C-general']);
    asked = [];
    await red.flow(red.bo, 'approve k000000001');
    expect(asked).toEqual([]);
  });

  test('is not answered by others: they hear who may, and only they', async () => {
    const { red } = desk;
    await red.say(red.cy, '!asking');
    expect((await red.flow(red.ada, 'approve k000000001')).text).toBe(
      'Only Bo, @leads, @S0OPS may answer this.',
    );
    expect((await onlyRun(desk)).status).toBe('waiting');
  });

  test('whoever lost the role since may not answer any more', async () => {
    const { red } = desk;
    await red.say(red.ana, '!asking');
    roles(red, { leads: [], S0OPS: [] });
    expect((await red.flow(red.cy, 'approve k000000001')).text).toContain('Only Bo');
  });

  test.each(['unknown', 'broken'] as const)(
    'a role that is %s counts as none, and the refusal says so',
    async (answer) => {
      const { red } = desk;
      await red.say(red.ana, '!asking');
      roles(red, { leads: answer, S0OPS: [] });
      expect((await red.flow(red.cy, 'approve k000000001')).text).toBe(
        `Only Bo, @leads, @S0OPS may answer this, ${unsure}`,
      );
      expect((await red.pressId(red.cy, 'answer:k000000001.1:approve')).text).toContain(unsure);
      roles(red, { leads: answer, S0OPS: [red.cy] });
      expect((await red.flow(red.cy, 'approve k000000001')).text).toBe('Recorded: approve.');
    },
  );

  test('a role of one platform does not count on another; one without a platform counts on that of the person', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!asking');
    roles(blue, { leads: [], S0OPS: [blue.cy] });
    expect((await blue.flow(blue.cy, 'approve k000000001')).text).toBe(
      'Only red:U0BO, @leads, red:@S0OPS may answer this.',
    );
    expect(asked).toEqual(['U0CY leads C-releases']);
    roles(blue, { leads: [blue.cy], S0OPS: [] });
    expect((await blue.flow(blue.cy, 'approve k000000001')).text).toBe('Recorded: approve.');
  });

  test('waits for whoever has the role: in the list and on their page', async () => {
    const { red } = desk;
    await red.say(red.ana, '!asking');
    expect((await red.flow(red.cy, 'approvals', red.elsewhere)).text).toBe(
      '- k000000001.1 May we? (asking), waits for you',
    );
    expect((await red.flow(red.ada, 'approvals', red.elsewhere)).text).toBe(
      'Nothing waits for an answer here.',
    );
    const waiting = async (person: Person) =>
      (await desk.inbound.home(person, red.here)).sections[0]?.items.length;
    expect(await waiting(red.cy)).toBe(1);
    expect(await waiting(red.ada)).toBe(0);
  });

  test('its card notifies the roles of the platform where it stands', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!asking');
    const cards = await red.posts({ ...red.here, thread: id });
    expect(cards.some(({ text }) => text.includes('Waiting for Bo, @leads, @S0OPS.'))).toBe(true);
    expect((await desk.store.post('question/k000000001.1'))?.content.notify).toEqual([
      'U0BO',
      '@leads',
      '@S0OPS',
    ]);
  });
});

describe('a flow that roles may start', () => {
  test('is started by them, at every entrance, and by nobody else', async () => {
    const { red } = desk;
    expect((await red.flow(red.ana, 'run guarded who=Ana')).text).toContain('Started run');
    await red.say(red.ana, '!guarded Ana');
    expect(await runsOf(desk)).toHaveLength(2);
    const refusal = 'Only red:U0BO, @leads may start Guarded.';
    expect((await red.flow(red.cy, 'run guarded who=Cy')).text).toBe(refusal);
    const { id } = await red.say(red.cy, '!guarded Cy');
    expect((await red.posts({ ...red.here, thread: id })).map(({ text }) => text)).toEqual([refusal]);
    expect(await runsOf(desk)).toHaveLength(2);
  });

  test('stays closed when nobody can tell, and says so', async () => {
    const { red } = desk;
    roles(red, { leads: 'broken' });
    expect((await red.flow(red.ana, 'run guarded who=Ana')).text).toBe(
      `Only red:U0BO, @leads may start Guarded, ${unsure}`,
    );
    expect(await runsOf(desk)).toEqual([]);
  });

  test('is listed for everybody with the reason, and offered only to those who may start it', async () => {
    const { red } = desk;
    expect((await red.flow(red.cy, 'list')).text).toContain('Only red:U0BO, @leads may start Guarded.');
    expect((await red.flow(red.ana, 'list')).text).not.toContain('may start Guarded');
    expect((await red.flow(red.cy, 'help')).text).not.toContain('!guarded');
    expect((await red.flow(red.ana, 'help')).text).toContain('!guarded');
    expect(await desk.inbound.complete('run gu', red.cy, red.here)).toEqual([]);
    expect(await desk.inbound.complete('run gu', red.ana, red.here)).toMatchObject([
      { typed: 'run guarded' },
    ]);
    const offered = async (person: Person) => JSON.stringify(await desk.inbound.home(person, red.here));
    expect(await offered(red.cy)).not.toContain('start:guarded');
    expect(await offered(red.ana)).toContain('start:guarded');
  });

  test('a form opens at once for whoever may have the role; what they send is checked', async () => {
    const { red, blue } = desk;
    const shortcut = (person: Person, place: Place): ChatShortcut => ({
      type: 'shortcut',
      id: 'S1',
      atMs: 1,
      person,
      place,
    });
    const options = async (person: Person, place: Place) =>
      (await desk.inbound.formFor(shortcut(person, place)))?.fields[0]?.options;
    expect(await options(red.cy, red.here)).toEqual(['echo', 'guarded', 'redonly']);
    expect(await options(blue.cy, blue.here)).toEqual(['echo', 'guarded']);
    const message = { ...red.here, id: 'page' };
    const click: ChatClick = {
      type: 'click',
      id: 'C1',
      atMs: 1,
      person: red.cy,
      message,
      button: 'start:guarded',
    };
    expect(await desk.inbound.formFor(click)).toMatchObject({ id: 'start:guarded', fields: [{ id: 'who' }] });
    const submit = {
      id: 'V1',
      atMs: 2,
      person: red.cy,
      place: red.here,
      form: 'start:guarded',
      values: { who: 'Cy' },
    };
    const { answer } = await desk.inbound.receive({ type: 'submit', ...submit });
    expect(JSON.stringify(await answer)).toContain('Only red:U0BO, @leads may start Guarded.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('a retry is a start as well', async () => {
    const { red } = desk;
    await red.say(red.ana, '!shaky');
    desk.load({ shaky: `${SHAKY}\nallow: { roles: [leads] }\n` });
    roles(red, { leads: [] });
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toBe('Only @leads may start Shaky.');
    roles(red, { leads: [red.ana] });
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toContain('Started run');
  });
});
