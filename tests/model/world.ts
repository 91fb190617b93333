import { setImmediate as turn } from 'node:timers/promises';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { Bot } from '../../src/commands/bot.ts';
import { createCoolDowns } from '../../src/commands/cool-down.ts';
import { type BotInbound, createInbound } from '../../src/commands/inbound.ts';
import type { MessageRef } from '../../src/engine/people.ts';
import type { PostContent } from '../../src/engine/post.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import type { Chat, Part } from '../../src/ports/chat.ts';
import type { Store } from '../../src/ports/store.ts';
import { createRunner } from '../../src/runner/index.ts';
import type { ChatPlatform } from '../contracts/chat-harness.ts';
import { mortalChat, mortalClock, mortalHttp, mortalStore } from '../crash/mortal.ts';
import type { HandClock } from '../fakes/clock.ts';
import { createFakeDrawings } from '../fakes/drawings.ts';
import { createFakeHttp } from '../fakes/http.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { bareSurroundings, createOutside } from '../fakes/outside.ts';
import { createMemoryStore } from '../fakes/store.ts';
import type { Cast } from './cast.ts';
import { createFuse, type Fuse } from './fuse.ts';
import { createTrouble, type Trouble, troubled } from './trouble.ts';

/** A platform of the world, and how a process connects to it. */
export interface Side {
  readonly platform: ChatPlatform;
  /** Connects the next process; the last one is gone. */
  connect(): Promise<Chat>;
  /** Complete when the platform waits for people and time only. Default: at once. */
  quiet?(): Promise<void>;
}

/** A message that the bot has posted. */
export interface Posted {
  readonly key: string;
  readonly message: MessageRef;
  /** Whom it may have notified: ids as the content had them. */
  readonly notify: readonly string[];
}

/** Everything that outlives a process of the bot, and one process at a time that lives in it. */
export interface World {
  readonly store: Store;
  readonly log: KeptLog;
  readonly nowMs: () => number;
  readonly side: (platform: string) => Side;
  readonly sides: readonly Side[];
  readonly trouble: Trouble;
  readonly posted: readonly Posted[];
  /** How often a process has died. */
  readonly deaths: () => number;
  /** The bot that lives now. */
  bot(): Bot;
  /** The process dies after so many points of its work (0 = now), and is started again after a while. */
  die(afterPoints: number, downMs: number): void;
  /** It will not die. */
  spare(): void;
  /** Complete when it is, or when the process dies before. */
  unlessDead(work: Promise<unknown>): Promise<unknown>;
  /** Complete when nothing moves without people or time. */
  rest(): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

/** So often an alarm rings in one stretch of time while platforms have trouble: then it is over. */
const TROUBLED_ALARMS_MAX = 60;
/** More alarms in one stretch of time are a fault of the bot. */
const ALARMS_MAX = 3_000;

/** Rendering is pure, and by far the dearest thing; all worlds render the same few contents. */
const renderings = new Map<string, readonly Part[]>();

function rendered(chat: Chat, content: PostContent): readonly Part[] {
  const key = `${chat.platform} ${JSON.stringify(content)}`;
  const parts = renderings.get(key) ?? chat.render(content);
  renderings.set(key, parts);
  return parts;
}

/** Makes a world with a process in it. @param flow the text of the flow `ask` */
export async function createWorld(
  flow: string,
  cast: Cast,
  clock: HandClock,
  sides: readonly Side[],
): Promise<World> {
  const store = createMemoryStore();
  const http = createFakeHttp();
  const ids = createCountingIds();
  const log = createKeptLog();
  const secrets = createSecrets(new Map());
  const trouble = createTrouble();
  const posted: Posted[] = [];
  let fuse: Fuse;
  let begun: Promise<void>;
  let bot: Bot | undefined;
  let deaths = 0;
  let downMs = 0;
  let failed: { readonly error: unknown } | undefined;

  function watched(chat: Chat): Chat {
    const notified = new Map<string, readonly string[]>();
    return {
      ...chat,
      start: (inbound) => chat.start(inbound),
      render(content) {
        const parts = rendered(chat, content);
        for (const part of parts) notified.set(JSON.stringify(part), content.notify);
        return parts;
      },
      async post(place, part, key) {
        const outcome = await chat.post(place, part, key);
        if (outcome.kind === 'posted') {
          const notify = notified.get(JSON.stringify(part)) ?? [];
          posted.push({ key, message: outcome.message, notify });
        }
        return outcome;
      },
    };
  }

  /** As `src/main.ts` does it. */
  async function start(life: Fuse): Promise<void> {
    const chats = new Map<string, Chat>();
    for (const side of sides) {
      const chat = mortalChat(life, troubled(watched(await side.connect()), trouble));
      chats.set(chat.platform, chat);
    }
    const world = { store: mortalStore(life, store), clock: mortalClock(life, clock), log, chats };
    const runner = await createRunner({
      ...createOutside(),
      ...world,
      http: mortalHttp(life, http),
      secrets,
      ids,
      editGapMs: 1_000,
      runsAtOnce: 1_000,
      admins: cast.admins,
      humanReminderMs: undefined,
    });
    runner.catalog.replace(
      loadFlowSet(
        { files: [{ file: 'ask.flow.yaml', text: flow }], faults: [] },
        { ...bareSurroundings, platforms: [...chats.keys()] },
      ),
    );
    const [broken] = runner.catalog.broken;
    if (broken) throw new Error(broken.faults.join('\n'));
    const settings = { prefix: '!', command: '/flow', admins: cast.admins, people: cast.people };
    const made: Bot = {
      ...runner,
      ...world,
      drawings: createFakeDrawings(),
      settings,
      coolDowns: createCoolDowns(),
      reload: async () => {},
    };
    const kept = createInbound(made);
    // Nobody who is connected waits for the dead.
    const orNothing = <T>(work: Promise<T>) => Promise.race([work, life.end.then(() => undefined)]);
    const inbound: BotInbound = {
      ...kept,
      formFor: (event) => orNothing(kept.formFor(event)),
      note: (...args) => orNothing(kept.note(...args)),
      keepNote: (...args) => orNothing(kept.keepNote(...args)),
    };
    await runner.resume();
    const undelivered = await world.store.undelivered();
    for (const chat of chats.values()) await chat.start(inbound);
    inbound.resume(undelivered);
    bot = made;
  }

  function live(): void {
    fuse = createFuse();
    begun = start(fuse).catch((error: unknown) => {
      failed = { error };
    });
  }

  async function rest(): Promise<void> {
    for (;;) {
      if (fuse.over) {
        deaths += 1;
        clock.pass(downMs);
        downMs = 0;
        live();
      }
      await Promise.race([begun, fuse.end]);
      for (const side of sides) await side.quiet?.();
      await turn();
      if (failed) throw failed.error;
      if (!fuse.over) return;
    }
  }

  live();
  await rest();
  return {
    store,
    log,
    nowMs: clock.now,
    sides,
    side(platform) {
      const side = sides.find(({ platform: { channel } }) => channel.platform === platform);
      if (!side) throw new Error(`There is no ${platform}.`);
      return side;
    },
    trouble,
    posted,
    deaths: () => deaths,
    bot() {
      if (!bot) throw new Error('No bot has come to life.');
      return bot;
    },
    die(afterPoints, forMs) {
      downMs = forMs;
      fuse.light(afterPoints);
    },
    spare: () => fuse.spare(),
    unlessDead: (work) => Promise.race([work, fuse.end]),
    rest,
    async pass(ms) {
      const untilMs = clock.now() + ms;
      for (let rung = 0; ; rung += 1) {
        await rest();
        const nextMs = clock.nextMs();
        if (nextMs === undefined || nextMs > untilMs) break;
        if (rung > TROUBLED_ALARMS_MAX) trouble.end();
        if (rung > ALARMS_MAX) throw new Error('The bot finds no rest.');
        clock.pass(Math.max(0, nextMs - clock.now()));
      }
      clock.pass(Math.max(0, untilMs - clock.now()));
      await rest();
    },
  };
}
