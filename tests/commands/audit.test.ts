import { beforeEach, describe, expect, test } from 'vitest';
import { tellFlowNews } from '../../src/commands/flow-news.ts';
import type { AuditEntry } from '../../src/engine/audit/entry.ts';
import { createDesk, type Desk, onlyRun } from './desk.ts';
import { echo, guarded, review } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, guarded, review });
});

const entries = async (): Promise<readonly (AuditEntry | undefined)[]> =>
  (await desk.store.audit({ limit: 1_000 })).map(({ entry }) => entry);
const ofType = async (type: AuditEntry['type']) => (await entries()).filter((entry) => entry?.type === type);

describe('the audit remembers', () => {
  test('who started a run where, what it asked, where people saw it, who answered, and its end', async () => {
    const { ana, here } = desk.red;
    await desk.red.say(ana, '!review');
    const run = await onlyRun(desk);
    await desk.red.flow(ana, `approve ${run.id}`);
    const shown = (await ofType('question.shown')).at(-1);
    expect(shown).toMatchObject({ run: run.id, question: `${run.id}.1`, message: here });
    expect((await entries()).filter((entry) => entry?.type !== 'question.shown')).toMatchObject([
      {
        type: 'run.started',
        run: run.id,
        flow: 'review',
        version: run.version,
        trigger: 'command',
        by: ana,
        place: here,
      },
      { type: 'question.asked', run: run.id, question: `${run.id}.1`, kind: 'approval' },
      { type: 'question.answered', run: run.id, by: ana, action: 'approve', decided: true },
      { type: 'run.ended', run: run.id, status: 'succeeded' },
    ]);
  });

  test('a cancel, with whom it came from', async () => {
    await desk.red.say(desk.red.ana, '!review');
    const { id } = await onlyRun(desk);
    await desk.red.flow(desk.red.ada, `cancel ${id}`);
    expect(await ofType('run.cancelled')).toMatchObject([{ run: id, by: desk.red.ada }]);
    expect(await ofType('question.closed')).toMatchObject([{ run: id, how: 'superseded' }]);
    expect(await ofType('run.ended')).toMatchObject([{ run: id, status: 'cancelled' }]);
  });

  test('that somebody was not allowed to start a flow, and why', async () => {
    const { ana, here } = desk.red;
    const { text } = await desk.red.flow(ana, 'run guarded');
    expect(await entries()).toEqual([
      { type: 'run.refused', atMs: expect.any(Number), flow: 'guarded', by: ana, place: here, why: text },
    ]);
  });

  test('who switched what on and off, but not who was not allowed to', async () => {
    const { ada, ana, here } = desk.red;
    await desk.red.flow(ana, 'disable echo');
    for (const typed of ['disable echo', 'enable echo', 'pause The disk is full', 'resume']) {
      await desk.red.flow(ada, typed);
    }
    const by = { type: 'switched', by: ada, place: here };
    expect(await entries()).toMatchObject([
      { ...by, what: { kind: 'flow', flow: 'echo' }, on: false },
      { ...by, what: { kind: 'flow', flow: 'echo' }, on: true },
      { ...by, what: { kind: 'everything' }, on: false, why: 'The disk is full' },
      { ...by, what: { kind: 'everything' }, on: true },
    ]);
  });

  test('which version of a flow came into force, once, also over restarts', async () => {
    const versionOf = (flow: string) => desk.bot.catalog.flow(flow)?.version;
    await tellFlowNews(desk.bot);
    const first = await ofType('flow.changed');
    expect(first).toHaveLength(3);
    expect(first).toContainEqual(expect.objectContaining({ flow: 'echo', version: versionOf('echo') }));
    desk = await desk.restart();
    await tellFlowNews(desk.bot);
    expect(await ofType('flow.changed')).toHaveLength(3);
    desk.load({ echo: `${echo}\nname: Other`, review });
    await tellFlowNews(desk.bot);
    const [, , , ...later] = await ofType('flow.changed');
    expect(later).toEqual([
      { type: 'flow.changed', atMs: expect.any(Number), flow: 'echo', version: versionOf('echo') },
      { type: 'flow.changed', atMs: expect.any(Number), flow: 'guarded' },
    ]);
  });
});

describe('/flow audit', () => {
  test('shows a run to admins, in lines that say who, with how to export it', async () => {
    await desk.red.say(desk.red.ana, '!review');
    const { id } = await onlyRun(desk);
    const { text } = await desk.red.flow(desk.red.ada, `audit ${id}`);
    expect(text).toContain('“Ana” (red:U0ANA) started review');
    expect(text).toContain(`question ${id}.1 (approval of `);
    expect(text).toContain(`All of it, also for programs, on the host: flowbot audit ${id} --json`);
  });

  test('shows the newest entries of a long run', async () => {
    const entry = (name: string): AuditEntry => ({
      type: 'run.cancelled',
      atMs: 1,
      run: 'long',
      by: { platform: 'red', id: 'U1', name },
    });
    await desk.store.commit({ audit: Array.from({ length: 31 }, (_, index) => entry(`<${index}>`)) });
    const { text } = await desk.red.flow(desk.red.ada, 'audit long');
    expect(text).toContain('The newest 30 entries:');
    expect(text).not.toContain('“<0>”');
    expect(text).toContain('“<1>”');
    expect(text).toContain('“<30>”');
  });

  test.each([
    ['audit', 'Say which run, for example: audit k3x9p2m4tz'],
    ['audit nope', 'The audit has no run nope.'],
  ])('%s says what is missing', async (typed, answer) => {
    expect((await desk.red.flow(desk.red.ada, typed)).text).toBe(answer);
  });

  test('tells others nothing, and offers runs to admins only', async () => {
    await desk.red.say(desk.red.ana, '!review');
    const { id } = await onlyRun(desk);
    expect((await desk.red.flow(desk.red.ana, `audit ${id}`)).text).toBe('Only admins may read the audit.');
    const { ada, ana, here } = desk.red;
    expect(await desk.inbound.complete('audit ', ana, here)).toEqual([]);
    expect(await desk.inbound.complete('audit ', ada, here)).toMatchObject([{ typed: `audit ${id}` }]);
  });
});
