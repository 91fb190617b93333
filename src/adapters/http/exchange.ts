import type { Dispatcher } from 'undici';
import { explain } from './failure.ts';
import { toSend } from './headers.ts';
import type { Hop } from './hop.ts';

/** An answer whose body has yet to be read: read it or discard it. */
export interface Answer {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it comes, still packed. Its errors are `Stop`s. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Gives up what was not read, and with it the connection. Harmless after everything was read. */
  discard(): void;
}

/**
 * Sends one request once and waits for the head of the answer.
 *
 * @param onSent called just before the first byte is written
 * @throws Stop
 */
export async function exchange(
  dispatcher: Dispatcher,
  hop: Hop,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Answer> {
  const { url } = hop;
  let sent = false;
  const watched = dispatcher.compose(
    noticeStart(() => {
      sent = true;
      onSent();
    }),
  );
  try {
    const answer = await watched.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: hop.method,
      headers: toSend(hop.headers),
      body: hop.body ?? null,
      signal,
    });
    const { body } = answer;
    body.on('error', () => {}); // a body that is discarded fails, and nobody listens any more
    return {
      status: answer.statusCode,
      headers: joined(answer.headers),
      chunks: explained(body, url.host),
      discard: () => body.destroy(),
    };
  } catch (error) {
    throw explain(error, url.host, sent);
  }
}

/** Tells when a request is about to be written: the client has no other sign of it. */
function noticeStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        if (!controller.aborted) onStart();
      },
      onResponseStart: (...head) => handler.onResponseStart?.(...head),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    });
}

function joined(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries);
}

async function* explained(body: AsyncIterable<Buffer>, host: string): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw explain(error, host, true);
  }
}
