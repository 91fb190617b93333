import { Client } from 'undici';
import { z } from 'zod';
import { answerSchema, type CliAnswer, type CliRequest, OTHER_VERSION } from './protocol.ts';

/** Longest wait for the running process to answer. */
const ANSWER_TIMEOUT_MS = 30_000;

const receivedSchema = z.union([answerSchema, z.object({ error: z.string() })]);

/**
 * Has the running process carry out a request. Undefined = nobody answers there. Throws a sentence when the
 * process can't do it.
 */
export async function askSocket(path: string, request: CliRequest): Promise<CliAnswer | undefined> {
  const client = new Client('http://localhost', {
    socketPath: path,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  const received = await client
    .request({
      method: 'POST',
      path: '/command',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    .then(async ({ body }) => body.json())
    // Gone before it has answered: whoever holds the database decides what to say.
    .catch(() => undefined)
    .finally(() => client.destroy());
  if (received === undefined) return undefined;
  const read = receivedSchema.safeParse(received);
  if (!read.success) throw new Error(OTHER_VERSION);
  if ('error' in read.data) throw new Error(read.data.error);
  return read.data;
}
