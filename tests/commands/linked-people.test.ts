import { beforeEach, describe, expect, test } from 'vitest';
import { createDesk, type Desk, runsOf } from './desk.ts';
import { guarded } from './flows.ts';

const failing = `
name: Failing
triggers: [{ type: command, command: failing }]
steps:
  ask: { type: approval, title: May we?, approvers: { users: ["red:U0ANA", "red:U0ADA", "red:U0BO"] } }
`;
const leads = `
name: Leads
allow: { roles: ["blue:leads"] }
triggers: [{ type: manual }]
steps: { say: { type: template, text: hello } }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ failing, leads, guarded: guarded.replace('"red:U0BO", ', '') }, undefined, [
    ['red:U0BO', 'blue:U0BO'],
    ['red:U0ADA', 'blue:U0ADA'],
  ]);
});

describe('who may start a flow', () => {
  test('is a person by any of their accounts', async () => {
    const { red, blue } = desk;
    expect((await blue.flow(blue.bo, 'run guarded')).text).toContain('Started run');
    expect((await red.flow(red.bo, 'run guarded')).text).toContain('Started run');
    expect((await red.flow(red.cy, 'run guarded')).text).toContain('may start Guarded.');
    expect((await red.flow(red.bo, 'list')).text).not.toContain('may start Guarded');
    expect(JSON.stringify(await desk.inbound.home(red.bo, red.here))).toContain('start:guarded');
  });

  test('by a role only where they have it', async () => {
    const { red, blue } = desk;
    blue.platform.setRole('leads', [blue.bo]);
    expect((await blue.flow(blue.bo, 'run leads')).text).toContain('Started run');
    expect((await red.flow(red.bo, 'run leads')).text).toContain('may start Leads');
  });
});

describe('a run that is run again from the beginning', () => {
  /** Ends the newest run and runs it again, as this person. */
  async function again(run: string, who: 'ana' | 'ada'): Promise<void> {
    const { red } = desk;
    await red.flow(red.ada, `cancel ${run}`);
    const offer = await red.flow(red[who], `retry ${run}`);
    const button = offer.buttons.find(({ label }) => label === 'From the beginning')?.id ?? '';
    expect((await red.pressId(red[who], button)).text).toContain('Started run');
  }

  const mine = 'You started this run, so somebody else has to answer.';

  test('was asked for by everybody who has asked for it: none of them answers it', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!failing');
    await again('k000000001', 'ada');
    expect((await desk.store.run('k000000002'))?.state.start).toMatchObject({
      person: { id: 'U0ADA' },
      requesters: [{ platform: 'red', id: 'U0ANA' }],
    });
    expect((await red.flow(red.ana, 'approve k000000002')).text).toBe(mine);
    expect((await red.flow(red.ada, 'approve k000000002')).text).toBe(mine);
    expect((await blue.flow(blue.ada, 'approve k000000002')).text).toBe(mine);
    await again('k000000002', 'ada');
    expect((await desk.store.run('k000000003'))?.state.start.requesters).toMatchObject([{ id: 'U0ANA' }]);
    expect((await red.flow(red.ana, 'approve k000000003')).text).toBe(mine);
    expect((await blue.flow(blue.bo, 'approve k000000003')).text).toBe('Recorded: approve.');
  });

  test('by the one who started it has no others', async () => {
    const { red } = desk;
    await red.say(red.ana, '!failing');
    await again('k000000001', 'ana');
    expect((await desk.store.run('k000000002'))?.state.start).not.toHaveProperty('requesters');
    expect(await runsOf(desk)).toHaveLength(2);
  });
});
