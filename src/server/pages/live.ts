import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Bot } from '../../commands/bot.ts';

/** Most pages that are kept up to date at once. */
const PAGES_MAX = 1_000;
/** Least time between two words to a page, in milliseconds. */
const GAP_MS = 300;
/** Proxies end connections on which nothing is said for a minute. */
const BEAT_MS = 25_000;

/** Tells open pages that there is something new to see; what it is they ask for. */
export interface Live {
  /** Answers with a word for each time that something happens, as server-sent events. @param run absent = in any run, or to flows */
  open(reply: FastifyReply, run?: string): FastifyReply;
  /** Ends all of them. */
  close(): void;
}

/** Makes it. What happens at once, or soon after another, is one word. */
export function createLive({ events, catalog, clock }: Pick<Bot, 'events' | 'catalog' | 'clock'>): Live {
  const pages = new Set<{ readonly run?: string; news(): void; end(): void }>();
  let unfollow: (() => void) | undefined;
  let isClosed = false;

  function tell(run: string): void {
    for (const page of pages) if (page.run === undefined || page.run === run) page.news();
  }

  // Flows are changed, switched and paused outside of runs.
  catalog.follow(() => {
    for (const page of pages) if (page.run === undefined) page.news();
  });

  return {
    open(reply, run) {
      if (isClosed || pages.size >= PAGES_MAX) return reply.code(503).header('retry-after', '30').send();
      const stream = new PassThrough();
      let isDue = false;
      const alarms = new Set<() => void>();
      const later = (delayMs: number, then: () => void) => {
        const drop = clock.alarm(clock.now() + delayMs, () => {
          alarms.delete(drop);
          then();
        });
        alarms.add(drop);
      };
      const beat = () => {
        stream.write(': still here\n\n');
        later(BEAT_MS, beat);
      };
      const page = {
        ...(run !== undefined && { run }),
        news() {
          if (isDue) return;
          isDue = true;
          later(GAP_MS, () => {
            isDue = false;
            stream.write('event: news\ndata: {}\n\n');
          });
        },
        end() {
          pages.delete(page);
          for (const drop of alarms) drop();
          stream.end();
          if (pages.size > 0) return;
          unfollow?.();
          unfollow = undefined;
        },
      };
      pages.add(page);
      unfollow ??= events.onAny((event) => tell(event.run));
      stream.write('retry: 1000\n\n');
      later(BEAT_MS, beat);
      stream.once('close', page.end);
      reply.raw.once('close', page.end);
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
    close() {
      isClosed = true;
      for (const page of [...pages]) page.end();
    },
  };
}
