import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves the files of `page/` under `/playground/`. */
export function addPage(app: FastifyInstance): void {
  const folder = new URL('./page/', import.meta.url);
  // Read once: a request can name only what is in this list, whatever its path says.
  const files = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))] as const),
  );
  const send = (reply: FastifyReply, name: string) => {
    const file = files.get(name);
    const type = types[extname(name)];
    if (file === undefined || type === undefined) return reply.callNotFound();
    return reply.type(type).send(file);
  };
  app.get('/playground', (_request, reply) => reply.redirect('/playground/'));
  app.get('/playground/', (_request, reply) => send(reply, 'index.html'));
  app.get<{ Params: { file: string } }>('/playground/:file', (request, reply) =>
    send(reply, request.params.file),
  );
}
