import type { JsonObject } from '../../../src/engine/json.ts';
import { type MessageRef, type Person, type Place, personAddress } from '../../../src/engine/people.ts';
import type { RunEvent } from '../../../src/engine/run/event.ts';
import type { Flowbot } from '../../../src/main.ts';
import type { RunRow } from '../../../src/ports/store.ts';
import type { ChatPlatform } from '../../contracts/chat-harness.ts';
import type { KeptLog } from '../../fakes/log.ts';
import { onceAsked, type Watched } from './waiting.ts';

/** A platform's people, as far as answering questions goes. */
export interface Desk extends ChatPlatform, Watched {
  readonly people: Readonly<Record<'ana' | 'bo' | 'cy', Person>>;
  /** The direct messages of a person and the bot. */
  directPlace(person: Person): Place;
  /** Presses a button of the newest message that only this person sees and that has it. */
  clickPrivate(person: Person, button: string): Promise<void>;
  /** Many press at once; resolves when the bot has heard it. */
  clickBurst(
    presses: readonly { readonly person: Person; readonly message: MessageRef; readonly button: string }[],
  ): Promise<void>;
}

/** How edits fail. */
export type EditFault = 'fails' | 'asks to wait' | 'breaks off' | 'is done, and nobody hears of it';

/** A whole Flowbot on a platform. */
export interface Stage {
  readonly desk: Desk;
  readonly live: {
    readonly flowbot: Flowbot;
    readonly log: KeptLog;
    restart(): Promise<void>;
    stop(): Promise<void>;
    start(): Promise<void>;
  };
  /** Makes a user group or role with these people. */
  group(name: string, people: readonly Person[]): Promise<void>;
  /** Somebody answers a message in its thread; gives the thread. */
  reply(person: Person, message: MessageRef, text: string): Promise<Place>;
  failEdits(fault: EditFault, times: number): void;
  /** So many more people who are in the channel. */
  addPeople(count: number): readonly Person[];
  /** How long the platform waited for the bot's first answer to each press of a button, in real milliseconds. */
  waits(): readonly number[];
  /** All that the bot has sent, as the platform got it. */
  sent(): string;
  /** What the platform had to complain about: messages it did not take, people without an answer. */
  complaints(): readonly unknown[];
}

/** A platform on which a Flowbot can be started. */
export interface Platform<S extends Stage = Stage> {
  readonly name: 'slack' | 'discord';
  readonly people: Readonly<Record<'ana' | 'bo' | 'cy', Person>>;
  /** A time as each reader is shown it in their own time zone. */
  readerTime(atMs: number): string;
  /**
   * Starts one, for one test.
   * @param flows YAML by id
   * @param clock the platform's, when it runs by itself; default: one that stands still
   */
  open(
    flows: Readonly<Record<string, string>>,
    env?: Readonly<Record<string, string>>,
    clock?: { now(): number; pass(ms: number): void },
  ): Promise<S>;
}

/** A flow that asks before it posts. @param keys further lines of the question */
export const release = (...keys: readonly string[]) => releaseTo('#releases', keys);

/** The same. @param to where it posts */
export const releaseTo = (to: string, keys: readonly string[]) => `
name: Release
triggers: [{ type: command, command: release }, { type: manual }]
steps:
  review:
    type: approval
    title: Publish?
${keys.map((key) => `    ${key}\n`).join('')}
  publish: { type: message, to: "${to}", text: "Published by {{review.json.by}}" }
edges:
  - review.approved -> publish
`;

/** The line that names approvers. */
export const approvers = (...people: readonly Person[]) =>
  `approvers: { users: ["${people.map(personAddress).join('", "')}"] }`;

/** A run that waits for an answer. */
export interface Asked extends Stage {
  readonly thread: Place;
  /** The card. */
  readonly message: MessageRef;
  /** Its first button. */
  readonly button: string;
  /** What its other buttons are. @param label what people read on it */
  buttonOf(label: string): Promise<string>;
}

/** Starts the flow, as Ana, and waits for the card. @param label of a button of it */
export async function begin(stage: Stage, label = 'Approve'): Promise<Asked> {
  const { desk } = stage;
  const root = await desk.say(desk.people.ana, desk.channel, '!release');
  const thread: Place = { ...desk.channel, thread: root.id };
  const { message, button } = await onceAsked(desk, thread, label);
  await desk.quiet();
  return {
    ...stage,
    thread,
    message,
    button,
    buttonOf: async (other) => (await onceAsked(desk, thread, other)).button,
  };
}

/** Opens a platform with a run that waits. @param keys further lines of the question */
export async function asking(platform: Platform, ...keys: readonly string[]): Promise<Asked> {
  return begin(await platform.open({ release: release(...keys) }));
}

/** The newest run. */
export async function runOf({ live }: Pick<Stage, 'live'>): Promise<RunRow> {
  const [run] = await live.flowbot.bot.store.runs({ limit: 10 });
  if (!run) throw new Error('there is no run');
  return run;
}

/** What happened in it. */
export async function journalOf(stage: Pick<Stage, 'live'>): Promise<readonly RunEvent[]> {
  return stage.live.flowbot.bot.store.journal((await runOf(stage)).id);
}

/** The answers that counted. */
export async function answersIn(stage: Pick<Stage, 'live'>) {
  return (await journalOf(stage)).filter((event) => event.type === 'question.answered');
}

/** What the question's step gave. */
export async function outputOf({ live }: Pick<Stage, 'live'>, step = 'review'): Promise<JsonObject> {
  const { id } = await runOf({ live });
  const run = await live.flowbot.bot.store.run(id);
  return run?.state.outputs[step]?.json ?? {};
}

/** A card as people see it now. */
export async function cardOf({ desk, thread, message }: Asked) {
  const card = (await desk.messages(thread)).find(({ ref }) => ref.id === message.id);
  if (!card) throw new Error('the card is not there');
  return card;
}

/** What only this person was shown last, once they were shown anything more than so many. */
export async function oncePrivate(desk: Desk, person: Person, more = 0) {
  await desk.until(async () => (await desk.privates(person)).length > more);
  await desk.quiet();
  const last = (await desk.privates(person)).at(-1);
  if (!last) throw new Error(`${person.name} was told nothing`);
  return last;
}

/** Resolves when the platform has its first answer to so many presses of buttons: from then on it does not wait. */
export async function onceAcknowledged({ desk, waits }: Stage, count: number): Promise<void> {
  await desk.until(() => waits().filter(Number.isFinite).length >= count);
}
