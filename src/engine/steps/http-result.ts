import { headerOf, lookUpKept } from '../data/keep.ts';
import type { Json, JsonObject } from '../json.ts';
import type { CallOutcome, Failure, HttpCall } from './step-type.ts';

/** What became of a request, as the step sees it. The http port reports it in this shape. */
export type HttpReport = HttpAnswer | HttpMiss;

/** The other side answered. */
export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body when it is JSON, else null. */
  readonly body: Json;
  /** Why a body that says it is JSON could not be read as JSON. */
  readonly bodyFault?: string;
}

/** There is no answer that could be used. */
export interface HttpMiss {
  readonly kind: 'failed';
  readonly reason:
    | 'address'
    | 'request'
    | 'dns'
    | 'connect'
    | 'timeout'
    | 'aborted'
    | 'connection'
    | 'too-large'
    | 'encoding'
    | 'redirect';
  readonly message: string;
  readonly mayHaveArrived: boolean;
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request with this method changes nothing and may be sent again when its outcome is not known. */
export function isSafeMethod(method: string): boolean {
  return safeMethods.has(method);
}

/**
 * Turns a report into the step's result. Fails with `http-status`, `http-keep`, or `http-` and the reason of the
 * miss. Nothing that may have changed something is tried again after the other side could not be heard.
 */
export function httpResult(call: HttpCall, report: HttpReport): CallOutcome {
  return report.kind === 'answered' ? readAnswer(call, report) : readMiss(call, report);
}

function readMiss(call: HttpCall, { reason, message, mayHaveArrived }: HttpMiss): CallOutcome {
  const unsafe = !isSafeMethod(call.method);
  switch (reason) {
    case 'address':
    case 'request':
      return failed(`http-${reason}`, message, 'never');
    case 'too-large':
    case 'encoding':
    case 'redirect':
      // The other side did answer: repeating a change that it has made would make it twice.
      return failed(`http-${reason}`, message, unsafe ? 'never' : 'allowed');
    case 'dns':
    case 'connect':
    case 'timeout':
    case 'aborted':
    case 'connection':
      if (unsafe && mayHaveArrived) return { kind: 'unknown', message };
      return failed(`http-${reason}`, message, 'allowed');
  }
}

function readAnswer(call: HttpCall, answer: HttpAnswer): CallOutcome {
  const { status, text, body } = answer;
  if (!isAccepted(call.accept, status)) return refuseStatus(call, status);
  const kept = Object.entries(call.keep).map(
    ([name, from]) => [name, keepValue(name, from, answer)] as const,
  );
  const missing = kept.find(([, value]) => value.kind === 'missing')?.[1];
  if (missing?.kind === 'missing') {
    return failed('http-keep', missing.message, isSafeMethod(call.method) ? 'allowed' : 'never');
  }
  const values: JsonObject = Object.fromEntries(
    kept.flatMap(([name, value]) => (value.kind === 'kept' ? [[name, value.value]] : [])),
  );
  return {
    kind: 'done',
    output: { text, json: { status, ok: status >= 200 && status < 300, values, body } },
  };
}

function refuseStatus(call: HttpCall, status: number): CallOutcome {
  const redirect =
    status >= 300 && status < 400 && status !== 304
      ? ' It points to another address; redirects: allows following it.'
      : '';
  return failed(
    'http-status',
    `${new URL(call.url).host} answered with status ${status}; this step accepts ${call.accept.join(', ')}.${redirect}`,
    'allowed',
  );
}

/** Whether a status is among those accepted: `2xx`, `404`, `200-299`. */
function isAccepted(accept: readonly string[], status: number): boolean {
  return accept.some((range) => {
    const [from, to = from] = range.replaceAll('x', '0').split('-').map(Number);
    if (from === undefined || to === undefined) return false;
    return status >= from && status <= (range.endsWith('xx') ? from + 99 : to);
  });
}

type Kept =
  | { readonly kind: 'kept'; readonly value: Json }
  | { readonly kind: 'missing'; readonly message: string };

function keepValue(name: string, from: string, answer: HttpAnswer): Kept {
  const found = lookUpKept(from, answer);
  if (found.found) return { kind: 'kept', value: found.value };
  if (found.cause === 'null') return { kind: 'kept', value: null };
  const header = headerOf(from);
  if (header !== undefined) {
    return {
      kind: 'missing',
      message: `The answer has no header ${header}, so there is no value to keep as "${name}".`,
    };
  }
  return {
    kind: 'missing',
    message: `${whyNoField(from, answer)}, so there is no value to keep as "${name}".`,
  };
}

function whyNoField(from: string, { body, bodyFault, text }: HttpAnswer): string {
  if (bodyFault !== undefined)
    return `The answer could not be read as JSON (${bodyFault.replace(/\.$/, '')})`;
  if (body === null && text.trim() === '') return `The answer is empty and has no ${from}`;
  if (body === null && text.trim() !== 'null') return `The answer is not JSON and has no ${from}`;
  return `The answer has no ${from}`;
}

function failed(code: string, message: string, retry: Failure['retry']): CallOutcome {
  return { kind: 'failed', failure: { code, message, retry } };
}
