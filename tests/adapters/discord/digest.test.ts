import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { callsOf, routes } from './judged.ts';
import { goLive, type Live, onceShown } from './live.ts';

const secondMs = 1_000;
const dayMs = 24 * 3_600 * secondMs;
/** Nine o'clock in Berlin. */
const mondayMs = Date.parse('2026-03-02T08:00:00Z');
const tuesdayMs = mondayMs + dayMs;

/** Every weekday at nine, what was written in #support is told in #leads. */
const digest = (more = '', text = '{{read.text}}') => `
name: Support digest
conversation: "#leads"
triggers: [{ type: schedule, cron: "0 9 * * 1-5", timezone: Europe/Berlin }]
steps:
  read: { type: history, conversation: "#support", since: lastRun${more} }
  tell: { type: message, to: "#leads", text: "${text}" }
`;

interface Office {
  readonly discord: DiscordStandIn;
  readonly support: Place;
  readonly leads: Place;
  /** Starts Flowbot three seconds before this time (epoch ms). */
  openAt(dueMs: number): Promise<Live>;
}

/** A server on Monday at nine, with a Flowbot that is not there yet. */
async function openOffice(flow = digest()): Promise<Office> {
  let nowMs = mondayMs;
  const discord = await createDiscordStandIn({
    clock: {
      now: () => nowMs,
      pass(ms) {
        nowMs += ms;
      },
    },
  });
  const support = await discord.createChannel({ name: 'support' });
  const leads = await discord.createChannel({ name: 'leads' });
  let live: Live | undefined;
  onTestFinished(async () => {
    await live?.close();
    await discord.close();
    expect(discord.faults()).toEqual([]);
  });
  return {
    discord,
    support,
    leads,
    async openAt(dueMs) {
      await live?.stop();
      discord.pass(Math.max(0, dueMs - 3 * secondMs - discord.nowMs()));
      if (live) await live.start();
      else live = await goLive(discord, { digest: flow });
      return live;
    },
  };
}

/** What a day of support looks like: messages of 4 people, and nine answers in threads of the first ones. */
async function writeDay({ discord, support }: Office, asked = 1_100, threads = 100): Promise<void> {
  const { ana, bo, cy, owner } = discord.people;
  const staff: readonly Person[] = [bo, cy, owner];
  const phrases = [
    `ask <@${bo.id}> about it`,
    '@everyone lunch is here',
    'see https://example.com/?a=1&b=2 for @here <:party:123456789012345678>',
    '**not** a [link](https://evil.example) @ana',
  ];
  for (let count = 0; count < asked; count += 1) {
    const text =
      count % 100 === 50
        ? `@here can anybody @everyone look at ticket ${count}?`
        : `${phrases[count % phrases.length]} ${count}`;
    const message = discord.jot(ana, support, text);
    for (let answer = 0; count < threads && answer < 9; answer += 1) {
      discord.jot(staff[answer % 3] ?? bo, { ...support, thread: message.id }, `answer ${answer}`);
    }
    if (count === 7) discord.react(message, '🔥');
    if (count === 5) await discord.archiveThread({ ...support, thread: message.id });
    discord.pass(70 * secondMs);
  }
}

/** What stands in #leads, when it is certain that no more comes. */
function told({ discord, leads }: Office, words: string): Promise<readonly string[]> {
  return onceShown(discord, leads, words);
}

/** The entries of a list, without the addresses that their links lead to. */
function entries(list: string): readonly string[] {
  const lines = list.trim().split('\n');
  return lines.map((line) =>
    line.replace(/^• /, '').replace(/ \(https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+\)/, ''),
  );
}

/** Nobody’s phone has rung because of what stands in #leads. */
async function expectQuiet({ discord, leads }: Office): Promise<void> {
  for (const { ref } of await discord.messages(leads)) expect(await discord.notified(ref)).toEqual([]);
}

describe('a digest of #support in #leads, every weekday at nine', () => {
  test('2,000 messages: it comes once, rings nobody’s phone, and has what matters', async () => {
    const office = await openOffice();
    const { discord } = office;
    await writeDay(office);
    await office.openAt(tuesdayMs);
    const [text = '', ...more] = await told(office, '#support');
    expect(more).toEqual([]);
    const [summary, discussed = '', questions = ''] = text.split(
      /\s+(?:Most discussed|Questions without.*)\s+/,
    );
    expect(summary).toBe(
      '#support: 2,000 messages by 4 people from Mon 2 Mar 2026, 09:00 to Tue 3 Mar 2026, 09:00 (Europe/Berlin).',
    );
    expect(entries(discussed).slice(0, 4)).toEqual([
      '**not** a [link](https://evil.example) @Ana 7, by Ana: 9 answers, 1 reaction',
      'ask @Bo about it 0, by Ana: 9 answers',
      '@everyone lunch is here 1, by Ana: 9 answers',
      'see https://example.com/?a=1&b=2 for @here :party: 2, by Ana: 9 answers',
    ]);
    expect(entries(questions)).toEqual(
      [150, 250, 350, 450, 550, 650, 750, 850, 950, 1050].map(
        (ticket) => `@here can anybody @everyone look at ticket ${ticket}?, by Ana`,
      ),
    );
    await expectQuiet(office);
    // 12 pages of the channel, the last of them empty, and one for each thread.
    expect(callsOf(discord, routes.history)).toHaveLength(12 + 100);
    expect(discord.nowMs() - tuesdayMs).toBeLessThan(120 * secondMs);
  });

  test('it comes once, also when Flowbot ends in the middle of reading', async () => {
    const office = await openOffice();
    const { discord } = office;
    await writeDay(office, 150, 30);
    const live = await office.openAt(tuesdayMs);
    await discord.until(() => callsOf(discord, routes.history).length >= 20);
    await live.restart();
    expect(await told(office, '#support')).toHaveLength(1);
  });

  test('the next one has exactly what was written since', async () => {
    const office = await openOffice();
    const { discord, support } = office;
    const { ana, bo } = discord.people;
    const asked = discord.jot(ana, support, 'Does the printer work?');
    await office.openAt(tuesdayMs);
    discord.pass(tuesdayMs - 1 - discord.nowMs());
    discord.jot(bo, support, 'a millisecond before nine');
    discord.pass(1);
    discord.jot(bo, support, 'at nine');
    const first = await told(office, '#support');
    expect(first).toEqual([expect.stringMatching(/^#support: 2 messages by 2 people from Mon .* to Tue /)]);
    discord.jot(bo, { ...support, thread: asked.id }, 'Not yet');
    await office.openAt(tuesdayMs + dayMs);
    const [, second = ''] = await told(office, 'to Wed ');
    expect(second).toMatch(
      /^#support: 2 messages by 1 person from Tue 3 Mar 2026, 09:00 to Wed 4 Mar 2026, 09:00 /,
    );
    expect(entries(second)).toContain('Does the printer work?, by Ana: 1 answer');
    await office.openAt(tuesdayMs + 2 * dayMs);
    const [, , third] = await told(office, 'to Thu ');
    expect(third).toBe(
      'Nobody wrote in #support from Wed 4 Mar 2026, 09:00 to Thu 5 Mar 2026, 09:00 (Europe/Berlin).',
    );
    await expectQuiet(office);
  });

  test('a weekend is told on Monday', async () => {
    const office = await openOffice();
    const { discord, support } = office;
    await office.openAt(mondayMs + 4 * dayMs);
    await told(office, 'Nobody wrote');
    discord.pass(dayMs);
    discord.jot(discord.people.ana, support, 'on Saturday');
    await office.openAt(mondayMs + 7 * dayMs);
    expect(await told(office, 'to Mon ')).toEqual([
      expect.stringMatching(/^Nobody wrote in #support from Thu .* to Fri /),
      expect.stringMatching(
        /^#support: 1 message by 1 person from Fri 6 Mar 2026, 09:00 to Mon 9 Mar 2026, 09:00 /,
      ),
    ]);
  });

  test('a quiet day is told nobody when the flow says so', async () => {
    const office = await openOffice(digest(', whenEmpty: silent'));
    const { discord, leads } = office;
    const live = await office.openAt(tuesdayMs);
    await vi.waitUntil(
      async () => (await live.flowbot.bot.store.runs({ limit: 1 }))[0]?.status === 'succeeded',
      { timeout: 5_000 },
    );
    await discord.quiet();
    expect(await discord.messages(leads)).toEqual([]);
  });

  test.each([
    ['a long one comes in several messages', 6],
    ['of a very long one nothing is lost', 25],
  ])('%s, and it rings nobody’s phone', async (_, length) => {
    const more = 'In full: {{read.json.discussed}} {{read.json.unanswered}}';
    const office = await openOffice(digest('', `{{read.text}}\\n\\n${more}`));
    const { discord, support, leads } = office;
    const { ana, bo } = discord.people;
    const words = `@everyone @here <@${bo.id}>: ${'the printer is on fire again, '.repeat(length)}`;
    for (let count = 0; count < 20; count += 1) {
      const message = discord.jot(
        ana,
        support,
        `ticket ${count}${count < 10 ? '' : '?'} ${words} end ${count}.`,
      );
      if (count < 10) discord.jot(bo, { ...support, thread: message.id }, 'yes');
    }
    await office.openAt(tuesdayMs);
    await told(office, '#support');
    const messages = await discord.messages(leads);
    expect(messages.length).toBeGreaterThan(1);
    const all = messages.map(({ text, files }) => text + files.map((file) => file.text).join('')).join('');
    for (let count = 0; count < 20; count += 1) expect(all).toContain(`end ${count}.`);
    await expectQuiet(office);
  });

  test.each(['READ_MESSAGE_HISTORY', 'content'] as const)(
    'trap 14, 15: where Flowbot may not read (%s), #leads hears how to mend it',
    async (missing) => {
      const office = await openOffice();
      const { discord, support } = office;
      discord.jot(discord.people.ana, support, 'hello');
      if (missing === 'content') discord.portal.messageContent = false;
      else await discord.deny(support, missing);
      await office.openAt(tuesdayMs);
      const texts = await told(
        office,
        missing === 'content' ? 'Message Content Intent' : 'Read Message History',
      );
      expect(texts.join('\n')).toContain('#support');
      expect(texts.join('\n')).not.toContain('Nobody wrote');
    },
  );
});
