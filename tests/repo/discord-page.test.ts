import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLimits, formLimits } from '../../src/adapters/discord/form-limits.ts';
import { limits } from '../../src/adapters/discord/limits.ts';
import { inviteLink, permissions } from '../../src/adapters/discord/permissions.ts';
import { loadFlowFile } from '../../src/loader/load.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const page = read('docs/discord.md');

/** The part of the page under a heading, up to the next of its kind. */
function section(heading: string): string {
  const [, text = ''] = page.split(`\n${heading}\n`);
  const [part = ''] = text.split(new RegExp(`\n${heading.split(' ')[0]} `));
  return part;
}

/** The rows of the first table of a text, without its head. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the page about Discord', () => {
  test('lists the permissions that the bot asks for, with what is lost without each', () => {
    expect(rowsOf(section('## Permissions'))).toEqual(permissions.map(({ name, cost }) => [name, cost]));
    const asked = new URL(inviteLink('1')).searchParams.get('permissions');
    expect(page).toContain(`\`permissions=${asked}\``);
  });

  test('quotes only what Flowbot says, word for word', () => {
    const source = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const quoted = [...section('### By symptom').matchAll(/“([^”]+)”/g)].map(([, words = '']) => words);
    expect(quoted.length).toBeGreaterThan(10);
    expect(quoted.filter((words) => !source.includes(words))).toEqual([]);
  });

  test('names the limits that the adapter keeps', () => {
    const said = rowsOf(section('## Limits')).map(([what = '']) => what);
    expect(said).toEqual([
      `${limits.text.toLocaleString('en')} characters in a message`,
      `${limits.rowButtons} buttons in a row`,
      `${formLimits.fields} fields in a form`,
      `${limits.options} choices in a list`,
      `${commandLimits.options} options in a command`,
      `${commandLimits.commands} slash commands`,
      'no tables',
    ]);
  });

  test('its first flow offers a slash command and asks a role', () => {
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const { faults } = loadFlowFile('hello.flow.yaml', text.replace(/^ {3}/gm, ''));
    expect(faults).toEqual([]);
    expect(text).toContain('slash: true');
    expect(text).toContain('roles: [maintainers]');
  });

  test('every link to a part of a page leads to a heading', () => {
    const links = [...page.matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)].filter(
      ([link]) => !link.includes('https'),
    );
    const broken = links.filter(([, file = '', anchor]) => {
      const text = file === '' ? page : read(join('docs', file));
      return ![...text.matchAll(/^#+ (.+)$/gm)].some(([, title = '']) => slug(title) === anchor);
    });
    expect(links.length).toBeGreaterThan(0);
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** What GitHub calls a heading in links. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
