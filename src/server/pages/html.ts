import { html as template } from 'hono/html';

/** A piece of a page. Only `html` makes it. */
export type Html = Exclude<ReturnType<typeof template>, Promise<unknown>>;

/** What can stand in a page: markup as it is, texts as texts; what is false or missing is nothing. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Signs that set the direction of the text after them: a value with one would turn the words around it. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes markup of a template. Every text in it is escaped, so that nothing that people, models or servers write can
 * become markup, nor turn what stands beside it. Values of attributes must stand in quotes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return made(template(strings, ...values.map(harmless)));
}

/** A text as a value of a field, every character of it. */
export function exact(text: string): Html {
  return made(template`${text}`);
}

/** Markup that was made elsewhere of nothing that others write, or was escaped there. */
export function markup(text: string): Html {
  return made(template(Object.assign([text], { raw: [text] })));
}

function made(written: ReturnType<typeof template>): Html {
  if (written instanceof Promise) throw new TypeError('A page holds a promise.');
  return written;
}

function harmless(value: Content): Content {
  if (typeof value === 'string') return isMarkup(value) ? value : value.replace(turning, '');
  return Array.isArray(value) ? value.map(harmless) : value;
}

function isMarkup(value: Content): value is Html {
  return typeof value === 'object' && value !== null && 'isEscaped' in value;
}
