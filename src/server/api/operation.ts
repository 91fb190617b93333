import type { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import type { Sight } from '../../commands/visitor.ts';
import type { TokenRole } from '../../config-tokens.ts';
import type { Entry } from '../access/door.ts';
import { parsed } from '../parsed.ts';
import type { ProblemCode, Result } from '../problem.ts';

/** What a request asks of an operation. */
export interface Asked<P, Q, B> {
  readonly bot: Bot;
  readonly visitor: Entry;
  readonly sight: Sight;
  /** What the request is known by: a repeat with the same Idempotency-Key has the same one. */
  readonly event: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Waits as `waitForRun` does, but no longer than whoever asked is there and Flowbot goes on. */
  waitForRun(run: string, forMs: number): Promise<void>;
}

/** One thing that the API does: its route, its part of the OpenAPI document and its check are made from this. */
export interface Operation {
  /** What programs call it: `startRun`. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** With its parameters in braces: `/v1/runs/{run}`. */
  readonly path: string;
  readonly summary: string;
  /** Longer, where there is more to say. */
  readonly description?: string;
  /** Least that a token must let in for. */
  readonly access: TokenRole;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly answer: { readonly status: 200 | 201; readonly schema: z.ZodType; readonly what: string };
  /** What can go wrong beside what can with every operation. */
  readonly problems: readonly ProblemCode[];
  /** @param parts parsed by the schemas above */
  run(parts: Asked<unknown, unknown, unknown>): Promise<Result<unknown>>;
}

/** What is written of an operation. */
type Written<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, A extends z.ZodType> = Omit<
  Operation,
  'params' | 'query' | 'body' | 'answer' | 'run' | 'problems'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: { readonly status?: 201; readonly schema: A; readonly what: string };
  readonly problems?: readonly ProblemCode[];
  run(asked: Asked<z.output<P>, z.output<Q>, z.output<B>>): Promise<Result<z.input<A>>>;
};

/** Makes an operation of what is written; the types of what it is asked follow from its schemas. */
export function operation<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
  A extends z.ZodType = z.ZodType,
>({ run, problems = [], answer, ...written }: Written<P, Q, B, A>): Operation {
  return {
    ...written,
    problems,
    answer: { status: 200, ...answer },
    run: (parts) =>
      run({
        ...parts,
        params: parsed(written.params, parts.params),
        query: parsed(written.query, parts.query),
        body: parsed(written.body, parts.body),
      }),
  };
}
