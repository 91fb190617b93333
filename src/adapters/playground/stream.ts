import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { httpFault, read, requests } from './request.ts';
import type { Change } from './view.ts';
import type { Workspace } from './workspace.ts';

/** Changes read from the workspace at once. */
const batchSize = 100;

/** Streams of one person that are open at once; there are only so many people. */
const maxStreams = 20;

/**
 * The live stream of what a person sees (server-sent events). Each event's id is the version of the workspace, so
 * a page that lost its connection sends `Last-Event-ID` and misses nothing; `?after=` says where to begin first.
 */
export function addStream(app: FastifyInstance, workspace: Workspace): void {
  /** What ends the streams that are open, with the person each is for. */
  const endings = new Map<() => void, string>();
  app.addHook('preClose', async () => {
    for (const end of endings.keys()) end();
  });

  app.get('/playground/events', (request, reply) => {
    const query = read(requests.events, request.query);
    const open = endings.values().filter((id) => id === query.as.id);
    if ([...open].length >= maxStreams) {
      throw httpFault(429, `${query.as.name} has ${maxStreams} pages open: close one of them.`);
    }
    const resumed = Number(request.headers['last-event-id'] ?? Number.NaN);
    let sent = Number.isSafeInteger(resumed) ? resumed : (query.after ?? workspace.version());

    const stream = new PassThrough();
    /** Sends what is new, no faster than the page reads it: what waits, waits in the file and not in memory. */
    const push = () => {
      while (stream.writable && !stream.writableNeedDrain) {
        const batch = workspace.changes(query.as.id, sent, batchSize);
        if (batch.length === 0) return;
        for (const change of batch) stream.write(frame(change));
        sent = batch.at(-1)?.version ?? sent;
      }
    };
    stream.on('drain', push);
    const unsubscribe = workspace.subscribe(push);
    const end = () => {
      unsubscribe();
      endings.delete(end);
      stream.end();
    };
    endings.set(end, query.as.id);
    stream.on('close', end);
    reply.type('text/event-stream').header('x-accel-buffering', 'no');
    stream.write('retry: 1000\n\n');
    push();
    return reply.send(stream);
  });
}

function frame(change: Change): string {
  const data = change.kind === 'message' ? change.message : change.private;
  return `id: ${change.version}\nevent: ${change.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
