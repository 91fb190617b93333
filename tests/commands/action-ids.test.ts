import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomIds } from '../../src/adapters/system/ids.ts';
import { type ActionId, eventKey, parseActionId, writeActionId } from '../../src/commands/action-ids.ts';

const name = fc.stringMatching(/^[a-z0-9._-]{1,20}$/);
const actionId: fc.Arbitrary<ActionId> = fc.oneof(
  fc.record({
    kind: fc.constant('answer' as const),
    question: name,
    action: name,
    form: fc.constantFrom('none' as const, 'optional' as const, 'required' as const),
  }),
  fc.record({
    kind: fc.constantFrom('cancel' as const, 'again' as const, 'retry' as const, 'renew' as const),
    run: name,
  }),
  fc.record({ kind: fc.constant('rerun' as const), run: name, offer: name }),
  fc.record({ kind: fc.constant('fill' as const), flow: name, event: name }),
);

describe('ids of buttons and forms', () => {
  test('are read back as what they were written for', () => {
    fc.assert(
      fc.property(actionId, (id) => {
        expect(parseActionId(writeActionId(id))).toEqual(id);
      }),
    );
  });

  test('that are made up are never taken for ours by an exception', () => {
    const madeUp = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.constantFrom('answer', 'fill', 'cancel', 'rerun', '__proto__'), fc.string())
        .map((x) => x.join(':')),
    );
    fc.assert(
      fc.property(madeUp, (text) => {
        const id = parseActionId(text);
        if (id) expect(writeActionId(id)).toBe(text);
      }),
    );
  });

  test.each([
    '',
    ':',
    'cancel',
    'cancel:',
    'cancel:a:b',
    'answer:q',
    'answer:q:',
    'fill:f',
    'rerun:r',
    'nope:a:b',
  ])('%j is not one of ours', (text) => {
    expect(parseActionId(text)).toBeUndefined();
  });

  test('an id longer than any we make is not read', () => {
    expect(parseActionId(`cancel:${'x'.repeat(200)}`)).toBeUndefined();
  });

  test('fit into a button with the longest question, action and fingerprint', () => {
    const question = `${randomIds.next()}.1000000`;
    for (const form of ['none', 'optional', 'required'] as const) {
      const id = { kind: 'answer', question, action: 'a'.repeat(30), form, covers: 'f'.repeat(16) } as const;
      expect(writeActionId(id).length).toBeLessThanOrEqual(100);
      expect(parseActionId(writeActionId(id))).toEqual(id);
    }
  });
});

describe('ids of events', () => {
  test('that are short are kept', async () => {
    expect(await eventKey('Ev08MFMKH6')).toBe('Ev08MFMKH6');
  });

  test('that are long become a short digest, always the same', async () => {
    const long = `${'1'.repeat(40)}.${'2'.repeat(40)}`;
    expect(await eventKey(long)).toBe(await eventKey(long));
    expect(await eventKey(long)).not.toBe(await eventKey(`${long}3`));
    expect(await eventKey(long)).toMatch(/^[0-9a-f]{30}$/);
  });

  test('fit into a button beside the longest id of a flow', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 300 }), async (event) => {
        const id = writeActionId({ kind: 'fill', flow: 'f'.repeat(64), event: await eventKey(event) });
        expect(id.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
