import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { md, value } from '../../../src/engine/prose.ts';
import { approval } from '../../../src/engine/steps/approval.ts';
import { begin, faults, missing } from './turn.ts';

describe('approval', () => {
  it('asks with its default title, open to everybody', () => {
    expect(begin(approval, {})).toEqual({
      kind: 'ask',
      ask: {
        title: 'Review before continuing',
        notes: [],
        show: [],
        actions: [
          { id: 'approve', label: 'Approve', outcome: '✅ Approved', style: 'primary', comment: 'none' },
          {
            id: 'reject',
            label: 'Reject',
            outcome: '❌ Rejected',
            style: 'danger',
            comment: 'optional',
            bare: true,
          },
        ],
        allowRequester: true,
        quorum: 1,
      },
    });
  });

  it('asks the approvers, without the one who started the run', () => {
    const written = {
      title: ' Publish? ',
      notes: 'Version {{input.version}}',
      show: ['draft', 'check'],
      approvers: { users: ['slack:U0ANA'] },
    };
    const start = begin(
      approval,
      written,
      { input: { version: '2' } },
      {
        stepOutput: (id) => ({
          name: `The ${id}`,
          output: id === 'draft' ? { text: 'Hello', json: {} } : undefined,
        }),
      },
    );
    expect(start).toMatchObject({
      kind: 'ask',
      ask: {
        title: 'Publish?',
        notes: [md('Version '), value('2')],
        show: [
          { name: 'The draft', text: 'Hello' },
          { name: 'The check', text: null },
        ],
        approvers: ['slack:U0ANA'],
        allowRequester: false,
      },
    });
  });

  it('asks people and roles in one list', () => {
    const approvers = { users: ['slack:U0ANA'], roles: ['leads', 'slack:S0OPS'] };
    expect(begin(approval, { approvers })).toMatchObject({
      ask: { approvers: ['slack:U0ANA', '@leads', 'slack:@S0OPS'], allowRequester: false },
    });
    expect(begin(approval, { approvers: { roles: ['leads'] } })).toMatchObject({
      ask: { approvers: ['@leads'] },
    });
  });

  it('lets the requester answer when the flow says so', () => {
    const written = { approvers: { users: ['slack:U0ANA'] }, allowRequester: true };
    expect(begin(approval, written)).toMatchObject({ ask: { allowRequester: true } });
    expect(begin(approval, { allowRequester: false })).toMatchObject({ ask: { allowRequester: false } });
  });

  it('fails when the notes need a value that is missing', () => {
    expect(begin(approval, { notes: '{{a.text}}' })).toEqual(missing('{{a.text}}'));
  });

  it('names what it reads; what it shows may be missing', () => {
    expect(approval.references(approval.schema.parse({ notes: '{{a.text}}', show: ['b'] }))).toEqual([
      { lookup: ['a', 'text'], at: ['notes'], source: '{{a.text}}', optional: false },
      { lookup: ['b'], at: ['show', 0], source: 'b', optional: true },
    ]);
  });

  it.each([
    [{ title: 'x'.repeat(201) }, 'title: '],
    [{ title: ' ' }, 'title: '],
    [{ title: '{{a.text}}' }, 'title: Placeholders are not read'],
    [{ notes: 'x'.repeat(4_001) }, 'notes: '],
    [{ show: Array.from({ length: 17 }, (_, index) => `s${index}`) }, 'show: '],
    [{ show: ['a', 'a'] }, 'show: A step is listed twice'],
    [{ approvers: { users: [] } }, 'approvers: Nobody is named'],
    [{ approvers: { users: [], roles: [] } }, 'approvers: Nobody is named'],
    [{ approvers: {} }, 'approvers: Nobody is named'],
    [{ approvers: { users: ['Ana'] } }, 'approvers.users.0: '],
    [
      { approvers: { users: ['slack:U1'], roles: ['@@leads'] } },
      'approvers.roles.0: "@@leads" is not a role',
    ],
    [{ approvers: { roles: ['discord:@everyone'] } }, '"discord:@everyone" is nobody in particular.'],
    [{ approvers: { roles: Array.from({ length: 21 }, (_, index) => `r${index}`) } }, 'approvers.roles: '],
    [{ quorum: 0 }, 'quorum: '],
    [{ quorum: 51 }, 'quorum: '],
    [{ quorum: 'most' }, 'quorum: '],
    [{ actions: [] }, 'actions: '],
    [{ actions: Array.from({ length: 11 }, (_, index) => ({ id: `a${index}` })) }, 'actions: '],
    [{ actions: [{ id: 'go' }, { id: 'go' }] }, 'actions: An action is listed twice'],
    [{ actions: [{ id: 'reject' }] }, 'actions: Nobody could agree to anything'],
    [{ actions: [{ id: 'Go' }] }, 'actions.0.id: This can’t be the id of an action'],
    [{ actions: [{ id: 'go:on' }] }, 'actions.0.id: This can’t be the id of an action'],
    [{ actions: [{ id: 'expired' }] }, 'actions.0.id: This is the name of an exit'],
    [{ actions: [{ id: 'go', comment: 'maybe' }] }, 'actions.0.comment: '],
    [{ actions: [{ id: 'go', label: 'x'.repeat(76) }] }, 'actions.0.label: '],
    [{ actions: [{ id: 'go', label: '\u200B' }] }, 'actions.0.label: Nobody can see these characters'],
    [{ title: '\u202E \u200B' }, 'title: Nobody can see these characters'],
    [{ attachFiles: { maxFiles: 11 } }, 'attachFiles'],
    [{ attachFiles: { maxBytes: 26_214_401 } }, 'attachFiles'],
    [{ attachFiles: { types: ['pictures'] } }, 'attachFiles'],
    [{ escalateTo: { users: [] } }, 'escalateTo: Nobody is named'],
    [{ remindAfter: 'soon' }, 'remindAfter: '],
    [{ expiresAfter: 'soon' }, 'expiresAfter: '],
    [{ to: 'slack:#{{input.channel}}' }, 'to: '],
  ])('refuses %j', (written, fault) => {
    expect(faults(approval, written)).toEqual([expect.stringContaining(fault)]);
  });

  it('goes on by approved first, and by no exit without a name', () => {
    expect(approval.exits(approval.schema.parse({}))).toEqual(['approved', 'rejected']);
    expect(approval.plainEdges).toBe(false);
  });

  const actions = [{ id: 'reject' }, { id: 'hold' }, { id: 'approve' }];

  it.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ['its own actions', { actions }, ['approved', 'rejected', 'hold'], ['hold']],
    ['none but its own', { actions: [{ id: 'ship' }, { id: 'hold' }] }, ['ship', 'hold'], ['ship', 'hold']],
    ['an expiry', { expiresAfter: '1h' }, ['approved', 'rejected', 'expired'], []],
    ['another exit then', { expiresAfter: '1h', onExpire: 'rejected' }, ['approved', 'rejected'], []],
    [
      'the same exit then, said aloud',
      { expiresAfter: '1h', onExpire: 'expired' },
      ['approved', 'rejected', 'expired'],
      [],
    ],
  ])('has an exit for each answer, and knows which must lead somewhere: %s', (_, written, exits, wired) => {
    const config = approval.schema.parse(written);
    expect(approval.exits(config)).toEqual(exits);
    expect(approval.wired?.(config)).toEqual(wired);
  });

  it('asks each person once, however often they are listed', () => {
    const approvers = { users: ['slack:U0ANA', 'slack:U0ANA'], roles: ['leads', '@leads'] };
    expect(begin(approval, { approvers, quorum: 'each' })).toMatchObject({
      ask: { approvers: ['slack:U0ANA', '@leads'], quorum: 'each' },
    });
  });

  it('says when people are reminded, whom it goes to next, and when it is over (in milliseconds)', () => {
    const hour = 3_600_000;
    const form = { type: 'object', properties: { days: { type: 'integer', default: 3 } } };
    const written = {
      remindAfter: '25d',
      escalateTo: { roles: ['leads'] },
      escalateAfter: '2d',
      expiresAfter: '30d',
      onExpire: { exit: 'approved', values: { note: 'in time' } },
      form,
      attachFiles: { types: ['.csv'] },
      to: 'slack:#approvals',
    };
    expect(begin(approval, written)).toMatchObject({
      ask: {
        remindAfterMs: 600 * hour,
        escalation: { to: ['@leads'], afterMs: 48 * hour },
        // What the form fills in by itself is filled in then, too.
        expiry: { afterMs: 720 * hour, exit: 'approved', values: { note: 'in time', days: 3 } },
        attach: { maxFiles: 5, maxBytes: 10_485_760, types: ['.csv'] },
        to: 'slack:#approvals',
      },
    });
    expect(begin(approval, { remindAfter: null })).toMatchObject({ ask: { remindAfterMs: null } });
  });

  it('names a button of its own after its id, unless the flow does', () => {
    const own = [{ id: 'askLegal' }, { id: 'reject', label: 'No way', comment: 'required' }];
    expect(begin(approval, { actions: own })).toMatchObject({
      ask: {
        actions: [
          { id: 'askLegal', label: 'AskLegal', outcome: '✅ AskLegal', style: 'plain', comment: 'none' },
          { id: 'reject', label: 'No way', outcome: '❌ No way', style: 'danger', comment: 'required' },
        ],
      },
    });
  });
});
