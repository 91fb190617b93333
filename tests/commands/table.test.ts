import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import { reservedWords } from '../../src/engine/flow/triggers.ts';
import { createDesk, type Desk } from './desk.ts';
import { echo, guarded, nap, release, review, twoQuestions } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, release, review, nap, guarded, both: twoQuestions });
});

describe('the table', () => {
  test('names every command once, each by a word that no flow can take', () => {
    const names = COMMANDS.map((command) => command.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !reservedWords.has(name))).toEqual([]);
  });

  test.each(['', '   ', 'help', 'HELP', '\u200Bhelp\u00A0'])(
    '/flow %j helps with each command',
    async (typed) => {
      const { text } = await desk.red.flow(desk.red.ana, typed);
      for (const { name, usage, summary } of COMMANDS) {
        expect(text).toContain(`/flow ${name}${usage === '' ? '' : ` ${usage}`}: ${summary}`);
      }
    },
  );

  test('help names the words one can type, but not those of flows one may not start', async () => {
    const { text } = await desk.red.flow(desk.red.ana, 'help');
    expect(text).toContain('!echo');
    expect(text).toContain('!nap');
    expect(text).not.toContain('!guarded');
    expect((await desk.red.flow(desk.red.bo, 'help')).text).toContain('!guarded');
  });

  test.each([
    ['lst', 'There is no command /flow lst. Did you mean /flow list?'],
    ['echo', 'There is no command /flow echo. Did you mean /flow run echo?'],
    ['xylophone', 'There is no command /flow xylophone. /flow help shows what there is.'],
    ['<@U0BO>', 'There is no command /flow <@u0bo>. /flow help shows what there is.'],
  ])('/flow %s says what was meant', async (typed, answer) => {
    expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(answer);
  });

  test.each(['show', 'schedule', 'pause', 'resume', 'rehearse', 'reload', 'audit'])(
    '/flow %s says that it comes later',
    async (typed) => {
      expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(
        `/flow ${typed} is not available yet in this version.`,
      );
    },
  );

  test('C71: 40,000 characters are answered shortly', async () => {
    const { text } = await desk.red.flow(desk.red.ana, 'x'.repeat(40_000));
    expect(text.length).toBeLessThan(200);
    expect(text).toContain('…');
    const flow = await desk.red.flow(desk.red.ana, `run ${'y'.repeat(40_000)}`);
    expect(flow.text.length).toBeLessThan(200);
  });
});

describe('whoami', () => {
  test('tells how flows name you, on each platform', async () => {
    expect((await desk.red.flow(desk.red.ana, 'whoami')).text).toBe('You are Ana, red:U0ANA in flow files.');
    expect((await desk.blue.flow(desk.blue.ada, 'whoami')).text).toBe(
      'You are Ada, blue:U0ADA in flow files, and an admin.',
    );
  });
});

describe('completion', () => {
  const complete = (typed: string, person = desk.red.ana, place = desk.red.here) =>
    desk.inbound.complete(typed, person, place);

  test('offers commands until a space follows', async () => {
    expect(await complete('')).toEqual(COMMANDS.map((command) => command.name));
    expect(await complete('re')).toEqual(['reject', 'retry']);
    expect(await complete('RU')).toEqual(['run', 'runs']);
    expect(await complete('nope')).toEqual([]);
    expect(await complete('nope ')).toEqual([]);
  });

  test('offers the flows one may start', async () => {
    expect(await complete('run ')).toEqual(['run echo', 'run release', 'run review', 'run nap', 'run both']);
    expect(await complete('run RE')).toEqual(['run release', 'run review']);
    expect(await complete('run ', desk.red.bo)).toContain('run guarded');
  });

  test('offers runs one may cancel, here and one’s own elsewhere', async () => {
    const { ana, bo, cy, ada, here, elsewhere } = desk.red;
    const napOf = async (person: typeof ana, place = here) => {
      desk.clock.pass(60_000);
      const { id } = await desk.red.say(person, '!nap', place);
      return (await desk.store.runs({ limit: 9 })).find((row) => row.home?.thread === id)?.id;
    };
    const mine = await napOf(ana);
    const mineElsewhere = await napOf(ana, elsewhere);
    const his = await napOf(bo);
    expect(await complete('cancel ')).toEqual([`cancel ${mineElsewhere}`, `cancel ${mine}`]);
    expect(await complete('cancel ', ada)).toEqual([`cancel ${his}`, `cancel ${mine}`]);
    expect(await complete('cancel ', cy)).toEqual([]);
    expect(await complete('status ', cy)).toEqual([`status ${his}`, `status ${mine}`]);
    expect(await complete('status ', desk.blue.ana, desk.blue.here)).toEqual([]);
  });

  test('offers open questions: the run, or each question where there are two', async () => {
    await desk.red.say(desk.red.ana, '!review');
    await desk.red.say(desk.red.ana, '!both');
    expect(await complete('approve ')).toEqual([
      'approve k000000001',
      'approve k000000002.1',
      'approve k000000002.2',
    ]);
    expect(await complete('reject k000000002')).toHaveLength(2);
    expect(await complete('answer ', desk.red.cy, desk.red.elsewhere)).toEqual([]);
    expect(await complete('answer ', desk.red.bo, desk.red.elsewhere)).toEqual(['answer k000000002']);
  });

  test('offers at most 25', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `flow${index}`,
        echo.replace('command: echo', `command: echo${index}`),
      ]),
    );
    desk.load(many);
    expect(await complete('run ')).toHaveLength(25);
  });

  test('offers flows to switch on and off', async () => {
    await desk.red.flow(desk.red.ada, 'disable echo');
    expect(await complete('enable ')).toEqual(['enable echo']);
    expect(await complete('disable e')).toEqual([]);
  });
});
