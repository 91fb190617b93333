import type { Attachment } from '../../engine/attachments.ts';
import { createDownloads, type Downloads, type FileAnswer } from '../chat/download.ts';
import type { Resolve } from '../http/guard.ts';
import type { Calls } from './calls.ts';
import { missingScope } from './refusals.ts';

/**
 * Fetches files that people sent in Slack, with the bot's token.
 * @param options `apiUrl`: base address of the Web API, if it is not Slack's own
 */
export function createSlackDownloads(options: {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly calls: Pick<Calls, 'pause'>;
  /** Finds the addresses of a host name; default: as the system does. */
  readonly resolve?: Resolve;
}): Downloads {
  const { token, apiUrl, calls, resolve } = options;
  const api = apiUrl === undefined ? undefined : new URL(apiUrl);
  return createDownloads(
    {
      name: 'Slack',
      // The token goes along to wherever this says.
      keeps: (address) => address.origin === api?.origin || isSlack(address),
      headers: { authorization: `Bearer ${token}` },
      allowHosts: api === undefined ? [] : [api.host],
      refusal,
    },
    { pause: calls.pause, ...(resolve && { resolve }) },
  );
}

/** Slack’s own hosts: `files.slack.com`, and those of workspaces. */
function isSlack({ protocol, hostname, port }: URL): boolean {
  return protocol === 'https:' && port === '' && hostname.endsWith('.slack.com');
}

/** Who may not read a file gets a page to sign in, with status 200. @see https://github.com/slackapi/bolt-js/issues/2585 */
function refusal(file: Attachment, { status, headers, sizeBytes }: FileAnswer): string | undefined {
  if (status === 404 || status === 410) return `“${file.name}” was deleted: send it again.`;
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '');
  const isExpected = file.type === 'text/html' && file.sizeBytes === sizeBytes;
  if (status === 401 || status === 403 || (status === 200 && isPage && !isExpected)) {
    return `Slack does not let the bot read “${file.name}”. ${missingScope('files:read')}`;
  }
  return undefined;
}
