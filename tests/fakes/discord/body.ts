import type { IncomingMessage } from 'node:http';
import { refusal } from './errors.ts';
import type { SentFile } from './messages.ts';

/** What came with a request. */
export interface SentBody {
  /** Undefined = nothing. */
  readonly raw: unknown;
  readonly files: readonly SentFile[];
}

/** Reads a body of JSON, or a form with `payload_json` and files. Throws `DiscordError` when it is neither. */
export async function readBody(request: IncomingMessage): Promise<SentBody> {
  const bytes = await bytesOf(request);
  if (bytes.length === 0) return { raw: undefined, files: [] };
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return readForm(bytes, type);
  return { raw: readJson(bytes.toString()), files: [] };
}

/** By its events: they are lighter than its iterator, and bursts are timed. */
function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

async function readForm(bytes: Buffer, type: string): Promise<SentBody> {
  const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData();
  const files: SentFile[] = [];
  for (const [key, value] of form) {
    const index = /^files\[(\d+)\]$/.exec(key)?.[1];
    if (typeof value === 'string' || index === undefined) continue;
    files.push({ index, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  const json = form.get('payload_json');
  return { raw: typeof json === 'string' ? readJson(json) : {}, files };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('badJson');
  }
}
