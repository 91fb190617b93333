import { parseExact } from '../data/exact-json.ts';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../data/room.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { reveal } from '../reveal.ts';
import type { Failure, KnownOutcome } from './step-type.ts';

/** What became of a program, as the step sees it. The port of programs reports it in this shape. */
export type ScriptReport =
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      /** All that it printed. */
      readonly stdout: string;
      readonly stderr: string;
    }
  | {
      readonly kind: 'failed';
      readonly reason:
        | 'missing' // there is no such program
        | 'start' // it can't be started
        | 'busy' // it can't be started now: the machine is at its limit
        | 'timeout'
        | 'too-large' // it printed too much
        | 'encoding' // what it printed is no text
        | 'killed' // a signal ended it, and not one of ours
        | 'aborted';
      /** A sentence for people that quotes nothing of what the program wrote. */
      readonly message: string;
      readonly stderr: string;
    };

/** Most characters of what a program said that a failure quotes. */
const QUOTED_MAX_CHARS = 2_000;

/**
 * Turns a report into the step's result. What was printed is the text, without the line breaks at its end; when it
 * is one JSON object, its keys are there under `json`, beside `exitCode`. Fails with `script-exit`, `script-output`, or `script-` and the reason.
 */
export function scriptResult(run: string, report: ScriptReport): KnownOutcome {
  if (report.kind === 'failed') {
    const { reason, message, stderr } = report;
    return failed(`script-${reason}`, message, retries[reason], stderr);
  }
  const { exitCode, stdout, stderr } = report;
  if (exitCode !== 0) {
    return failed('script-exit', `${nameOf(run)} ended with exit code ${exitCode}.`, 'allowed', stderr);
  }
  const json = jsonOf(stdout);
  if (Object.hasOwn(json, 'exitCode')) {
    const message = `${nameOf(run)} printed a field "exitCode", which every script has: give it another name.`;
    return failed('script-output', message, 'never');
  }
  const failure = takeRoomForData(roomFor(TEXT_MAX_CHARS), json);
  if (failure) return { kind: 'failed', failure };
  return { kind: 'done', output: { text: withoutLastBreaks(stdout), json: { ...json, exitCode } } };
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Whether another try may help: it does not where a program is not there, or prints what can't be kept. */
const retries: Readonly<Record<Extract<ScriptReport, { kind: 'failed' }>['reason'], Failure['retry']>> = {
  missing: 'never',
  start: 'never',
  busy: 'allowed',
  timeout: 'allowed',
  'too-large': 'never',
  encoding: 'never',
  killed: 'allowed',
  aborted: 'never',
};

/** The keys of what is one JSON object; of anything else none. */
function jsonOf(stdout: string): JsonObject {
  if (!stdout.trimStart().startsWith('{')) return {};
  try {
    const data = parseExact(stdout);
    return isJsonObject(data) ? data : {};
  } catch {
    return {};
  }
}

function failed(code: string, message: string, retry: Failure['retry'], stderr = ''): KnownOutcome {
  const said = lastLines(stderr);
  return {
    kind: 'failed',
    failure: { code, message: said === '' ? message : `${message} It said:\n${said}`, retry },
  };
}

/** The end of a text in whole lines, with what can't be seen made visible. One line that is too long is cut. */
function lastLines(text: string): string {
  const end = text.slice(-2 * QUOTED_MAX_CHARS).toWellFormed();
  const visible = reveal(end.trimEnd().replaceAll('\r\n', '\n')).text;
  if (visible.length <= QUOTED_MAX_CHARS && end.length === text.length) return visible.replace(/^\n+/, '');
  const kept = visible.slice(1 - QUOTED_MAX_CHARS);
  const line = kept.indexOf('\n');
  return `…${line < 0 ? kept : kept.slice(line)}`.toWellFormed();
}

function nameOf(run: string): string {
  return `The script ${JSON.stringify(run)}`;
}
