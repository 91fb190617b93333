import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import type { Menu } from '../../src/ports/chat.ts';
import { createDesk, type Desk } from './desk.ts';
import { echo } from './flows.ts';

/** A flow with a command of its own. */
const own = (command: string, more = '', trigger = ''): string => `
${more}
triggers: [{ type: command, command: ${command}, slash: true${trigger} }]
steps: { say: { type: template, text: hello } }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo });
});

/** What a platform is given, from now on. */
function follow(platform = 'red'): Menu[] {
  const given: Menu[] = [];
  desk.inbound.followMenu(platform, (menu) => given.push(menu));
  return given;
}
const flowsOf = (menu: Menu | undefined) => menu?.flows.map(({ flow }) => flow);

describe('the menu', () => {
  test('has the words of the chat command with what follows them', () => {
    const [menu] = follow();
    expect(menu?.words.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name));
    expect(menu?.words.find(({ name }) => name === 'approve')).toEqual({
      name: 'approve',
      summary: 'Approves what a run waits for.',
      options: [
        {
          name: 'run',
          summary: 'The run whose question you answer, or the question itself.',
          required: true,
          completes: true,
        },
        { name: 'comment', summary: 'What you want to say with it.', required: false, completes: false },
      ],
    });
  });

  test('names what is required before what is not, by plain words, each once', () => {
    for (const { name, options, summary } of follow()[0]?.words ?? []) {
      const names = options.map((option) => option.name);
      expect(new Set(names).size, name).toBe(names.length);
      for (const text of [name, ...names]) expect(text).toMatch(/^[a-z]{1,32}$/);
      for (const text of [summary, ...options.map((option) => option.summary)]) {
        expect(text.length).toBeLessThanOrEqual(100);
      }
      const required = options.map((option) => option.required);
      expect(required).toEqual(required.toSorted((one, other) => Number(other) - Number(one)));
    }
  });

  test('completes what it says it completes', async () => {
    for (const { name, options } of follow()[0]?.words ?? []) {
      const command = COMMANDS.find((one) => one.name === name);
      expect(command?.complete !== undefined, name).toBe(options.some(({ completes }) => completes));
    }
  });

  test('has the flows with a command of their own, with their input as fields', () => {
    desk.load({
      echo,
      zoo: own('zoo'),
      release: own(
        'rel',
        'name: Release notes\ndescription: Posts the notes. Asks first.\ninput: { type: object, properties: { version: { type: string, title: Version }, who: { type: string, format: slack-user } }, required: [version] }',
      ),
    });
    expect(follow()[0]?.flows).toEqual([
      {
        flow: 'release',
        command: 'rel',
        summary: 'Posts the notes.',
        fields: [
          { id: 'version', label: 'Version', type: 'text', required: true },
          expect.objectContaining({ id: 'who', type: 'text' }),
        ],
      },
      { flow: 'zoo', command: 'zoo', summary: 'zoo', fields: [] },
    ]);
    expect(follow('slack')[0]?.flows[0]?.fields[1]?.type).toBe('user');
  });

  test.each([
    ['', 'zoo'],
    ['name: Our zoo', 'Our zoo'],
    ['name: " "\ndescription: "  "', 'zoo'],
    ['description: Opens at 9.30 for all\n', 'Opens at 9.30 for all'],
    ['description: "One line\\nand another"', 'One line'],
  ])('%j says “%s”', (more, summary) => {
    desk.load({ zoo: own('zoo', more) });
    expect(follow()[0]?.flows[0]?.summary).toBe(summary);
  });

  test('leaves out what does not work on the platform, and the chat command itself', () => {
    desk.load({
      here: own('here', '', ', in: ["red:#releases"]'),
      there: own('there', '', ', in: ["blue:#releases"]'),
      both: own('both', '', ', in: ["#releases"]'),
      flows: own('flow'),
      off: own('off', 'enabled: false'),
    });
    expect(flowsOf(follow('red')[0])).toEqual(['both', 'here']);
    expect(flowsOf(follow('blue')[0])).toEqual(['both', 'there']);
  });

  test('comes again when it has changed, and only then', async () => {
    const given = follow();
    desk.load({ echo, zoo: own('zoo') });
    desk.load({ echo, zoo: own('zoo') });
    desk.load({ zoo: own('zoo') });
    await desk.red.flow(desk.red.ada, 'disable zoo');
    await desk.red.flow(desk.red.ada, 'disable zoo');
    await desk.red.flow(desk.red.ada, 'enable zoo');
    expect(given.map(flowsOf)).toEqual([[], ['zoo'], [], ['zoo']]);
  });
});
