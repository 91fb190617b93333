import type { FlowView, QuestionView, RunSummaryView, RunView } from '../server/api/views.ts';
import type { ProblemError } from '../server/problem.ts';

/** A flow as the API shows it. */
export type Flow = FlowView;
/** A run of a list. */
export type RunSummary = RunSummaryView;
/** A run with its steps, outputs and open questions. */
export type Run = RunView;
/** A question that people answer. */
export type Question = QuestionView;

/** Something that happened in a run. What else it holds follows from its name, as `docs/events.md` says. */
export interface RunEvent {
  /** Its place among those of its run, for `after`. */
  readonly id: string;
  readonly name: string;
  readonly run: string;
  readonly flow: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly [key: string]: unknown;
}

/** A request that was not carried out (RFC 9457). */
export class FlowbotProblem extends Error {
  override readonly name = 'FlowbotProblem';
  readonly status: number;
  /** `urn:flowbot:problem:does-not-fit` and so on. */
  readonly type: string;
  /** What of the request does not fit. */
  readonly errors: readonly ProblemError[];

  constructor(status: number, type: string, detail: string, errors: readonly ProblemError[] = []) {
    super(detail);
    this.status = status;
    this.type = type;
    this.errors = errors;
  }
}

/** Options of a request that changes something. */
export interface Once {
  /** The same for all repeats of a request, which is then done once; default: a new one for each call. */
  readonly key?: string;
}

/** What a start is asked with. */
export interface StartOptions extends Once {
  readonly input?: Readonly<Record<string, unknown>>;
  /** Instead of the input: what would follow the command in a chat. */
  readonly prompt?: string;
  /** How long to wait for the run, in seconds, at most 300; default: not at all. */
  readonly waitS?: number;
}

/** An answer to a question. */
export interface AnswerOptions extends Once {
  readonly action: string;
  readonly comment?: string;
  /** `Question.covers` as you have read it. */
  readonly covers?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Which runs to list. */
export interface RunsOptions {
  readonly flow?: string;
  /** Statuses separated by commas, or `open`. */
  readonly status?: string;
  readonly mine?: boolean;
  readonly before?: string;
  readonly limit?: number;
}

/** Talks to Flowbot's API. Every call rejects with `FlowbotProblem` when it is refused. */
export interface Client {
  flows(): Promise<readonly Flow[]>;
  start(flow: string, options?: StartOptions): Promise<Run>;
  run(id: string): Promise<Run>;
  /** A page of runs, the newest first. `next`: what to send as `before` for older ones. */
  runs(
    options?: RunsOptions,
  ): Promise<{ readonly runs: readonly RunSummary[]; readonly next: string | null }>;
  cancel(run: string, options?: Once): Promise<Run>;
  /** Starts a new run that goes on where a run ended. @param from a step from which it runs again */
  retry(run: string, options?: Once & { readonly from?: string }): Promise<Run>;
  /** Open questions. @param mine only those that name you */
  questions(mine?: boolean): Promise<readonly Question[]>;
  answer(question: string, options: AnswerOptions): Promise<Run>;
  /**
   * What happens in a run, as it happens, until it has ended; over lost connections, nothing twice.
   * @param options `after`: only events behind that one; `signal` ends it
   */
  events(
    run: string,
    options?: { readonly after?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<RunEvent>;
}

/** How long a client waits before it connects again, in milliseconds. */
const AGAIN_MS = 1_000;

/** Makes a client. @param options `url`: where Flowbot is; `token`: one of FLOWBOT_TOKENS, none where nobody needs one */
export function createClient(options: { readonly url: string; readonly token?: string }): Client {
  const base = options.url.replace(/\/+$/, '');
  const own: Readonly<Record<string, string>> =
    options.token === undefined ? { 'x-flowbot': '1' } : { authorization: `Bearer ${options.token}` };

  async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await fetch(`${base}${path}`, { ...init, headers: { ...own, ...init.headers } });
    if (!response.ok) throw await problemOf(response);
    return JSON.parse(await response.text());
  }

  function get<T>(path: string, query: Readonly<Record<string, string | number | boolean | undefined>> = {}) {
    return ask<T>(`${path}${queryOf(query)}`);
  }

  function post(path: string, { key = crypto.randomUUID() }: Once, body: object): Promise<Run> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async function* events(
    run: string,
    { after, signal }: { readonly after?: string; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<RunEvent> {
    let last = after;
    while (!signal?.aborted) {
      const response = await fetch(`${base}/v1/runs/${encodeURIComponent(run)}/events`, {
        headers: {
          ...own,
          accept: 'text/event-stream',
          ...(last !== undefined && { 'last-event-id': last }),
        },
        ...(signal && { signal }),
      }).catch(() => undefined);
      if (response?.status === 204) return;
      if (response && !response.ok && response.status !== 503) throw await problemOf(response);
      if (response?.ok && response.body) {
        for await (const event of framesOf(response.body)) {
          last = event.id;
          yield event;
          if (event.name === 'run:ended') return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  return {
    flows: async () => (await get<{ readonly flows: readonly Flow[] }>('/v1/flows')).flows,
    start(flow, { input, prompt, waitS, ...once } = {}) {
      const path = `/v1/flows/${encodeURIComponent(flow)}/runs${queryOf({ wait: waitS })}`;
      return post(path, once, { ...(input && { input }), ...(prompt !== undefined && { prompt }) });
    },
    run: (id) => get(`/v1/runs/${encodeURIComponent(id)}`),
    runs: ({ flow, status, mine, before, limit } = {}) =>
      get('/v1/runs', { flow, status, mine, before, limit }),
    cancel: (run, once = {}) => post(`/v1/runs/${encodeURIComponent(run)}/cancel`, once, {}),
    retry: (run, { from, ...once } = {}) =>
      post(`/v1/runs/${encodeURIComponent(run)}/retry`, once, from === undefined ? {} : { from }),
    questions: async (mine = false) =>
      (await get<{ readonly questions: readonly Question[] }>('/v1/questions', { mine })).questions,
    answer: (question, { key, ...answer }) =>
      post(`/v1/questions/${encodeURIComponent(question)}/answers`, key === undefined ? {} : { key }, answer),
    events,
  };
}

function queryOf(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function problemOf(response: Response): Promise<FlowbotProblem> {
  const { type, detail, errors } = readProblem(await response.text());
  return new FlowbotProblem(
    response.status,
    type ?? 'about:blank',
    detail ?? `Flowbot answered ${response.status}.`,
    errors,
  );
}

/** Something in between may have answered instead. */
function readProblem(text: string): {
  readonly type?: string;
  readonly detail?: string;
  readonly errors?: readonly ProblemError[];
} {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The events of a stream; it may end in the middle of one. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<RunEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const frames = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const id = /^id: (.*)$/m.exec(frame)?.[1];
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (id !== undefined && data !== undefined) yield { ...JSON.parse(data), id };
      }
    }
  } catch {
    // The connection was lost: whoever reads connects again.
  }
}
