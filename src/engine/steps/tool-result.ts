import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../data/room.ts';
import type { JsonObject } from '../json.ts';
import { reveal } from '../reveal.ts';
import type { CallOutcome, Failure, ToolCall } from './step-type.ts';

/** A part of what a tool answered. */
export type ToolContent =
  | { readonly kind: 'text'; readonly text: string }
  /** `label`: what it is, in a few words: `image image/png, 512 bytes`. */
  | { readonly kind: 'other'; readonly label: string };

/** What became of a call of a tool, as the step sees it. The port of tools reports it in this shape. */
export type ToolReport =
  | {
      readonly kind: 'answered';
      readonly content: readonly ToolContent[];
      readonly structured: JsonObject;
      /** The tool says that it failed. */
      readonly isError: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly reason: ToolFailureReason;
      /** A sentence for people. */
      readonly message: string;
      /** The tool may have had its effect, and calling it again could have it twice. */
      readonly mayHaveHappened: boolean;
    };

/** Why there is no answer that could be used. */
export type ToolFailureReason =
  | 'server' // there is no such server
  | 'secret' // the server needs a secret that is not set
  | 'start' // the server can't be reached or started
  | 'missing' // the server has no such tool
  | 'arguments' // the tool does not take such arguments
  | 'forbidden' // the tool may change something, and the server is set to read only; or there is no access
  | 'refused' // the server answered that it does not do it
  | 'too-large'
  | 'reply' // what came back is no answer of a tool
  | 'connection' // lost after the request was sent
  | 'timeout'
  | 'aborted';

/** Most characters of what a tool said that a failure quotes. */
const QUOTED_MAX_CHARS = 2_000;

/**
 * Turns a report into the step's result: the texts joined by line breaks, other parts noted among them, and the
 * structured content as `json`. Fails with `tool-error`, or `tool-` and the reason.
 */
export function toolResult({ server, tool }: ToolCall, report: ToolReport): CallOutcome {
  if (report.kind === 'failed') return missed(report);
  const text = report.content
    .map((part) => (part.kind === 'text' ? part.text : `[${part.label}]`))
    .join('\n');
  if (report.isError) {
    const message = `The tool ${JSON.stringify(tool)} of ${server} failed.`;
    return failed(
      'tool-error',
      text.trim() === '' ? message : `${message} It said:\n${quote(text)}`,
      'allowed',
    );
  }
  const room = roomFor(TEXT_MAX_CHARS);
  const failure = takeRoomForData(room, report.structured) ?? takeRoomForData(room, text);
  if (failure) return { kind: 'failed', failure };
  return { kind: 'done', output: { text, json: report.structured } };
}

function missed({ reason, message, mayHaveHappened }: Extract<ToolReport, { kind: 'failed' }>): CallOutcome {
  switch (reason) {
    case 'server':
    case 'secret':
    case 'missing':
    case 'arguments':
    case 'forbidden':
      return failed(`tool-${reason}`, message, 'never');
    case 'start':
    case 'refused':
      return failed(`tool-${reason}`, message, 'allowed');
    case 'too-large':
    case 'reply':
      // The tool did answer: repeating a change that it has made would make it twice.
      return failed(`tool-${reason}`, message, mayHaveHappened ? 'never' : 'allowed');
    case 'connection':
    case 'timeout':
    case 'aborted':
      return mayHaveHappened ? { kind: 'unknown', message } : failed(`tool-${reason}`, message, 'allowed');
  }
}

function quote(text: string): string {
  const visible = reveal(
    text
      .trim()
      .slice(0, 2 * QUOTED_MAX_CHARS)
      .toWellFormed(),
  ).text;
  return visible.length <= QUOTED_MAX_CHARS
    ? visible
    : `${visible.slice(0, QUOTED_MAX_CHARS - 1)}…`.toWellFormed();
}

function failed(code: string, message: string, retry: Failure['retry']): CallOutcome {
  return { kind: 'failed', failure: { code, message, retry } };
}
