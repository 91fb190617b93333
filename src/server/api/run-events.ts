import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { FedEvent, Feed, FeedPosition } from '../../runner/feed.ts';
import { failed, type Result } from '../problem.ts';

/** Most streams that are open at once. */
const STREAMS_MAX = 1_000;
/** A stream whose reader is so far behind is ended, in bytes: the reader comes again and goes on where it was. */
const BEHIND_MAX_BYTES = 4 * 1024 * 1024;
/** Proxies end connections on which nothing is said for a minute. */
const BEAT_MS = 25_000;

const positionSchema = z.string().regex(/^\d{1,9}\.\d{1,6}$/);

/** The place of an event as clients know it: `12.1`. */
function writePosition({ entry, part }: FeedPosition): string {
  return `${entry}.${part}`;
}

/** Reads it; undefined = it is none. */
export function readPosition(written: string): FeedPosition | undefined {
  if (!positionSchema.safeParse(written).success) return undefined;
  const [entry = 0, part = 0] = written.split('.').map(Number);
  return { entry, part };
}

/** An event as clients get it. */
export function eventView({ at, event }: FedEvent) {
  return { id: writePosition(at), ...event };
}

/** Streams of what happens in runs. */
export interface RunStreams {
  /**
   * Answers with what happens in a run behind a place, as server-sent events, until it has ended. Whoever has had
   * everything of a run that has ended gets 204, which tells browsers not to come again.
   */
  open(reply: FastifyReply, run: string, after: FeedPosition | undefined): Promise<Result<FastifyReply>>;
  /** Ends all of them. */
  close(): void;
}

/** Makes them. */
export function createRunStreams({
  feed,
  clock,
}: {
  readonly feed: Feed;
  readonly clock: Clock;
}): RunStreams {
  const open = new Set<() => void>();
  /** What is said to one is often said to many. */
  const told = new WeakMap<readonly FedEvent[], string>();

  function framesOf(events: readonly FedEvent[]): string {
    const known = told.get(events);
    if (known !== undefined) return known;
    const made = events.map(frameOf).join('');
    told.set(events, made);
    return made;
  }

  return {
    async open(reply, run, after) {
      if (open.size >= STREAMS_MAX) {
        return failed('unavailable', 'Too many streams are open.', { retryAfterS: 30 });
      }
      const stream = new PassThrough();
      let isOver = false;
      let beat = () => {};
      const finish = () => {
        beat();
        open.delete(finish);
        unfollow?.();
        stream.end();
      };
      const say = (text: string) => {
        if (stream.writable) stream.write(text);
        if (stream.writableLength > BEHIND_MAX_BYTES) finish();
      };
      const keepBeating = () => {
        beat = clock.alarm(clock.now() + BEAT_MS, () => {
          say(': still here\n\n');
          if (!stream.writableEnded) keepBeating();
        });
      };
      let unfollow: (() => void) | undefined;
      open.add(finish);
      // Something has to be said, or the client would not hear that it is connected.
      say('retry: 1000\n\n');
      let isEmpty = true;
      try {
        unfollow = await feed.follow(run, after, {
          take(events) {
            isEmpty = false;
            say(framesOf(events));
          },
          ended() {
            isOver = true;
            finish();
          },
        });
      } catch (error) {
        finish();
        throw error;
      }
      // It may have been ended meanwhile, before there was anything to let go of.
      if (stream.writableEnded) unfollow();
      if (isOver && isEmpty) return { ok: true, value: reply.code(204).send() };
      if (!stream.writableEnded) keepBeating();
      stream.on('close', finish);
      reply.type('text/event-stream').header('x-accel-buffering', 'no');
      return { ok: true, value: reply.send(stream) };
    },
    close() {
      for (const end of [...open]) end();
    },
  };
}

function frameOf(event: FedEvent): string {
  const { id, name, ...data } = eventView(event);
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({ name, ...data })}\n\n`;
}
