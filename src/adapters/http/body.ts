import { MIMEType, TextDecoder } from 'node:util';
import type { Json } from '../../engine/json.ts';
import type { Answer } from './exchange.ts';
import { quotable, Stop } from './failure.ts';
import { parseJson } from './json.ts';
import { unpack } from './unpack.ts';

/** A body, read. */
interface Body {
  readonly text: string;
  /** Parsed when the content type says JSON, else null. */
  readonly body: Json;
  /** Why it is no JSON although its content type says so. */
  readonly bodyFault?: string;
}

/** What there is when there is no body. */
export const NO_BODY: Body = { text: '', body: null };

/** How the body of an answer is read. */
interface ReadOptions {
  readonly host: string;
  /** Most bytes, counted unpacked. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a body: unpacked, within the size limit, decoded by its charset (UTF-8 when there is none), and parsed when
 * it is JSON.
 *
 * @throws Stop
 */
export async function readBody(answer: Answer, options: ReadOptions): Promise<Body> {
  const { type, charset } = contentType(answer.headers['content-type']);
  const decoder = decoderOf(charset, options.host);
  const bytes = await readBytes(answer, options);
  const text = decoder.decode(bytes); // leaves out a byte order mark
  return isJsonType(type) && text.trim() !== '' ? { text, ...parseJson(text) } : { text, body: null };
}

/** Charsets that browsers know: others are no text at all (`hex`) or costly to read (`utf-7`). */
function decoderOf(charset: string, host: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new Stop(
      'encoding',
      `The answer of ${host} is written in an unknown charset, ${quotable(charset)}.`,
    );
  }
}

/** Reads the bytes of a body, unpacked, within the size limit. @throws Stop */
export async function readBytes(answer: Answer, { host, maxBytes, signal }: ReadOptions): Promise<Buffer> {
  const packing = answer.headers['content-encoding'] ?? '';
  // One growing buffer: a list of chunks could be a thousand times larger than the bytes in it.
  let bytes = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of unpack(answer.chunks, packing, signal)) {
    if (size + chunk.length > maxBytes) throw tooLarge(host, maxBytes);
    if (size + chunk.length > bytes.length) {
      bytes = Buffer.concat([bytes], Math.min(maxBytes, Math.max(2 * bytes.length, size + chunk.length)));
    }
    size += chunk.copy(bytes, size);
  }
  return bytes.subarray(0, size);
}

function tooLarge(host: string, maxBytes: number): Stop {
  const size = `${maxBytes.toLocaleString('en-US')} bytes`;
  return new Stop(
    'too-large',
    `The answer of ${host} is larger than ${size}; raise maxBytes if that is meant.`,
  );
}

function contentType(header: string | undefined): { type: string; charset: string } {
  try {
    const parsed = new MIMEType(header ?? '');
    return { type: parsed.essence, charset: parsed.params.get('charset') ?? 'utf-8' };
  } catch {
    return { type: '', charset: 'utf-8' };
  }
}

function isJsonType(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json');
}
