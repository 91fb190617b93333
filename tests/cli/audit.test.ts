import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ask } from '../../src/cli/ask.ts';
import { exportLine, readAudit } from '../../src/cli/audit.ts';
import { askingFlow, createHome, type Home } from './home.ts';

const lineSchema = z.object({ n: z.number(), hash: z.string(), entry: z.looseObject({ type: z.string() }) });

/** Does to an export what the documentation says, and gives the last hash. */
function headOf(exported: string): string {
  const lines = exported.trimEnd().split('\n');
  return lines.reduce((before, line) => {
    const { n, hash } = lineSchema.parse(JSON.parse(line));
    const entry = line.slice(line.indexOf('"entry":') + '"entry":'.length, -1);
    expect(createHash('sha256').update(`${before}\n${n}\n${entry}`).digest('hex')).toBe(hash);
    return hash;
  }, 'flowbot audit 1');
}

const typesIn = (exported: string) =>
  exported
    .trimEnd()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)).entry.type);

describe('flowbot audit', () => {
  let home: Home;
  let run: string;

  beforeAll(async () => {
    home = createHome();
    home.flow('asking.flow.yaml', askingFlow);
    expect(await home.type('audit')).toMatchObject({ code: 0, out: '', err: 'The audit is empty.\n' });
    run = (await home.type('run', 'asking', '1.0')).out.trim();
    const flowbot = await home.start();
    expect((await home.type('approve', run, 'Looks', 'good\u202e')).code).toBe(0);
    const exported = await home.type('audit', run, '--json');
    expect(typesIn(exported.out)).toEqual(
      expect.arrayContaining(['run.started', 'question.asked', 'question.answered']),
    );
    flowbot.signal('SIGTERM');
    await flowbot.ended();
  });
  afterAll(() => home.close());

  it('tells a run in lines for people', async () => {
    const { code, out } = await home.type('audit', run);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      new RegExp(
        `^\\d+  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  ${run}  “.+” \\(cli:.+\\) started asking \\(manual,`,
      ),
    );
    expect(
      lines.some((line) => /\(cli:.+\) answered “approve” .*: “Looks good”; that decided it$/.test(line)),
    ).toBe(true);
  });

  it('exports everything as lines of JSON, from which the chain can be checked without Flowbot', async () => {
    const { code, out } = await home.type('audit', '--json');
    expect(code).toBe(0);
    expect(typesIn(out)).toContain('flow.changed');
    const verified = await home.type('audit', 'verify', '--json');
    expect(JSON.parse(verified.out)).toEqual({
      ok: true,
      count: out.trimEnd().split('\n').length,
      head: headOf(out),
    });
  });

  it('knows no run that never was', async () => {
    expect(await home.type('audit', 'nope')).toEqual({
      code: 1,
      out: '',
      err: 'The audit has no run nope.\n',
    });
  });

  it('refuses a head that is no hash', async () => {
    const { code, err } = await home.type('audit', 'verify', '--head', 'abc');
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('It must be a hash of 64 hex digits, as audit verify prints it.'),
    });
  });

  it('verifies, compares with a head that was noted, and finds what was changed in the file', async () => {
    const { code, out } = await home.type('audit', 'verify');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^The audit is sound: \d+ entries\.\nHead: [0-9a-f]{64}\n$/),
    });
    const noted = out.trim().slice(-64);
    expect(await home.type('audit', 'verify', '--head', noted)).toMatchObject({
      code: 0,
      out: expect.stringContaining('The hash that was noted is that of entry '),
    });
    expect(await home.type('audit', 'verify', '--head', '0'.repeat(64))).toMatchObject({
      code: 1,
      out: expect.stringContaining('No entry has the hash that was noted'),
    });

    const db = new Database(home.db);
    db.exec(
      `update audit set entry = replace(entry, 'approve', 'reject') where entry like '%"question.answered"%'`,
    );
    db.close();
    expect(await home.type('audit', 'verify')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^The audit was changed: Entry (\d+), or the hash of one before it, was changed\. Sound: \d+ entr(y|ies), up to \d+\.\n$/,
      ),
    });
  });
});

describe('reading the audit', () => {
  const askLinks =
    (...stretches: readonly (readonly number[])[]): Ask =>
    async (command) => {
      const done = command.kind === 'audit' ? (command.afterN ?? 0) : 0;
      const links = stretches.find(([first = 0]) => first > done) ?? stretches.at(-1) ?? [];
      return {
        ok: true,
        text: '',
        running: true,
        data: { head: null, links: links.map((n) => ({ n, hash: '', text: '{}' })) },
      };
    };

  it('goes on until there is no more, or the reader has seen enough', async () => {
    const seen: number[] = [];
    const ask = askLinks([1, 2], [3], []);
    expect(await readAudit(ask, undefined, ({ n }) => seen.push(n) > 0)).toBe(3);
    expect(seen).toEqual([1, 2, 3]);
    expect(await readAudit(ask, undefined, ({ n }) => n < 2)).toBe(2);
  });

  it('ends also where somebody has put in a number that can not be counted from', async () => {
    expect(await readAudit(askLinks([2 ** 63]), undefined, () => true)).toBe(1);
  });

  it.each([
    ['{"a":1}', '{"n":7,"hash":"x","entry":{"a":1}}'],
    ['{"a": 1}', String.raw`{"n":7,"hash":"x","entry":{"a":1},"text":"{\"a\": 1}"}`],
    ['gone', '{"n":7,"hash":"x","entry":null,"text":"gone"}'],
    ['\u202e\u009b', String.raw`{"n":7,"hash":"x","entry":null,"text":"\u202e\u009b"}`],
  ])('exports %s so that nothing of it is lost', (text, line) => {
    expect(exportLine({ n: 7, hash: 'x', text })).toBe(line);
  });
});
