import type { IncomingHttpHeaders } from 'node:http';
import { isValidSlackRequest } from '@slack/bolt';

/** How far a request's time may be from ours, before or after. The figure is Slack's. */
const windowMs = 5 * 60_000;

/**
 * Whether a request was signed by Slack with our secret, just now.
 * A repeat inside the window is harmless: what it says has the same id and is taken once.
 *
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function isSigned(
  request: { readonly headers: IncomingHttpHeaders; readonly body: string },
  signingSecret: string,
  nowMs: number,
): boolean {
  const signature = request.headers['x-slack-signature'];
  const written = request.headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || typeof written !== 'string' || !/^\d{1,12}$/.test(written))
    return false;
  const seconds = Number(written);
  if (Math.abs(nowMs - seconds * 1_000) > windowMs) return false;
  return isValidSlackRequest({
    signingSecret,
    body: request.body,
    headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': seconds },
    nowMilliseconds: nowMs,
  });
}
