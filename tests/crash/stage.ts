import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import { createCoolDowns } from '../../src/commands/cool-down.ts';
import { createInbound } from '../../src/commands/inbound.ts';
import type { MessageRef, Place } from '../../src/engine/people.ts';
import type { PostContent } from '../../src/engine/post.ts';
import type { Chat, Part } from '../../src/ports/chat.ts';
import type { Store } from '../../src/ports/store.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';
import { createRunner } from '../../src/runner/index.ts';
import { createFakeChat, type FakeChat } from '../fakes/chat.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createFakeDrawings } from '../fakes/drawings.ts';
import { type Answering, createFakeHttp, type FakeHttp } from '../fakes/http.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { createOutside } from '../fakes/outside.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { createLife, type EndsAt, type Life } from './life.ts';
import { mortalChat, mortalClock, mortalHands, mortalHttp, mortalStore } from './mortal.ts';
import type { Evidence, Posted } from './story.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

/** What outlives the bot: the store, the platform with its people, the servers. One bot at a time lives on it. */
export interface Stage {
  readonly store: Store;
  readonly platform: FakeChat;
  readonly http: FakeHttp;
  readonly workshop: Workshop;
  readonly log: KeptLog;
  /** Messages the bot posted, with their marker keys, in order. A key twice is a message twice. */
  readonly posted: readonly { readonly key: string; readonly message: MessageRef }[];
  /** Calls that were marked as about to leave the process, in order. */
  readonly begun: readonly string[];
  /** All lives so far; the last one goes on. */
  readonly lives: readonly Life[];
  /**
   * Resolves when nothing moves any more without people or time; every death was followed by a new start. Rejects
   * when a start failed.
   */
  rest(): Promise<void>;
  /** Lets time pass until the next alarm rings; false = none is set. */
  pass(): boolean;
}

/** The conversation that people write in. */
export const releases: Place = { platform: 'slack', conversation: 'C-releases' };

/** Rendering is pure, and by far the dearest thing on a stage; all stages render the same few contents. */
const renderings = new Map<string, readonly Part[]>();

function rendered(chat: Chat, content: PostContent): readonly Part[] {
  const key = JSON.stringify(content);
  const parts = renderings.get(key) ?? chat.render(content);
  renderings.set(key, parts);
  return parts;
}

/** What can be set about a stage. */
export interface StageOptions {
  /** Where the first, second, … life ends; later lives go on. Default: none ends. */
  readonly deaths?: readonly EndsAt[];
  readonly answering?: Answering;
  /** Called when the bot posts. */
  readonly beforePost?: (key: string, platform: FakeChat) => void;
  /** Called when people can see the post, and the bot does not know yet that it is there. */
  readonly afterPost?: (key: string, message: MessageRef, platform: FakeChat) => Promise<void>;
}

/** Sets the stage and starts the first bot on it. */
export function setStage(flows: FlowSet, options: StageOptions = {}): Stage {
  const clock = createHandClock();
  const store = createMemoryStore();
  const platform = createFakeChat({
    platform: 'slack',
    channels: ['ops', 'announcements', 'news'],
    nowMs: clock.now,
  });
  const http = createFakeHttp(options.answering);
  const workshop = createWorkshop();
  const ids = createCountingIds();
  const log = createKeptLog();
  const secrets = createSecrets(new Map());
  const posted: { key: string; message: MessageRef }[] = [];
  const begun: string[] = [];
  const deaths = [...(options.deaths ?? [])];
  const lives: Life[] = [];
  let startFailure: { readonly error: unknown } | undefined;

  function watched(chat: Chat): Chat {
    return {
      ...chat,
      render: (content) => rendered(chat, content),
      async post(place, part, key) {
        options.beforePost?.(key, platform);
        const outcome = await chat.post(place, part, key);
        // A lost answer does not mean that nothing was posted.
        const made = outcome.kind === 'refused' ? outcome : await chat.find(place, key, 0);
        if (made.kind === 'found') {
          posted.push({ key, message: made.message });
          await options.afterPost?.(key, made.message, platform);
        }
        return outcome;
      },
    };
  }

  const watchedStore: Store = {
    ...store,
    commit(commit) {
      begun.push(...(commit.begin ?? []).map(({ run, key }) => `${run} ${key}`));
      return store.commit(commit);
    },
  };

  /** As `src/main.ts` does it. */
  async function start(life: Life): Promise<void> {
    const chat = mortalChat(life, watched(platform.reconnect()));
    const chats = new Map([[chat.platform, chat]]);
    const world = { store: mortalStore(life, watchedStore), clock: mortalClock(life, clock), log, chats };
    const runner = await createRunner({
      ...createOutside(),
      ...mortalHands(life, { ...workshop, agents: workshop.agents(world.clock) }),
      ...world,
      http: mortalHttp(life, http),
      secrets,
      ids,
      editGapMs: 1_000,
      runsAtOnce: 1_000,
      admins: [],
      humanReminderMs: undefined,
    });
    runner.catalog.replace(flows);
    const settings = { prefix: '!', command: '/flow', admins: [], people: [] };
    const inbound = createInbound({
      ...runner,
      ...world,
      drawings: createFakeDrawings(),
      settings,
      coolDowns: createCoolDowns(),
      reload: async () => {},
    });
    await runner.resume();
    const kept = await world.store.undelivered();
    await chat.start(inbound);
    inbound.resume(kept);
  }

  function live(): void {
    const life = createLife(deaths.shift());
    lives.push(life);
    start(life).catch((error: unknown) => {
      startFailure = { error };
    });
  }

  live();
  return {
    store,
    platform,
    http,
    workshop,
    log,
    posted,
    lives,
    begun,
    async rest() {
      do {
        if (lives.at(-1)?.over) live();
        // Everything on the stage happens in microtasks: after a turn only people and time can move it.
        await turn();
        if (startFailure) throw startFailure.error;
      } while (lives.at(-1)?.over);
    },
    pass() {
      const nextMs = clock.nextMs();
      if (nextMs === undefined) return false;
      clock.pass(Math.max(0, nextMs - clock.now()));
      return true;
    },
  };
}

/** What a stage at rest has to show. Checks that nothing was done twice without a person's word. */
export async function evidenceOf(stage: Stage): Promise<Evidence> {
  const { store, platform, http, workshop, posted, begun, log } = stage;
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(begun, 'no call begins twice').toEqual([...new Set(begun)]);
  for (const person of Object.values(platform.people)) {
    expect(await platform.privates(person), 'nobody is refused for an event that came twice').toEqual([]);
  }
  const audit = await store.audit({ limit: 10_000 });
  const refusals = audit.filter(({ entry }) => entry?.type === 'question.refused');
  expect(refusals, 'no answer is judged twice').toEqual([]);
  const orders = [
    ...http.arrived
      .filter(({ method }) => method !== 'GET')
      .map(({ method, url, body = '' }) => `${method} ${url} ${body}`),
    ...workshop.deeds.map(({ path, text }) => `${path} ${text}`),
  ];
  expect(orders.length, 'nothing leaves that is not marked').toBeLessThanOrEqual(begun.length);
  const posts = posted.map(async ({ key, message }): Promise<Posted> => {
    const { id, ...place } = message;
    const seen = (await platform.messages(place)).find(({ ref }) => ref.id === id);
    if (!seen) throw new Error(`${key} is not on the platform.`);
    const buttons = seen.buttons.map(({ label }) => label);
    return { key, id, conversation: place.conversation, text: seen.text, buttons };
  });
  return {
    store,
    posts: await Promise.all(posts),
    orders,
  };
}
