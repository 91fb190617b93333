import { describe, expect, test } from 'vitest';
import { type MessageRef, type Person, type Place, personAddress } from '../../../src/engine/people.ts';
import type { Desk, Stage } from './approvals.ts';
import { onceShown } from './waiting.ts';

/** As much of a whole Flowbot on a platform as tests of lanes need. */
export interface LaneStage {
  readonly desk: Pick<
    Desk,
    'people' | 'channel' | 'say' | 'command' | 'click' | 'messages' | 'privates' | 'until' | 'quiet'
  >;
  readonly live: Pick<Stage['live'], 'flowbot' | 'restart'>;
  /** What the platform had to complain about, where it does. */
  complaints?(): readonly unknown[];
}

/** A platform on which lanes are tried. */
export interface LanePlatform {
  readonly name: string;
  readonly people: Readonly<Record<'ana' | 'bo' | 'cy', Person>>;
  open(flows: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>): Promise<LaneStage>;
}

const ASKED = 'Deploy it?';

/** Asks for each of three places, two at once. @param ask further keys of the question @param top what starts it */
const flows = (ask = '', top = 'triggers: [{ type: command, command: deploy }]') => ({
  deploy: `
name: Deploy
${top}
steps:
  all: { type: map, name: All, uses: each, over: [eu, us, asia], maxParallel: 2 }
`,
  each: `
name: Each
input: { type: object, properties: { item: { type: string } } }
steps:
  ask: { type: approval, title: "${ASKED}", notes: "To {{input.item}}."${ask} }
`,
  outer: `
name: Outer
triggers: [{ type: command, command: outer }]
steps: { inner: { type: flow, uses: deploy } }
`,
});

/** Lanes that ask people, on a whole Flowbot. */
export function lanesOn(platform: LanePlatform): void {
  const { people } = platform;

  /** Starts a flow as Ana. @returns the thread of its cards */
  async function start({ desk }: LaneStage, command: string): Promise<Place> {
    const { id } = await desk.say(people.ana, desk.channel, `!${command}`);
    return { ...desk.channel, thread: id };
  }

  /** The cards of questions in a thread that have buttons, oldest first, once there are so many. */
  async function onceOpen({ desk }: LaneStage, thread: Place, count: number) {
    const open = async () => {
      const messages = await desk.messages(thread).catch(() => []);
      return messages.filter(({ text, buttons }) => text.startsWith(ASKED) && buttons.length > 0);
    };
    await desk.until(async () => (await open()).length === count);
    await desk.quiet();
    return open();
  }

  async function approve(stage: LaneStage, by: Person, card: Awaited<ReturnType<typeof onceOpen>>[number]) {
    const button = card.buttons.find(({ label }) => label === 'Approve');
    await stage.desk.click(by, card.ref, button?.id ?? '');
  }

  /** Answers everything that is asked in a thread, as Bo. */
  async function approveAll(stage: LaneStage, thread: Place): Promise<void> {
    for (const left of [2, 2, 1]) {
      const [card] = await onceOpen(stage, thread, left);
      if (card) await approve(stage, people.bo, card);
    }
    await onceOpen(stage, thread, 0);
  }

  async function toldPrivately({ desk }: LaneStage, person: Person) {
    await desk.until(async () => (await desk.privates(person)).length > 0);
    return (await desk.privates(person)).at(-1)?.text;
  }

  async function runs({ live }: LaneStage) {
    return live.flowbot.bot.store.runs({ limit: 10 });
  }

  describe(`lanes that ask on ${platform.name}`, () => {
    test('have a card each under the card of the run at the top, with buttons that work, also after a restart', async () => {
      const stage = await platform.open(flows());
      const thread = await start(stage, 'deploy');
      const cards = await onceOpen(stage, thread, 2);
      expect(cards.map(({ text }) => /To (\w+)\./.exec(text)?.[1])).toEqual(['eu', 'us']);
      const [top] = await stage.desk.messages(thread);
      expect(top?.text).toContain('All: 0 of 3');
      await stage.live.restart();
      await approveAll(stage, thread);
      const texts = await onceShown(stage.desk, thread, 'Deploy has succeeded');
      expect(texts.filter((text) => text.startsWith(ASKED))).toHaveLength(3);
      expect(texts.filter((text) => text.includes('Approved by Bo'))).toHaveLength(3);
      expect(await runs(stage)).toMatchObject([{ flow: 'deploy', status: 'succeeded' }]);
      expect(stage.complaints?.() ?? []).toEqual([]);
    });

    test('ask in the thread of the run at the top, however deep they are', async () => {
      const stage = await platform.open(flows());
      const thread = await start(stage, 'outer');
      await approveAll(stage, thread);
      await onceShown(stage.desk, thread, 'Outer has succeeded');
      const elsewhere = (await stage.desk.messages(stage.desk.channel)).map(({ text }) => text);
      expect(elsewhere.join()).not.toContain(ASKED);
      expect(stage.complaints?.() ?? []).toEqual([]);
    });

    test('ask in the thread under the card of a run that a webhook started', async () => {
      const hook = `triggers: [{ type: webhook, secret: HOOK }]\nconversation: "${platform.name}:#general"`;
      const stage = await platform.open(flows('', hook), { FLOWBOT_SECRET_HOOK: 'hook-secret' });
      const { desk, live } = stage;
      const heard = await fetch(`${live.flowbot.url}/hooks/deploy/hook-secret`, { method: 'POST' });
      expect(heard.status).toBe(202);
      const place = { platform: platform.name, conversation: await generalOf(stage) };
      const card = async (): Promise<MessageRef | undefined> =>
        (await desk.messages(place)).find(({ text }) => text.includes('All: '))?.ref;
      await desk.until(async () => (await card()) !== undefined);
      const thread = { ...place, thread: (await card())?.id ?? '' };
      await approveAll(stage, thread);
      await onceShown(desk, place, 'Deploy has succeeded');
      expect(stage.complaints?.() ?? []).toEqual([]);
    });

    test('may not be answered by whoever started the run at the top, where people are named', async () => {
      const named = [people.ana, people.bo].map((person) => `"${personAddress(person)}"`).join();
      const stage = await platform.open(flows(`, approvers: { users: [${named}] }`));
      const thread = await start(stage, 'deploy');
      const [card] = await onceOpen(stage, thread, 2);
      if (!card) throw new Error('Nobody is asked.');
      await approve(stage, people.ana, card);
      expect(await toldPrivately(stage, people.ana)).toBe(
        'You started this run, so somebody else has to answer.',
      );
      await approveAll(stage, thread);
      await onceShown(stage.desk, thread, 'Deploy has succeeded');
      expect(stage.complaints?.() ?? []).toEqual([]);
    });

    test('lose their buttons when the run at the top is cancelled', async () => {
      const stage = await platform.open(flows());
      const thread = await start(stage, 'deploy');
      const cards = await onceOpen(stage, thread, 2);
      const [run] = await runs(stage);
      await stage.desk.command(people.ana, stage.desk.channel, `cancel ${run?.id}`);
      await onceOpen(stage, thread, 0);
      const texts = await onceShown(stage.desk, thread, 'Deploy was cancelled');
      expect(texts.filter((text) => text.includes('Not needed any more'))).toHaveLength(2);
      const [card] = cards;
      if (card) await approve(stage, people.bo, card);
      expect(await toldPrivately(stage, people.bo)).toMatch(/^This question is closed\./);
      expect(stage.complaints?.() ?? []).toEqual([]);
    });
  });
}

async function generalOf({ live, desk }: LaneStage): Promise<string> {
  const chat = live.flowbot.bot.chats.get(desk.channel.platform);
  return (await chat?.conversation('#general'))?.id ?? '';
}
