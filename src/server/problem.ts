import type { FastifyReply } from 'fastify';

/** What went wrong with a request, in one of a few kinds that programs can tell apart, each with its status and title. */
export const PROBLEMS = {
  'bad-request': [400, 'The request can’t be read'],
  'not-signed-in': [401, 'Nobody is signed in'],
  'not-allowed': [403, 'This is not allowed'],
  'not-found': [404, 'There is no such thing'],
  'method-not-allowed': [405, 'This method does nothing here'],
  conflict: [409, 'This can’t be done now'],
  'too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body is not JSON'],
  'does-not-fit': [422, 'What was sent does not fit'],
  'key-used-otherwise': [422, 'The key belongs to another request'],
  'too-many': [429, 'There were too many requests'],
  internal: [500, 'Something went wrong inside Flowbot'],
  unavailable: [503, 'Flowbot can’t do this at the moment'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A fault in what was sent. `pointer`: where, as a JSON Pointer into the body, or the name of a parameter. */
export interface ProblemError {
  readonly pointer: string;
  readonly detail: string;
}

/** What is answered instead of what was asked for (RFC 9457). */
export interface Problem {
  readonly code: ProblemCode;
  /** A whole sentence that says what to do about it. */
  readonly detail: string;
  readonly errors?: readonly ProblemError[];
  /** When it is worth trying again, in seconds. */
  readonly retryAfterS?: number;
}

/** What was asked for, or why not. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** It went well. */
export function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** It did not. */
export function failed(
  code: ProblemCode,
  detail: string,
  more: Pick<Problem, 'errors' | 'retryAfterS'> = {},
): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { code, detail, ...more } };
}

/** The body of a problem, as `application/problem+json`. */
export function problemBody({ code, detail, errors }: Problem) {
  const [status, title] = PROBLEMS[code];
  return { type: `urn:flowbot:problem:${code}`, title, status, detail, ...(errors && { errors }) };
}

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, ...body } = problemBody(problem);
  if (problem.retryAfterS !== undefined) reply.header('retry-after', String(problem.retryAfterS));
  if (problem.code === 'not-signed-in') reply.header('www-authenticate', 'Bearer realm="flowbot"');
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ ...body, status });
}
