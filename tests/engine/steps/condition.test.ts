import { describe, expect, it } from 'vitest';
import { condition } from '../../../src/engine/steps/condition.ts';
import { begin, faults } from './turn.ts';

const ok = { step: 'draft', path: 'verdict', is: 'ok' };

describe('condition', () => {
  it.each([
    ['ok', 'yes'],
    ['no', 'no'],
  ])('leaves with verdict %s by %s, and says why', (verdict, exit) => {
    expect(begin(condition, { all: [ok] }, { draft: { text: '', json: { verdict } } })).toEqual({
      kind: 'done',
      exit,
      output: {
        text: String(exit === 'yes'),
        json: {
          result: exit === 'yes',
          why: [`draft.json.verdict is "ok": ${exit}, the value is "${verdict}".`],
        },
      },
    });
  });

  it('reads the text, the start and the input', () => {
    const any = [
      { step: 'start', path: 'prompt', is: 'x' },
      { step: 'input', path: 'version', is: '2' },
    ];
    expect(begin(condition, { any }, { input: { version: 2 } })).toMatchObject({ exit: 'yes' });
  });

  it('does not fail on a step that did not run', () => {
    expect(begin(condition, { all: [ok] })).toMatchObject({ kind: 'done', exit: 'no' });
  });

  it('names what each rule reads; nothing there is needed', () => {
    expect(condition.references(condition.schema.parse({ any: [ok] }))).toEqual([
      { lookup: ['draft', 'json', 'verdict'], at: ['any', 0, 'step'], source: 'draft', optional: true },
    ]);
  });

  it.each([
    [{}, 'There are no rules'],
    [{ all: [ok], any: [ok] }, 'Both all: and any:'],
    [{ all: [{ path: 'verdict', is: 'ok' }] }, 'all.0: This rule does not say which step it reads'],
    [{ all: [] }, 'all: '],
    [{ path: 'verdict', is: 'ok' }, 'Unrecognized keys'],
  ])('refuses %j', (written, fault) => {
    expect(faults(condition, written)).toContainEqual(expect.stringContaining(fault));
  });

  it('has no exit without a name', () => {
    expect(condition.plainEdges).toBe(false);
    expect(condition.exits(condition.schema.parse({ all: [ok] }))).toEqual(['yes', 'no']);
  });
});
