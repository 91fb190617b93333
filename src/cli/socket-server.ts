import { chmodSync, lstatSync, rmSync } from 'node:fs';
import fastify, { type FastifyError } from 'fastify';
import type { Bot } from '../commands/bot.ts';
import { answerRequest } from './answer.ts';
import { OTHER_VERSION, requestSchema } from './protocol.ts';

/** Longest command, in bytes. */
const maxBodyBytes = 128 * 1024;
/** How long sending a command may take. */
const sendMs = 10_000;

/** The local socket of a running Flowbot. */
export interface LocalSocket {
  /** Answers what was asked whole, then stops and removes the socket; who is still asking is cut off. */
  close(): Promise<void>;
}

/**
 * Opens the socket for commands from this machine's command line, for nobody but the user this process runs as.
 * Call it only while holding the database: that is what proves a socket left there to be stale.
 */
export async function openSocket(bot: Bot, path: string): Promise<LocalSocket> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
  const app = fastify({ bodyLimit: maxBodyBytes, requestTimeout: sendMs, forceCloseConnections: true });
  /** Ends of the answers under way. */
  const answers = new Set<Promise<void>>();
  app.addHook('preHandler', async (_request, reply) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.add(promise);
    reply.raw.once('close', () => {
      answers.delete(promise);
      resolve();
    });
  });
  app.addHook('preClose', async () => {
    await Promise.all(answers);
  });
  app.post('/command', async (request, reply) => {
    const parsed = requestSchema.safeParse(request.body);
    return parsed.success ? answerRequest(bot, parsed.data) : reply.code(400).send({ error: OTHER_VERSION });
  });
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) bot.log.error('A command from the command line failed.', error);
    reply.code(status).send({ error: sentence(error, status) });
  });
  await app.listen({ path });
  chmodSync(path, 0o600);
  return { close: () => app.close() };
}

function sentence(error: FastifyError, status: number): string {
  if (status >= 500) return 'Something went wrong inside Flowbot; its log says more.';
  if (status === 413) return `The command is too long: at most ${maxBodyBytes / 1024} kB are accepted.`;
  return error.message;
}
