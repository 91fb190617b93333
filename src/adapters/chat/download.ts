import { lookup } from 'node:dns/promises';
import { type Attachment, readAttachment, sizeFault, sizeInWords } from '../../engine/attachments.ts';
import type { JsonObject } from '../../engine/json.ts';
import { ChatUnavailable, type DownloadOutcome } from '../../ports/chat.ts';
import { readBytes } from '../http/body.ts';
import { createConnections } from '../http/connections.ts';
import { type Answer, exchange } from '../http/exchange.ts';
import { explain } from '../http/failure.ts';
import { guard, parseAddress, type Resolve } from '../http/guard.ts';
import { type Hop, isRedirect, nextHop } from '../http/hop.ts';
import { type Limit, startLimit } from '../http/limit.ts';

/** Where a platform keeps the files that people send. */
export interface FileStore {
  /** The platform, as people call it. */
  readonly name: string;
  /** Whether the platform keeps files there: nothing else is asked, neither at first nor after a redirect. */
  keeps(address: URL): boolean;
  /** Sent to each of these addresses, and to no other. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hosts that need not be public. */
  readonly allowHosts: readonly string[];
  /** Why an answer is not the file, as a sentence for who sent the file; undefined = it is. */
  refusal(file: Attachment, answer: FileAnswer): string | undefined;
}

/** An answer in which there may be a file. */
export interface FileAnswer {
  /** Neither a redirect nor a failure of the platform. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** How large the body is; 0 when the status says that it is no file. */
  readonly sizeBytes: number;
}

/** Fetches files from where a platform keeps them. */
export interface Downloads {
  /** As `Chat.download`: one more attempt where the platform fails. */
  download(file: JsonObject, maxBytes: number): Promise<DownloadOutcome>;
  /** Gives up what is under way. */
  close(): void;
}

/** Longest time for a file, redirects included, in milliseconds. */
const patienceMs = 60_000;
/** Wait before the second attempt, in milliseconds. */
const againMs = 1_000;
const redirectsMax = 3;

/** Makes it. @param options `pause` waits so long; `resolve` finds the addresses of a host name, by default as the system does */
export function createDownloads(
  store: FileStore,
  options: {
    readonly pause: (forMs: number) => Promise<void>;
    readonly resolve?: Resolve;
    readonly timeoutMs?: number;
  },
): Downloads {
  const { pause, resolve = systemResolve, timeoutMs = patienceMs } = options;
  const connections = createConnections();
  const closing = new AbortController();
  const headers = new Map(Object.entries(store.headers));

  /** Undefined = the platform failed, or could not be reached. */
  async function attempt(file: Attachment, url: URL, maxBytes: number): Promise<DownloadOutcome | undefined> {
    const limit = startLimit(url.host, timeoutMs, [closing.signal]);
    let hop: Hop = { method: 'GET', url, headers };
    try {
      for (let asked = 0; asked <= redirectsMax; asked += 1) {
        if (!store.keeps(hop.url)) return refused(foreign(file));
        const addresses = await limit.until(guard(hop.url, store.allowHosts, resolve));
        const connection = connections.open(hop.url.origin, addresses, false);
        let answer: Answer | undefined;
        try {
          answer = await exchange(connection.dispatcher, hop, limit.signal, () => {});
          if (!isRedirect(answer.status)) return await taken(answer, file, maxBytes, limit);
          // Where it leads to is looked at before anything is sent there.
          hop = { ...nextHop(hop, answer.status, answer.headers.location), headers };
        } finally {
          answer?.discard();
          connection.release();
        }
      }
      return refused(foreign(file));
    } catch (error) {
      switch (explain(limit.signal.reason ?? error, url.host, true).reason) {
        case 'address':
        case 'request':
        case 'redirect':
          return refused(foreign(file));
        case 'too-large':
          return refused(
            `“${file.name}” is larger than ${sizeInWords(maxBytes)}, which is the most allowed.`,
          );
        case 'dns':
        case 'connect':
        case 'timeout':
        case 'aborted':
        case 'connection':
        case 'encoding':
          return undefined;
      }
    } finally {
      limit.end();
    }
  }

  async function taken(
    answer: Answer,
    file: Attachment,
    maxBytes: number,
    { signal }: Limit,
  ): Promise<DownloadOutcome | undefined> {
    const { status, headers } = answer;
    if (status >= 500 || status === 408 || status === 429) return undefined;
    const isFile = status === 200;
    const bytes = isFile ? await readBytes(answer, { host: store.name, maxBytes, signal }) : Buffer.alloc(0);
    const refusal = store.refusal(file, { status, headers, sizeBytes: bytes.length });
    if (refusal !== undefined) return refused(refusal);
    if (isFile) return { kind: 'fetched', data: bytes.toString('base64') };
    return refused(`${store.name} does not give out “${file.name}” (HTTP ${status}): send it again.`);
  }

  function foreign({ name }: Attachment): string {
    return `“${name}” is not kept by ${store.name} itself, so it is not fetched: send the file itself, not a link to it.`;
  }

  return {
    async download(given, maxBytes) {
      const file = readAttachment(given);
      if (file === undefined) return refused(`${store.name} describes no file here: send it again.`);
      const tooLarge = sizeFault(file, maxBytes);
      if (tooLarge !== undefined) return refused(tooLarge);
      const url = file.url === null ? undefined : parseAddress(file.url);
      if (url === undefined) return refused(foreign(file));
      const first = await attempt(file, url, maxBytes);
      if (first !== undefined) return first;
      await pause(againMs);
      const second = await attempt(file, url, maxBytes);
      if (second !== undefined) return second;
      throw new ChatUnavailable(`${store.name} does not give out the file “${file.name}” now.`);
    },
    close() {
      closing.abort();
      void connections.close();
    },
  };
}

function refused(message: string): DownloadOutcome {
  return { kind: 'refused', message };
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
