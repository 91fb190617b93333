import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import type { Sight } from '../../commands/visitor.ts';
import type { TokenRole } from '../../config-tokens.ts';
import type { Entry } from '../access/door.ts';
import { parsed } from '../parsed.ts';
import type { Problem } from '../problem.ts';
import type { Content } from './html.ts';

/** What a browser asks of a page. */
export interface Visit<P, Q, B> {
  readonly bot: Bot;
  readonly visitor: Entry;
  readonly sight: Sight;
  /** What the request is known by: a form that is sent twice has the same one. */
  readonly event: string;
  /** New for each form that is shown: what is sent with it counts once. */
  readonly nextKey: () => string;
  readonly params: P;
  readonly query: Q;
  /** Fields of a form. */
  readonly body: B;
}

/** Any visit, for what all pages have. */
export type AnyVisit = Visit<unknown, unknown, unknown>;

/** What a visit comes to. */
export type Outcome =
  | (Shown & { readonly kind: 'page' })
  /** Only markup, for a part of a page that is there. */
  | { readonly kind: 'part'; readonly content: Content }
  /** The browser goes on to this path of ours. */
  | { readonly kind: 'to'; readonly path: string }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** A page as it is shown. */
export interface Shown {
  readonly title: string;
  readonly main: Content;
  /** Default: 200. */
  readonly status?: number;
  /** It is brought up to date when something happens: in any run, or in this one. */
  readonly live?: 'any' | { readonly run: string };
}

/** A page, or what a form of one does. */
export interface Page {
  readonly method: 'GET' | 'POST';
  /** With its parameters in braces: `/runs/{run}`. */
  readonly path: string;
  /** Least that a visitor must have been let in for. */
  readonly access: TokenRole;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** @param parts parsed by the schemas above */
  run(parts: Visit<unknown, unknown, unknown>): Promise<Outcome>;
}

/** What is written of a page. */
type Written<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> = Omit<
  Page,
  'params' | 'query' | 'body' | 'run'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  run(visit: Visit<z.output<P>, z.output<Q>, z.output<B>>): Promise<Outcome>;
};

/** Makes a page of what is written; the types of what it is asked follow from its schemas. */
export function page<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ run, ...written }: Written<P, Q, B>): Page {
  return {
    ...written,
    run: (parts) =>
      run({
        ...parts,
        params: parsed(written.params, parts.params),
        query: parsed(written.query, parts.query),
        body: parsed(written.body, parts.body),
      }),
  };
}

/** Shows a page. */
export function show(shown: Shown): Outcome {
  return { kind: 'page', ...shown };
}

/** Goes on to another page. */
export function goTo(path: string): Outcome {
  return { kind: 'to', path };
}

/** Says what went wrong. */
export function wrong(problem: Problem): Outcome {
  return { kind: 'problem', problem };
}

/** Arrows of a picture in an address: their positions in `Plan.edges`. */
export const edgeSchema = z
  .string()
  .regex(/^\d{1,6}(,\d{1,6}){0,99}$/, 'an arrow is named by numbers')
  .optional();
