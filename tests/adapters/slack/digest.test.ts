import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { createWorkspace } from './harness.ts';
import { goLive, type Live, onceShown } from './live.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
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
  readonly slack: SlackStandIn;
  readonly support: Place;
  readonly leads: Place;
  /** Starts Flowbot half a minute before this time (epoch ms). */
  openAt(dueMs: number): Promise<Live>;
}

/** A workspace on Monday at nine, with a Flowbot that is not there yet. */
async function openOffice(flow = digest()): Promise<Office> {
  let nowMs = mondayMs;
  const slack = await createWorkspace({
    clock: {
      now: () => nowMs,
      pass(ms) {
        nowMs += ms;
      },
    },
  });
  const support = slack.createChannel({ name: 'support' });
  const leads = slack.createChannel({ name: 'leads' });
  let live: Live | undefined;
  onTestFinished(async () => {
    await live?.close();
    await slack.close();
  });
  return {
    slack,
    support,
    leads,
    async openAt(dueMs) {
      const turnClock = () => slack.pass(Math.max(0, dueMs - 30 * secondMs - slack.nowMs()));
      if (live) {
        await live.stop();
        turnClock();
        await live.start();
      } else {
        turnClock();
        live = await goLive(slack, 'socket', { digest: flow }, {}, 50);
      }
      return live;
    },
  };
}

/** What a day of support looks like: 2,000 messages of 4 people, 900 of them answers in 300 threads. */
function writeDay({ slack, support }: Office): void {
  const { ana, bo, cy, guest } = slack.people;
  const staff: readonly Person[] = [bo, cy, guest];
  const phrases = [
    `ask ${slack.mention(bo)} about it`,
    `${slack.mention('channel')} lunch is here`,
    'see https://example.com/?a=1&b=2 for <!here> & @channel',
    '*not* a [link](https://evil.example) <@U0ANA>',
  ];
  for (let count = 0; count < 1_100; count += 1) {
    const isAsked = count % 100 === 50;
    const text = isAsked
      ? `${slack.mention('here')} can anybody <!channel> look at ticket ${count}?`
      : `${phrases[count % phrases.length]} ${count}`;
    const message = slack.jot(ana, support, text);
    for (let answer = 0; count < 300 && answer < 3; answer += 1) {
      slack.jot(staff[answer % 3] ?? bo, { ...support, thread: message.id }, `answer ${answer}`);
    }
    if (count === 7) slack.react(bo, message, 'fire');
    slack.pass(70 * secondMs);
  }
}

/** What stands in #leads, once one of it has these words and nothing more comes. */
const told = ({ slack, leads }: Office, words: string) => onceShown(slack, leads, words);

/** Nobody’s phone has rung because of what stands in #leads. */
async function expectQuiet({ slack, leads }: Office): Promise<void> {
  for (const { ref } of await slack.messages(leads)) expect(await slack.notified(ref)).toEqual([]);
}

/** How often Slack was asked something. */
const calls = ({ slack }: Office, wanted: string) =>
  slack.calls().filter(({ method }) => method === wanted).length;

describe('a digest of #support in #leads, every weekday at nine', () => {
  test('2,000 messages: it comes once, rings nobody’s phone, and has what matters', async () => {
    const office = await openOffice();
    const { slack } = office;
    writeDay(office);
    await office.openAt(tuesdayMs);
    const [text = '', ...more] = await told(office, '#support');
    expect(more).toEqual([]);
    const [summary, discussed = '', questions = ''] = text.split(
      /\n\n(?:Most discussed|Questions without.*)\n\n/,
    );
    expect(summary).toBe(
      '#support: 2,000 messages by 4 people from Mon 2 Mar 2026, 09:00 to Tue 3 Mar 2026, 09:00 (Europe/Berlin).',
    );
    expect(discussed.trim().split('\n').slice(0, 4)).toEqual([
      '*not* a [link](https://evil.example) <@U0ANA> 7, by Ana: 3 answers, 1 reaction',
      'ask @Bo about it 0, by Ana: 3 answers',
      '@channel lunch is here 1, by Ana: 3 answers',
      'see https://example.com/?a=1&b=2 for <!here> & @channel 2, by Ana: 3 answers',
    ]);
    expect(questions.trim().split('\n')).toEqual(
      [350, 450, 550, 650, 750, 850, 950, 1050].map(
        (ticket) => `@here can anybody <!channel> look at ticket ${ticket}?, by Ana`,
      ),
    );
    await expectQuiet(office);
    // 6 pages of the day and one of the week before it, a page for each thread, a name for each author.
    expect(calls(office, 'conversations.history')).toBe(7);
    expect(calls(office, 'conversations.replies')).toBe(300);
    expect(calls(office, 'users.info')).toBe(4);
    // Slack takes 50 a minute.
    expect(slack.nowMs() - tuesdayMs).toBeLessThan(20 * minuteMs);
  });

  test('it comes once, also when Flowbot ends in the middle of reading', async () => {
    const office = await openOffice();
    const { slack } = office;
    writeDay(office);
    const live = await office.openAt(tuesdayMs);
    await slack.until(() => calls(office, 'conversations.replies') >= 50);
    await live.restart();
    expect(await told(office, '#support')).toHaveLength(1);
  });

  test('the next one has exactly what was written since', async () => {
    const office = await openOffice();
    const { slack, support } = office;
    const { ana, bo } = slack.people;
    const asked = slack.jot(ana, support, 'Does the printer work?');
    await office.openAt(tuesdayMs);
    slack.pass(tuesdayMs - 1 - slack.nowMs());
    slack.jot(bo, support, 'a millisecond before nine');
    slack.pass(1);
    slack.jot(bo, support, 'at nine');
    const first = await told(office, '#support');
    expect(first).toEqual([expect.stringMatching(/^#support: 2 messages by 2 people from Mon .* to Tue /)]);
    slack.jot(bo, { ...support, thread: asked.id }, 'Not yet');
    await office.openAt(tuesdayMs + dayMs);
    const [, second = ''] = await told(office, 'to Wed ');
    expect(second).toMatch(
      /^#support: 2 messages by 1 person from Tue 3 Mar 2026, 09:00 to Wed 4 Mar 2026, 09:00 /,
    );
    expect(second).toContain('Does the printer work?, by Ana: 1 answer');
    await office.openAt(tuesdayMs + 2 * dayMs);
    const [, , third] = await told(office, 'to Thu ');
    expect(third).toBe(
      'Nobody wrote in #support from Wed 4 Mar 2026, 09:00 to Thu 5 Mar 2026, 09:00 (Europe/Berlin).',
    );
  });

  test('a weekend is told on Monday', async () => {
    const office = await openOffice();
    const { slack, support } = office;
    await office.openAt(mondayMs + 4 * dayMs);
    await told(office, 'Nobody wrote');
    slack.pass(dayMs);
    slack.jot(slack.people.ana, support, 'on Saturday');
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
    const { slack, leads } = office;
    const live = await office.openAt(tuesdayMs);
    const ended = async () => (await live.flowbot.bot.store.runs({ limit: 1 }))[0]?.status === 'succeeded';
    await vi.waitUntil(ended);
    expect(await slack.messages(leads)).toEqual([]);
  });

  test.each([
    ['a long one comes in several messages', 4],
    ['of a very long one the rest is in a file', 25],
  ])('%s, with everything in it, and rings nobody’s phone', async (_, length) => {
    const more = 'In full: {{read.json.discussed}} {{read.json.unanswered}}';
    const office = await openOffice(digest('', `{{read.text}}\\n\\n${more}`));
    const { slack, support, leads } = office;
    const { ana, bo } = slack.people;
    const words = `${slack.mention('channel')} <!here> & @everyone: ${'the printer is on fire again, '.repeat(length)}`;
    for (let count = 0; count < 20; count += 1) {
      const message = slack.jot(
        ana,
        support,
        `ticket ${count}${count < 10 ? '' : '?'} ${words} end ${count}.`,
      );
      if (count < 10) slack.jot(bo, { ...support, thread: message.id }, 'yes');
    }
    await office.openAt(tuesdayMs);
    await told(office, '#support');
    const messages = await slack.messages(leads);
    expect(messages.length).toBeGreaterThan(1);
    const all = messages.map(({ text, files }) => text + files.map((file) => file.text).join('')).join('');
    for (let count = 0; count < 20; count += 1) expect(all).toContain(`end ${count}.`);
    await expectQuiet(office);
  });

  test('where Flowbot may not read, #leads hears how to mend it', async () => {
    const office = await openOffice();
    const { slack, support } = office;
    await slack.removeBot(support);
    slack.forget();
    await office.openAt(tuesdayMs);
    const texts = await told(office, '/invite');
    expect(texts.join('\n')).toContain('#support');
  });
});
