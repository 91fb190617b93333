import type { Wire } from './wire.ts';

/** What Slack answers when it refuses: `ok: false` with this code. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly code: string;
  /** What stands in `response_metadata.messages`. */
  readonly messages: readonly string[];
  /** Further keys of the answer, such as `needed`. */
  readonly more: Wire;

  constructor(code: string, messages: readonly string[] = [], more: Wire = {}) {
    super([code, ...messages].join('\n'));
    this.code = code;
    this.messages = messages;
    this.more = more;
  }
}

/** The answer's body. */
export function refusal({ code, messages, more }: SlackError): Wire {
  return { ok: false, error: code, ...more, ...(messages.length > 0 && { response_metadata: { messages } }) };
}
