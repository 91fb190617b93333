import type { FormField } from '../../engine/post.ts';
import { own } from '../../engine/run/record.ts';
import { type Content, exact, type Html, html } from './html.ts';

/** What was typed into fields, by `FormField.id`, each a text as `FieldType` says. */
export type Values = Readonly<Record<string, string>>;

/** What was typed, and what is wrong with it, for a form that comes back. */
export interface Filled {
  readonly values: Values;
  /** Sentences by `FormField.id`. */
  readonly errors: Values;
}

/** The fields of a form. @param prefix of their ids in the page, where several forms have the same fields */
export function fieldsOf(fields: readonly FormField[], prefix: string, filled?: Filled): Html {
  return html`${fields.map((field) => fieldOf(field, `${prefix}-${field.id}`, filled))}`;
}

function fieldOf(field: FormField, id: string, filled: Filled | undefined): Html {
  const { label, required, hint } = field;
  const error = own(filled?.errors ?? {}, field.id);
  const value = own(filled?.values ?? {}, field.id) ?? field.initial ?? '';
  const notes = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  const shared = html`id="${id}" name="${field.id}"${required && html` required`}${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}${error !== undefined && html` aria-invalid="true"`}`;
  const under = html`${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}${error !== undefined && html`<p class="fault" id="${id}-error">${error}</p>`}`;
  if (field.type === 'multiselect') return boxes(field, id, value, under);
  return html`<label for="${id}">${label}${!required && html` <span class="soft">(optional)</span>`}</label>${control(field, shared, value)}${under}`;
}

function control(field: FormField, shared: Html, value: string): Html {
  const { type, options = [], required } = field;
  const lengths = html`${field.minLength !== undefined && html` minlength="${field.minLength}"`}${field.maxLength !== undefined && html` maxlength="${field.maxLength}"`}`;
  switch (type) {
    case 'multiline':
      return html`<textarea ${shared}${lengths} rows="5">
${exact(value)}</textarea>`;
    case 'select':
      return select(shared, options, value, required);
    case 'boolean':
      return select(shared, ['true', 'false'], value, required);
    case 'number':
    case 'integer':
      return html`<input type="number" ${shared} step="${type === 'integer' ? '1' : 'any'}"${field.min !== undefined && html` min="${field.min}"`}${field.max !== undefined && html` max="${field.max}"`} value="${value}">`;
    case 'date':
    case 'time':
      return html`<input type="${type}" ${shared} value="${value}">`;
    default:
      return html`<input type="text" ${shared}${lengths} value="${exact(value)}" placeholder="${PLACEHOLDERS[type] ?? ''}">`;
  }
}

/** What is written where the page has nothing to choose from. */
const PLACEHOLDERS: Readonly<Partial<Record<FormField['type'], string>>> = {
  datetime: '2026-11-30T09:30:00Z',
  user: 'id of an account',
  channel: 'id of a conversation',
  role: 'id of a role',
};

/** Nothing is chosen before somebody chooses. */
function select(shared: Html, options: readonly string[], value: string, required: boolean): Html {
  const offered = required && options.includes(value) ? options : ['', ...options];
  return html`<select ${shared}>${offered.map((option) => html`<option value="${exact(option)}"${option === value && html` selected`}>${option === '' ? '—' : option}</option>`)}</select>`;
}

function boxes(
  { id: name, label, options = [] }: FormField,
  id: string,
  value: string,
  under: Content,
): Html {
  const chosen = readList(value);
  const each = options.map(
    (option, index) =>
      html`<label for="${id}-${index}"><input type="checkbox" id="${id}-${index}" name="${name}" value="${exact(option)}"${chosen.includes(option) && html` checked`}> ${option}</label>`,
  );
  return html`<fieldset class="boxes"><legend>${label}</legend>${each}${under}</fieldset>`;
}

function readList(value: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** What a browser has sent of fields. What is in no field is left out. */
export function readFields(fields: readonly FormField[], body: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    fields.map(({ id, type }) => {
      const sent = own(body, id);
      const texts = (Array.isArray(sent) ? sent : [sent]).filter((one) => typeof one === 'string');
      // Browsers send line breaks of text areas as two characters.
      const value =
        type === 'multiselect' ? JSON.stringify(texts) : (texts[0] ?? '').replaceAll('\r\n', '\n');
      return [id, value];
    }),
  );
}
