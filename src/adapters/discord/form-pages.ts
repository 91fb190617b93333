import type { Form, FormField } from '../../engine/post.ts';
import { formLimits } from './form-limits.ts';
import { type Modal, renderModal } from './modal.ts';
import { isCarriedWhole } from './options.ts';
import { readValues, typedTexts } from './values.ts';

/**
 * Forms as modals. Discord shows five fields in one, opens none after another, and keeps none open to show what is
 * wrong: longer forms go on by a button, and what was typed waits to be edited.
 *
 * What is known is lost with the process. A form of one modal whose values speak for themselves can still be sent
 * then; of a longer one, `forgotten` is all that is left. Only the person who began a form can go on with it.
 */
export interface FormPages {
  /** Begins a form for a person, by their id: its first modal. */
  begin(form: Form, who: string): Modal;
  /** What somebody sent with a modal. Anything may be handed in, nothing throws. */
  submitted(sent: SentModal, who: string): SentForm;
  /** What a button of ours opens; undefined = the button is none of ours. */
  press(button: string, who: string): Modal | 'forgotten' | undefined;
  /**
   * The button that opens a form again, with what the person typed in it last, at the first of these fields, else at
   * its beginning; undefined when it is forgotten. Files have to be chosen once more.
   */
  button(form: string, who: string, fields?: readonly string[]): string | undefined;
}

/** What comes with a modal: `data` of the interaction. */
export interface SentModal {
  readonly customId: string;
  readonly components: unknown;
  readonly resolved: unknown;
}

/** What became of a form with a modal that was sent. */
export type SentForm =
  /** All of it is filled in. `form` is `Form.id`, `values` as `ChatSubmit` has them. */
  | {
      readonly kind: 'whole';
      readonly form: string;
      readonly values: Readonly<Record<string, string>>;
    }
  /** `page` of `of` comes next (from 1), opened by `button`. */
  | { readonly kind: 'more'; readonly page: number; readonly of: number; readonly button: string }
  /** `typed`: the texts that were in it, to be given back. */
  | { readonly kind: 'forgotten'; readonly typed: readonly string[] };

/** Most forms kept; the ones that were begun longest ago are forgotten. */
const keptMax = 500;

interface Begun {
  readonly key: string;
  readonly who: string;
  readonly form: Form;
  /** What was typed so far. */
  readonly typed: ReadonlyMap<string, string>;
  /** It was filled in to its end. */
  readonly isSent: boolean;
}

/** Makes it. `makeKey` gives short ids that nobody can guess. */
export function createFormPages({ makeKey }: { makeKey(): string }): FormPages {
  /** By key, the oldest first. */
  const kept = new Map<string, Begun>();

  function keep(begun: Begun): void {
    kept.delete(begun.key);
    kept.set(begun.key, begun);
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  }

  /** The one begun last. */
  function find(form: string, who: string): Begun | undefined {
    return [...kept.values()].findLast((one) => one.form.id === form && one.who === who);
  }

  function own(key: string, who: string): Begun | undefined {
    const begun = kept.get(key);
    return begun?.who === who ? begun : undefined;
  }

  function type(begun: Begun, values: Readonly<Record<string, string>>, isSent: boolean): Begun {
    const more = { ...begun, typed: new Map([...begun.typed, ...Object.entries(values)]), isSent };
    keep(more);
    return more;
  }

  return {
    begin(form, who) {
      const known = find(form.id, who);
      // Begun once more before it was sent, it is the same one: its buttons, still there, go on with it.
      const { key, typed } = known && !known.isSent ? known : { key: makeKey(), typed: new Map() };
      const begun: Begun = { key, who, form, typed, isSent: false };
      keep(begun);
      return modalOf(begun, 1);
    },

    submitted({ customId, components, resolved }, who) {
      const page = readPageId(customId);
      if (page === undefined) {
        const begun = find(customId, who);
        const values = readValues(components, resolved, begun?.form.fields);
        if (begun) type(begun, values, true);
        return { kind: 'whole', form: customId, values };
      }
      const begun = own(page.key, who);
      if (!begun) return { kind: 'forgotten', typed: typedTexts(components) };
      const { form, key } = begun;
      const of = pagesOf(form).length;
      const isLast = page.number >= of;
      const { typed } = type(begun, readValues(components, resolved, form.fields), isLast);
      if (isLast) return { kind: 'whole', form: form.id, values: valuesOf(form, typed) };
      const next = page.number + 1;
      return { kind: 'more', page: next, of, button: writePageId(key, next) };
    },

    press(button, who) {
      const page = readPageId(button);
      if (page === undefined) return undefined;
      const begun = own(page.key, who);
      return begun ? modalOf({ ...begun, form: filled(begun) }, page.number) : 'forgotten';
    },

    button(form, who, fields = []) {
      const begun = find(form, who);
      const at = begun
        ? pagesOf(begun.form).findIndex((page) => page.some(({ id }) => fields.includes(id)))
        : 0;
      return begun && writePageId(begun.key, Math.max(at, 0) + 1);
    },
  };
}

function modalOf({ key, form }: Begun, number: number): Modal {
  const pages = pagesOf(form);
  const [only, ...others] = pages;
  const { id, title } = form;
  if (only !== undefined && others.length === 0 && only.every(isCarriedWhole)) {
    return renderModal({ customId: id, title, fields: only });
  }
  return renderModal({
    customId: writePageId(key, number),
    title,
    fields: pages[Math.min(number, pages.length) - 1] ?? [],
    ...(pages.length > 1 && { part: `${number}/${pages.length}` }),
  });
}

function pagesOf({ fields }: Form): readonly (readonly FormField[])[] {
  const count = Math.max(1, Math.ceil(fields.length / formLimits.fields));
  return Array.from({ length: count }, (_, page) =>
    fields.slice(page * formLimits.fields, (page + 1) * formLimits.fields),
  );
}

/** The form, begun with what was typed in it. */
function filled({ form, typed }: Begun): Form {
  const fields = form.fields.map((field) => {
    const initial = typed.get(field.id);
    return initial === undefined ? field : { ...field, initial };
  });
  return { ...form, fields };
}

function valuesOf({ fields }: Form, typed: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const entries = fields.flatMap(({ id }) => {
    const value = typed.get(id);
    return value === undefined ? [] : [[id, value] as const];
  });
  return Object.fromEntries(entries);
}

/** What a modal of several, and the button that opens it, is known by. */
function writePageId(key: string, number: number): string {
  return `page:${key}:${number}`;
}

function readPageId(id: string): { readonly key: string; readonly number: number } | undefined {
  const [, key, number] = /^page:([^:]+):([1-9]\d{0,3})$/.exec(id) ?? [];
  return key === undefined ? undefined : { key, number: Number(number) };
}
