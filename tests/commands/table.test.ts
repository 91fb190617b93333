import { beforeEach, describe, expect, test } from 'vitest';
import { usageOf } from '../../src/commands/command.ts';
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
      for (const command of COMMANDS) {
        const usage = [command.name, usageOf(command)].filter((part) => part !== '').join(' ');
        expect(text).toContain(`/flow ${usage}: ${command.summary}`);
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

  test.each(['rehearse'])('/flow %s says that it comes later', async (typed) => {
    expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(
      `/flow ${typed} is not available yet in this version.`,
    );
  });

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
  const completions = (typed: string, person = desk.red.ana, place = desk.red.here) =>
    desk.inbound.complete(typed, person, place);
  const complete = async (...args: Parameters<typeof completions>) =>
    (await completions(...args)).map((completion) => completion.typed);
  const shown = async (...args: Parameters<typeof completions>) =>
    (await completions(...args)).map((completion) => completion.shown);

  test('offers commands until a space follows', async () => {
    expect(await complete('')).toEqual(COMMANDS.map((command) => command.name));
    expect(await complete('re')).toEqual(['reject', 'retry', 'resume', 'reload']);
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

  test('shows flows, runs and questions by what people know them by', async () => {
    expect(await shown('run rel')).toEqual(['Release notes (release)']);
    await desk.red.say(desk.red.ana, '!nap');
    await desk.red.say(desk.red.ana, '!review');
    expect(await shown('cancel ')).toEqual(['k000000002 · Review, waiting', 'k000000001 · Nap, waiting']);
    expect(await shown('approve ')).toEqual(['k000000002 · Is it good? (Review)']);
    expect(await shown('list')).toEqual(['list: Lists the flows and how to start them.']);
  });

  test('finds them by any words that are shown, after what begins as was typed', async () => {
    expect(await complete('run notes')).toEqual(['run release']);
    expect(await complete('run Release No')).toEqual(['run release']);
    expect(await complete('run e')).toEqual(['run echo', 'run release', 'run review', 'run both']);
    await desk.red.say(desk.red.ana, '!review');
    expect(await complete('approve good is')).toEqual(['approve k000000001']);
    expect(await complete('approve k000000001 ')).toEqual([]);
  });

  test('offers the answers of a question', async () => {
    await desk.red.say(desk.red.ana, '!review');
    expect(await complete('answer k000000001 ')).toEqual([
      'answer k000000001 approve',
      'answer k000000001 reject',
    ]);
    expect(await shown('answer k000000001 re')).toEqual(['Reject (reject)']);
    expect(await complete('answer k000000001 ', desk.red.cy, desk.red.elsewhere)).toEqual([]);
  });

  test('offers flows and statuses for lists of runs', async () => {
    expect(await complete('runs wai')).toEqual(['runs waiting']);
    expect(await complete('runs nap ')).toContain('runs nap open');
    expect(await complete('runs NAP f')).toEqual(['runs NAP failed']);
  });

  test('offers to agree to a retry', async () => {
    await desk.red.say(desk.red.ana, '!nap');
    await desk.red.flow(desk.red.ana, 'cancel k000000001');
    expect(await complete('retry ')).toEqual(['retry k000000001']);
    expect(await complete('retry k000000001 ')).toEqual(['retry k000000001 yes', 'retry k000000001 current']);
  });

  describe('of an input', () => {
    const DEPLOY = `
name: Deploy
input:
  type: object
  properties:
    environment: { enum: [staging, production, "our lab"], title: Where }
    version: { type: string }
    dry: { type: boolean }
triggers: [{ type: manual }]
steps: { say: { type: template, text: hello } }
`;
    beforeEach(() => desk.load({ deploy: DEPLOY, guarded, echo }));

    test('offers fields and their values', async () => {
      expect(await complete('run deploy ')).toEqual([
        'run deploy environment=staging',
        'run deploy environment=production',
        'run deploy environment="our lab"',
        'run deploy version=',
        'run deploy dry=true',
        'run deploy dry=false',
      ]);
      expect(await shown('run deploy env')).toContain('environment=staging · Where');
      expect(await complete('run deploy prod')).toEqual(['run deploy environment=production']);
      expect(await complete('run echo ')).toEqual([]);
    });

    test('keeps what was typed, and offers what is not given yet', async () => {
      expect(await complete('run Deploy version="1 2"  ENVIRONMENT=staging d')).toEqual([
        'run Deploy version="1 2"  ENVIRONMENT=staging dry=true',
        'run Deploy version="1 2"  ENVIRONMENT=staging dry=false',
      ]);
      expect(await complete('run deploy version="1 d')).toEqual([]);
      expect(await complete('run deploy something d')).toEqual([]);
    });

    test('of a flow that others start is not told', async () => {
      desk.load({ deploy: `allow: { users: ["red:U0BO"] }${DEPLOY}` });
      expect(await complete('run deploy ')).toEqual([]);
      expect(await complete('run deploy ', desk.red.bo)).toHaveLength(6);
    });
  });

  test.each([
    ['a long word', 'x'.repeat(100_000)],
    ['many words', 'a '.repeat(50_000)],
    ['many spaces', ' '.repeat(100_000)],
    ['many pairs', 'version=1 '.repeat(10_000)],
    ['open quotes', 'version="'.repeat(10_000)],
  ])('is quick about %s', async (_, typed) => {
    for (const word of ['', 'run ', 'run release ', 'answer ', 'runs ']) {
      const before = performance.now();
      for (const completion of await complete(word + typed)) expect(completion.length).toBeLessThan(2_000);
      expect(performance.now() - before).toBeLessThan(500);
    }
  });

  test('offers flows to switch on and off', async () => {
    await desk.red.flow(desk.red.ada, 'disable echo');
    expect(await complete('enable ')).toEqual(['enable echo']);
    expect(await complete('disable ec')).toEqual([]);
  });
});
