import { describe, expect, it } from 'vitest';
import { md, value } from '../../../src/engine/prose.ts';
import { approval } from '../../../src/engine/steps/approval.ts';
import { begin, faults, missing } from './turn.ts';

describe('approval', () => {
  it('asks with its default title, open to everybody', () => {
    expect(begin(approval, {})).toEqual({
      kind: 'ask',
      ask: { title: 'Review before continuing', notes: [], show: [], allowRequester: true },
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
    expect(start).toEqual({
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
    [{ quorum: 2 }, 'quorum'],
  ])('refuses %j', (written, fault) => {
    expect(faults(approval, written)).toEqual([expect.stringContaining(fault)]);
  });

  it('goes on by approved first, and by no exit without a name', () => {
    expect(approval.exits(approval.schema.parse({}))).toEqual(['approved', 'rejected']);
    expect(approval.plainEdges).toBe(false);
  });
});
