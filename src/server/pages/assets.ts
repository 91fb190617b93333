import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pictureStyles } from '../../render/pictures/index.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** How long browsers keep a file, in seconds: with other content it has another address. */
const KEPT_S = 365 * 24 * 3_600;

/** Serves the files of `client/`, to whoever asks: nothing in them is anybody's. @returns where they are */
export function addAssets(app: FastifyInstance): string {
  const folder = new URL('./client/', import.meta.url);
  const own = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))] as const);
  const morphing = createRequire(import.meta.url).resolve('idiomorph/dist/idiomorph.min.js');
  // Read once: a request can name only what is in this list, whatever its path says.
  const files = new Map<string, Buffer>([
    ...own,
    ['idiomorph.js', readFileSync(morphing)],
    ['picture.css', Buffer.from(pictureStyles())],
  ]);
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update(content);
  const root = `/assets/${hash.digest('hex').slice(0, 16)}`;
  app.get<{ Params: { file: string } }>(
    `${root}/:file`,
    { config: { fromAnywhere: true } },
    (request, reply) => {
      const { file } = request.params;
      const content = files.get(file);
      const type = types[extname(file)];
      if (content === undefined || type === undefined) return reply.callNotFound();
      return reply.header('cache-control', `public, max-age=${KEPT_S}, immutable`).type(type).send(content);
    },
  );
  return root;
}
