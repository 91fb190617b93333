import { setImmediate as turn } from 'node:timers/promises';
import { createScriptedRuntime } from '../../src/adapters/agents/scripted.ts';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { Bot } from '../../src/commands/bot.ts';
import { createCoolDowns } from '../../src/commands/cool-down.ts';
import { type BotInbound, createInbound } from '../../src/commands/inbound.ts';
import { scheduleHands } from '../../src/commands/schedule-hands.ts';
import type { Identities } from '../../src/engine/identities.ts';
import type { MessageRef, Person, Place } from '../../src/engine/people.ts';
import type { HostBudget } from '../../src/engine/run/day-budget.ts';
import { REMIND_AFTER_MS } from '../../src/engine/run/question-timers.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import type { Store } from '../../src/ports/store.ts';
import { createRunner } from '../../src/runner/index.ts';
import type { FieldFiles, SeenForm, SeenMessage } from '../contracts/chat-harness.ts';
import { createFakeChat, type FakeChat } from '../fakes/chat.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { createFakeDrawings } from '../fakes/drawings.ts';
import { type Answering, createFakeHttp, type FakeHttp } from '../fakes/http.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { bareSurroundings, createOutside } from '../fakes/outside.ts';
import { createMemoryStore } from '../fakes/store.ts';

/** What a person is told: text, buttons, and the pictures that follow. */
export type Told = Pick<SeenMessage, 'text' | 'buttons' | 'files'>;

/** A bot on two platforms at once, with people on both. Admins hear what is wrong on red. */
export interface Desk {
  readonly bot: Bot;
  readonly inbound: BotInbound;
  readonly store: Store;
  readonly clock: HandClock;
  readonly http: FakeHttp;
  readonly log: KeptLog;
  readonly red: Side;
  readonly blue: Side;
  /** Replaces the flow files. A flow: its YAML by its id. */
  load(flows: Readonly<Record<string, string>>): void;
  /** The process ends, without a word, and the next one goes on. */
  restart(): Promise<Desk>;
  /** Lets everything happen that takes less than a few seconds. */
  settle(): Promise<void>;
  /** Lets time pass, and what follows from it happen. */
  pass(ms: number): Promise<void>;
}

/** One platform, as its people use it. */
export interface Side {
  readonly platform: FakeChat;
  readonly name: string;
  /** `#releases`, where everything happens unless said otherwise, and `#general`. */
  readonly here: Place;
  readonly elsewhere: Place;
  readonly ana: Person;
  readonly bo: Person;
  /** Of this platform, too; not of any list. */
  readonly cy: Person;
  /** An admin. */
  readonly ada: Person;
  /** Types `/flow` and a text; what only that person is told, or the form that opens. */
  flow(person: Person, text: string, place?: Place): Promise<Told & { readonly form?: SeenForm }>;
  /** Writes a message and lets the bot react. */
  say(person: Person, text: string, place?: Place): Promise<MessageRef>;
  /** Presses the button with this label on a message that is shown there. */
  press(person: Person, message: MessageRef, label: string): Promise<Told & { readonly form?: SeenForm }>;
  /** Presses a button by its id: of a private answer, or made up. */
  pressId(person: Person, id: string, place?: Place): Promise<Told & { readonly form?: SeenForm }>;
  /** Sends the form that is open for the person. @param files what they add, by field */
  send(
    person: Person,
    form: SeenForm,
    values: Readonly<Record<string, string>>,
    place?: Place,
    files?: FieldFiles,
  ): Promise<Told & { readonly form?: SeenForm }>;
  /** Messages of the bot in a place, oldest first. */
  posts(place: Place): Promise<readonly SeenMessage[]>;
}

/** What a desk goes on with after a restart. */
interface Lasting {
  readonly store: Store;
  readonly clock: HandClock;
  readonly http: FakeHttp;
  readonly log: KeptLog;
  readonly ids: ReturnType<typeof createCountingIds>;
  readonly people: Identities;
  readonly agents: FlowTexts;
  readonly budget: HostBudget | undefined;
  readonly red: FakeChat;
  readonly blue: FakeChat;
}

/** What the flow files of the tests are. */
export type FlowTexts = Readonly<Record<string, string>>;

const cy = { id: 'U0CY', name: 'Cy' };
const ada = { id: 'U0ADA', name: 'Ada' };

/**
 * Sets up a desk.
 * @param people accounts that belong to one person
 * @param agents YAML by name
 * @param budget what all flows together may use up on a day
 */
export async function createDesk(
  flows: FlowTexts,
  answering?: Answering,
  people: Identities = [],
  agents: FlowTexts = {},
  budget?: HostBudget,
): Promise<Desk> {
  const clock = createHandClock();
  const desk = await open(flows, {
    store: createMemoryStore(),
    clock,
    http: createFakeHttp(answering),
    log: createKeptLog(),
    ids: createCountingIds(),
    people,
    agents,
    budget,
    red: createFakeChat({ platform: 'red', nowMs: clock.now, hasOwnCommands: true, others: [cy, ada] }),
    blue: createFakeChat({ platform: 'blue', nowMs: clock.now, others: [cy, ada] }),
  });
  const [broken] = desk.bot.catalog.broken;
  if (broken) throw new Error(broken.faults.join('\n'));
  return desk;
}

async function open(flows: FlowTexts, lasting: Lasting): Promise<Desk> {
  const { store, clock, http, log, ids, people } = lasting;
  const chats = new Map([lasting.red.chat, lasting.blue.chat].map((chat) => [chat.platform, chat]));
  const secrets = createSecrets(new Map([['TOKEN', 'tok-12345']]));
  const runner = await createRunner({
    ...createOutside(),
    agents: new Map([['scripted', createScriptedRuntime({ clock })]]),
    store,
    chats,
    http,
    secrets,
    clock,
    ids,
    log,
    editGapMs: 1_000,
    runsAtOnce: 1_000,
    admins: ['red:U0ADA'],
    humanReminderMs: REMIND_AFTER_MS,
    ...(lasting.budget && { budget: lasting.budget }),
  });
  let current = flows;
  const bot: Bot = {
    ...runner,
    store,
    chats,
    drawings: createFakeDrawings(),
    clock,
    log,
    settings: { prefix: '!', command: '/flow', admins: ['red:U0ADA', 'blue:U0ADA'], people },
    coolDowns: createCoolDowns(),
    reload: async () => load(current),
  };
  const load = (texts: FlowTexts): void => {
    current = texts;
    const files = Object.entries(texts).map(([id, text]) => ({ file: `flows/${id}.flow.yaml`, text }));
    const surroundings = {
      ...bareSurroundings,
      secrets: secrets.names(),
      platforms: [...chats.keys()],
    };
    const agents = Object.entries(lasting.agents).map(([name, text]) => ({
      file: `agents/${name}.yaml`,
      text,
    }));
    const sources = { files, faults: [], agents: { files: agents, faults: [] } };
    runner.catalog.replace(loadFlowSet(sources, surroundings));
  };
  load(flows);
  const inbound = createInbound(bot);
  await runner.resume();
  const kept = await store.undelivered();
  for (const chat of chats.values()) await chat.start(inbound);
  inbound.resume(kept);
  await runner.schedules.start(scheduleHands(bot));

  async function settle(): Promise<void> {
    const untilMs = clock.now() + 5_000;
    for (;;) {
      await turn();
      const nextMs = clock.nextMs();
      if (nextMs === undefined || nextMs > untilMs) return;
      clock.pass(Math.max(0, nextMs - clock.now()));
    }
  }

  /** Alarms ring one after the other, each followed by what it leads to. */
  async function pass(ms: number): Promise<void> {
    const untilMs = clock.now() + ms;
    await turn();
    for (let nextMs = clock.nextMs(); nextMs !== undefined && nextMs <= untilMs; nextMs = clock.nextMs()) {
      clock.pass(Math.max(0, nextMs - clock.now()));
      await turn();
    }
    clock.pass(Math.max(0, untilMs - clock.now()));
    await turn();
  }

  await settle();
  return {
    bot,
    inbound,
    store,
    clock,
    http,
    log,
    red: sideOf(lasting.red, settle),
    blue: sideOf(lasting.blue, settle),
    load,
    settle,
    pass,
    async restart() {
      const stopped = runner.stop(0);
      await turn();
      clock.pass(0);
      await stopped;
      lasting.red.reconnect();
      lasting.blue.reconnect();
      return open(current, lasting);
    },
  };
}

function sideOf(platform: FakeChat, settle: () => Promise<void>): Side {
  const { ana, bo } = platform.people;
  const name = ana.platform;
  const here = platform.channel;

  /** What this person is told by something they do. */
  async function told(person: Person, act: () => Promise<unknown>): ReturnType<Side['flow']> {
    const before = (await platform.privates(person)).length;
    await act();
    const form = await platform.form(person);
    await settle();
    const [answer, ...more] = (await platform.privates(person)).slice(before);
    const files = more.flatMap((one) => one.files);
    if (more.length > files.length) throw new Error(`${person.name} was answered ${more.length + 1} times.`);
    return { text: answer?.text ?? '', buttons: answer?.buttons ?? [], files, ...(form && { form }) };
  }

  return {
    platform,
    name,
    here,
    elsewhere: platform.otherChannel,
    ana,
    bo,
    cy: { platform: name, ...cy },
    ada: { platform: name, ...ada },
    flow: (person, text, place = here) => told(person, () => platform.command(person, place, text)),
    async say(person, text, place = here) {
      const message = await platform.say(person, place, text);
      await settle();
      return message;
    },
    async press(person, message, label) {
      const seen = (await platform.messages(message)).find(({ ref }) => ref.id === message.id);
      const button = seen?.buttons.find((one) => one.label === label);
      if (!button) throw new Error(`There is no button ${label}: ${JSON.stringify(seen)}`);
      return told(person, () => platform.click(person, message, button.id));
    },
    pressId: (person, id, place = here) =>
      told(person, () => platform.click(person, { ...place, id: 'M-private' }, id)),
    send: (person, form, values, place = here, files = {}) =>
      told(person, () => platform.submit(person, place, form.id, values, files)),
    async posts(place) {
      return (await platform.messages(place)).filter(({ author }) => author === 'bot');
    },
  };
}

/** Runs of this bot, newest first. */
export function runsOf({ store }: Desk) {
  return store.runs({ limit: 1_000 });
}

/** The only run of this bot. */
export async function onlyRun(desk: Desk) {
  const [row, ...more] = await runsOf(desk);
  if (!row || more.length > 0) throw new Error(`There are ${more.length + (row ? 1 : 0)} runs, not one.`);
  return row;
}

/** The card of the question with this title in the thread of a message. */
export async function cardIn(side: Side, thread: string, title: string): Promise<SeenMessage> {
  const cards = await side.posts({ ...side.here, thread });
  const card = cards.find((post) => post.text.startsWith(title));
  if (!card) throw new Error(`There is no card ${title}: ${JSON.stringify(cards)}`);
  return card;
}
