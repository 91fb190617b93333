import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Log } from '../../ports/log.ts';
import type { Call, Called, Calls } from './calls.ts';

/** Who the bot is. */
export interface Identity {
  /** The bot as a person. */
  readonly user: string;
  readonly name: string;
  readonly application: string;
  /** Whether it may read what people write to each other (the Message Content Intent is switched on). */
  readonly readsMessages: boolean;
}

const userShape = z.object({ id: z.string(), username: z.string() });
const applicationShape = z.object({ id: z.string(), flags: z.number().default(0) });
/** The intent is granted, or switched on for an app with few users. @see https://docs.discord.com/developers/resources/application#application-object-application-flags */
const messageContentFlags = (1 << 18) | (1 << 19);
const firstWaitMs = 1_000;
const lastWaitMs = 60_000;

/**
 * Asks Discord who the bot is, for as long as Discord can't be reached.
 * @throws Error with a sentence when the token is not accepted, or when the calls are closed meanwhile.
 */
export async function identify(calls: Calls, log: Log): Promise<Identity> {
  const user = await ask(calls, log, { method: 'GET', route: Routes.user() }, userShape);
  const application = await ask(
    calls,
    log,
    { method: 'GET', route: Routes.currentApplication() },
    applicationShape,
  );
  return {
    user: user.id,
    name: user.username,
    application: application.id,
    readsMessages: mayReadMessages(application),
  };
}

/** Whether the bot may read what people write to each other now: this can be switched at any time. */
export async function readsMessages(calls: Calls): Promise<Called<boolean>> {
  const asked = await calls.read({ method: 'GET', route: Routes.currentApplication() }, applicationShape);
  return asked.kind === 'ok' ? { kind: 'ok', data: mayReadMessages(asked.data) } : asked;
}

function mayReadMessages({ flags }: z.infer<typeof applicationShape>): boolean {
  return (flags & messageContentFlags) !== 0;
}

async function ask<T>(calls: Calls, log: Log, wanted: Call, shape: z.ZodType<T>): Promise<T> {
  for (let waitMs = firstWaitMs; !calls.isClosed; waitMs = Math.min(lastWaitMs, waitMs * 2)) {
    const called: Called<T> = await calls.call(wanted, shape);
    switch (called.kind) {
      case 'ok':
        return called.data;
      case 'refused':
        throw new Error(`Discord does not accept DISCORD_TOKEN. ${called.message}`);
      case 'later':
      case 'unknown':
        if (calls.dead !== undefined) throw new Error(calls.dead);
        await again(called.kind === 'later' ? Math.max(waitMs, called.afterMs) : waitMs);
    }
  }
  throw new Error('Flowbot stops.');

  async function again(afterMs: number): Promise<void> {
    log.warn(calls.down ?? 'Discord can’t be reached; trying again.', { afterMs });
    await calls.pause(afterMs);
  }
}
