import { z } from 'zod';
import type { Json } from '../json.ts';
import { withFix } from './issue.ts';
import { lookUp, parseFieldPath } from './path.ts';
import type { Lookup } from './scope.ts';

/** What came over HTTP, as far as values are kept from it. */
export interface Keepable {
  readonly body: Json;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

const headerMark = 'header:';
/** What a header can be called. */
export const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;

/** Where a value is kept from: a path into the JSON body (`items.0.title`), or `header:Name`. */
export const keepSourceSchema = z.string().superRefine((from, context) => {
  const header = headerOf(from);
  if (header === undefined) {
    const path = parseFieldPath(from);
    if (!path.ok) context.addIssue({ code: 'custom', message: path.message });
  } else if (!headerName.test(header)) {
    const message = withFix('This is no name of a header.', 'Write it like header:Location.');
    context.addIssue({ code: 'custom', message });
  }
});

/** The header that a value is kept from, as it is written; undefined = it is kept from the body. */
export function headerOf(from: string): string | undefined {
  return from.startsWith(headerMark) ? from.slice(headerMark.length) : undefined;
}

/** Looks up what is to be kept. @param from as `keepSourceSchema` took it */
export function lookUpKept(from: string, { body, headers }: Keepable): Lookup {
  const header = headerOf(from);
  return header === undefined ? lookUp(body, from.split('.')) : lookUp(headers, [header.toLowerCase()]);
}
