import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormPages, type FormPages } from '../../../src/adapters/discord/form-pages.ts';
import type { Modal } from '../../../src/adapters/discord/modal.ts';
import type { Form, FormField } from '../../../src/engine/post.ts';
import { createCountingIds } from '../../fakes/ids.ts';
import { field } from './fields.ts';

const ana = '900000000000000002';
const bo = '900000000000000003';

function start(): FormPages {
  const ids = createCountingIds();
  return createFormPages({ makeKey: () => ids.next() });
}

function form(count: number, more: Partial<Form> = {}): Form {
  const fields = Array.from({ length: count }, (_, index) => field('text', { id: `f${index}` }));
  return { id: 'fill:1', title: 'Release', submitLabel: 'Start', fields, ...more };
}

/** What Discord sends when this is typed into the fields of a modal. */
function typed(modal: Modal | 'forgotten' | undefined, values: Readonly<Record<string, string>>) {
  if (modal === undefined || modal === 'forgotten') throw new Error('No modal is open.');
  const components = modal.components.flatMap((label) =>
    'component' in label
      ? [
          {
            type: 18,
            component: { ...label.component, value: values[label.component.custom_id] ?? '', values: [] },
          },
        ]
      : [],
  );
  return { customId: modal.custom_id, components, resolved: undefined };
}

function begun(modal: Modal | 'forgotten' | undefined): unknown {
  if (modal === undefined || modal === 'forgotten') return modal;
  return modal.components.map(
    (label) => 'component' in label && 'value' in label.component && label.component.value,
  );
}

describe('a form of up to five fields', () => {
  test('is one modal, and whole when it is sent', () => {
    const pages = start();
    const modal = pages.begin(form(5), ana);
    expect(modal).toMatchObject({ custom_id: 'fill:1', title: 'Release' });
    expect(pages.submitted(typed(modal, { f0: 'a', f4: 'e' }), ana)).toEqual({
      kind: 'whole',
      form: 'fill:1',
      values: { f0: 'a', f1: '', f2: '', f3: '', f4: 'e' },
    });
  });

  test('can be sent although the bot was started again, but not edited', () => {
    const modal = start().begin(form(1), ana);
    const restarted = start();
    expect(restarted.submitted(typed(modal, { f0: 'a' }), ana)).toEqual({
      kind: 'whole',
      form: 'fill:1',
      values: { f0: 'a' },
    });
    expect(restarted.button('fill:1', ana)).toBeUndefined();
  });

  test('is opened again with what was typed in it', () => {
    const pages = start();
    const modal = pages.begin(
      form(2, { fields: [field('text', { initial: 'was' }), field('text', { id: 'y' })] }),
      ana,
    );
    pages.submitted(typed(modal, { x: 'new', y: '' }), ana);
    const button = pages.button('fill:1', ana) ?? '';
    const again = pages.press(button, ana);
    expect(again).toMatchObject({ custom_id: 'fill:1' });
    expect(begun(again)).toEqual(['new', false]);
    expect(pages.submitted(typed(again, { x: 'newer' }), ana)).toMatchObject({
      values: { x: 'newer', y: '' },
    });
  });

  test('is sent by several people, each with their own (C22)', () => {
    const pages = start();
    const shared = pages.begin(form(1), ana);
    pages.begin(form(1), bo);
    pages.submitted(typed(shared, { f0: 'of Bo' }), bo);
    pages.submitted(typed(shared, { f0: 'of Ana' }), ana);
    expect(begun(pages.press(pages.button('fill:1', bo) ?? '', bo))).toEqual(['of Bo']);
    expect(begun(pages.press(pages.button('fill:1', ana) ?? '', ana))).toEqual(['of Ana']);
  });

  test('is kept when Discord cannot carry an option: after a restart nobody knows what was chosen', () => {
    const long: FormField = field('select', { options: ['x'.repeat(200), 'y'] });
    const pages = start();
    const modal = pages.begin(form(1, { fields: [long] }), ana);
    expect(modal).toMatchObject({ custom_id: 'page:k000000001:1', title: 'Release' });
    const components = [{ type: 18, component: { type: 3, custom_id: 'x', values: ['#0'] } }];
    const sent = { customId: modal.custom_id, components, resolved: undefined };
    expect(pages.submitted(sent, ana)).toEqual({
      kind: 'whole',
      form: 'fill:1',
      values: { x: 'x'.repeat(200) },
    });
    expect(start().submitted(sent, ana)).toEqual({ kind: 'forgotten', typed: [] });
  });
});

describe('a longer form', () => {
  /** Ana sends the pages she is shown, until there are no more. */
  function sendAll(pages: FormPages, first: Modal | 'forgotten' | undefined, values: Record<string, string>) {
    let sent = pages.submitted(typed(first, values), ana);
    while (sent.kind === 'more') sent = pages.submitted(typed(pages.press(sent.button, ana), values), ana);
    return sent;
  }

  test('is several modals, and whole when the last is sent', () => {
    const pages = start();
    const first = pages.begin(form(11), ana);
    expect(first).toMatchObject({ custom_id: 'page:k000000001:1', title: 'Release (1/3)' });
    expect(first.components).toHaveLength(5);
    const more = pages.submitted(typed(first, { f0: 'a' }), ana);
    expect(more).toEqual({ kind: 'more', page: 2, of: 3, button: 'page:k000000001:2' });
    const second = pages.press('page:k000000001:2', ana);
    expect(second).toMatchObject({ title: 'Release (2/3)' });
    expect(pages.submitted(typed(second, { f5: 'b' }), ana)).toMatchObject({ kind: 'more', page: 3 });
    const third = pages.press('page:k000000001:3', ana);
    expect(pages.submitted(typed(third, { f10: 'c' }), ana)).toEqual({
      kind: 'whole',
      form: 'fill:1',
      values: {
        ...Object.fromEntries(form(11).fields.map(({ id }) => [id, ''])),
        f0: 'a',
        f5: 'b',
        f10: 'c',
      },
    });
  });

  test('goes on by its button when it was cancelled and begun once more, and shows what was sent already (trap 8)', () => {
    const pages = start();
    const first = pages.begin(form(6), ana);
    const more = pages.submitted(typed(first, { f0: 'a' }), ana);
    pages.begin(form(6), ana);
    if (more.kind !== 'more') throw new Error('There is no second part.');
    expect(begun(pages.press('page:k000000001:1', ana))).toEqual(['a', false, false, false, false]);
    expect(pages.submitted(typed(pages.press(more.button, ana), { f5: 'b' }), ana)).toMatchObject({
      kind: 'whole',
      values: { f0: 'a', f5: 'b' },
    });
  });

  test('is edited from its first part on, each with what was typed', () => {
    const pages = start();
    sendAll(pages, pages.begin(form(6), ana), { f0: 'a', f5: 'b' });
    const again = pages.press(pages.button('fill:1', ana) ?? '', ana);
    expect(begun(again)).toEqual(['a', false, false, false, false]);
    const more = pages.submitted(typed(again, { f0: 'A' }), ana);
    if (more.kind !== 'more') throw new Error('There is no second part.');
    const second = pages.press(more.button, ana);
    expect(begun(second)).toEqual(['b']);
    expect(pages.submitted(typed(second, { f5: 'B' }), ana)).toMatchObject({ values: { f0: 'A', f5: 'B' } });
  });

  test('is edited at the first field that is wrong', () => {
    const pages = start();
    sendAll(pages, pages.begin(form(12), ana), { f0: 'a', f5: 'b', f11: 'c' });
    const again = pages.press(pages.button('fill:1', ana, ['f11', 'f5', 'other']) ?? '', ana);
    expect(begun(again)).toEqual(['b', false, false, false, false]);
    expect(begun(pages.press(pages.button('fill:1', ana, ['other']) ?? '', ana))).toMatchObject({ 0: 'a' });
  });

  test('is empty when it is begun after it was sent', () => {
    const pages = start();
    sendAll(pages, pages.begin(form(6), ana), { f0: 'a', f5: 'b' });
    const more = pages.submitted(typed(pages.begin(form(6), ana), {}), ana);
    if (more.kind !== 'more') throw new Error('There is no second part.');
    expect(begun(pages.press(more.button, ana))).toEqual([false]);
  });

  test('is forgotten with the process', () => {
    const modal = start().begin(form(6), ana);
    const restarted = start();
    const sent = restarted.submitted(typed(modal, { f0: 'a long text', f1: ' ' }), ana);
    expect(sent).toEqual({ kind: 'forgotten', typed: ['a long text'] });
    expect(restarted.press('page:k000000001:2', ana)).toBe('forgotten');
    expect(restarted.press('page:k000000001:1', ana)).toBe('forgotten');
  });

  test('belongs to the person who began it', () => {
    const pages = start();
    const modal = pages.begin(form(6), ana);
    expect(pages.submitted(typed(modal, {}), bo)).toEqual({ kind: 'forgotten', typed: [] });
    expect(pages.press('page:k000000001:2', bo)).toBe('forgotten');
    expect(pages.press('page:k000000001:1', bo)).toBe('forgotten');
    expect(pages.button('fill:1', bo)).toBeUndefined();
  });
});

test('the 500 forms that were begun or sent last are kept', () => {
  const pages = start();
  const first = pages.begin(form(6, { id: 'first' }), ana);
  const second = pages.begin(form(6, { id: 'second' }), ana);
  for (let index = 0; index < 498; index += 1) pages.begin(form(6, { id: `f${index}` }), ana);
  expect(pages.submitted(typed(first, {}), ana)).toMatchObject({ kind: 'more' });
  pages.begin(form(6, { id: 'one more' }), ana);
  expect(pages.submitted(typed(second, {}), ana)).toEqual({ kind: 'forgotten', typed: [] });
  expect(pages.press('page:k000000001:2', ana)).not.toBe('forgotten');
});

test('whatever is sent, nothing throws', () => {
  const pages = start();
  pages.begin(form(6), ana);
  pages.begin(form(2, { id: 'fill:2' }), ana);
  const ids = fc.oneof(fc.string(), fc.constantFrom('fill:2', 'page:k000000001:1', 'page:k000000001:999'));
  fc.assert(
    fc.property(ids, fc.anything(), fc.anything(), (customId, components, resolved) => {
      pages.submitted({ customId, components, resolved }, ana);
      pages.press(customId, ana);
    }),
  );
});

test('the ids of modals and buttons fit, however long the form is called (trap 12)', () => {
  const pages = start();
  const id = `fill:${'x'.repeat(95)}`;
  expect(pages.begin(form(5, { id }), ana).custom_id).toHaveLength(100);
  const first = pages.begin(form(6, { id }), ana);
  const more = pages.submitted(typed(first, {}), ana);
  const ids = [first.custom_id, more.kind === 'more' && more.button, pages.button(id, ana)];
  expect(ids).toEqual(['page:k000000001:1', 'page:k000000001:2', 'page:k000000001:1']);
});

test.each(['', 'cancel:1', 'page:', 'page:k:0', 'page:k:x', 'pages:k:1'])(
  'a button called %j is none of its own',
  (button) => expect(start().press(button, ana)).toBeUndefined(),
);
