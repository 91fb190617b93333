import type { Attachment } from '../../engine/attachments.ts';
import { createDownloads, type Downloads, type FileAnswer } from '../chat/download.ts';
import type { Resolve } from '../http/guard.ts';
import type { Calls } from './calls.ts';

const hosts: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];

/**
 * Fetches files that people sent in Discord. Their addresses are signed, so nothing else is shown to them.
 * @param options `apiUrl`: base address of the API, if it is not Discord's own
 */
export function createDiscordDownloads(options: {
  readonly apiUrl: string | undefined;
  readonly calls: Pick<Calls, 'pause'>;
  /** Finds the addresses of a host name; default: as the system does. */
  readonly resolve?: Resolve;
}): Downloads {
  const { apiUrl, calls, resolve } = options;
  const api = apiUrl === undefined ? undefined : new URL(apiUrl);
  return createDownloads(
    {
      name: 'Discord',
      keeps: (address) => address.origin === api?.origin || isDiscord(address),
      headers: {},
      allowHosts: api === undefined ? [] : [api.host],
      refusal,
    },
    { pause: calls.pause, ...(resolve && { resolve }) },
  );
}

function isDiscord({ protocol, hostname, port }: URL): boolean {
  return protocol === 'https:' && port === '' && hosts.includes(hostname);
}

/** A signature lasts for about a day, and nothing tells one that has run out from a file that is gone. */
function refusal({ name }: Attachment, { status }: FileAnswer): string | undefined {
  if (![401, 403, 404, 410].includes(status)) return undefined;
  return `“${name}” can’t be read any more: it was deleted, or Discord’s address of it has run out. Send it again.`;
}
