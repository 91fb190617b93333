import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { REPLY_MAX_BYTES, type Way } from './transport.ts';

/** The way to a server that is reached by streamable HTTP. Redirects to other origins are not followed. */
export function wayToAddress(url: string, headers: Readonly<Record<string, string>>): Way {
  let isTooLarge = false;
  const limited: FetchLike = async (address, init) => {
    // Nothing a server says unasked is of use here, so that there is no stream of it to hold open.
    if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id')) {
      return new Response(null, { status: 405 });
    }
    const response = await fetch(address, init);
    if (!response.body) return response;
    const body = response.body.pipeThrough(
      limit(() => {
        isTooLarge = true;
        void close();
      }),
    );
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: response.headers });
  };
  const inner = new StreamableHTTPClientTransport(new URL(url), {
    fetch: limited,
    requestInit: { headers: { ...headers } },
  });

  async function close(): Promise<void> {
    await inner.close();
  }

  // The type of the SDK's own class does not fit its interface under strict flags.
  const transport: Transport = {
    async start() {
      inner.onclose = () => transport.onclose?.();
      inner.onerror = (error) => transport.onerror?.(error);
      inner.onmessage = (message) => transport.onmessage?.(message);
      await inner.start();
    },
    send: (message, options) => {
      const { resumptionToken, onresumptiontoken } = options ?? {};
      return inner.send(message, {
        ...(resumptionToken !== undefined && { resumptionToken }),
        ...(onresumptiontoken && { onresumptiontoken }),
      });
    },
    close,
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
  };
  return { transport, tooLarge: () => isTooLarge, said: () => '', close };
}

/** Lets so many bytes through, and breaks off when there are more. */
function limit(onMore: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= REPLY_MAX_BYTES) return controller.enqueue(chunk);
      onMore();
      controller.error(new Error('More came back than is taken.'));
    },
  });
}
