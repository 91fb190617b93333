import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { dieAtEach } from './lanes.ts';
import type { EndsAt } from './life.ts';
import { playground, toldTo } from './playground.ts';
import { createHome, type Process } from './process.ts';
import { afterwards, type Stories, storiesOf } from './process-people.ts';

/**
 * A life has roughly 230 points, and each costs two starts; without a process, `memory.test.ts` tries them all. Here the first
 * of every twelfth kind is tried, and beyond that every eightieth. With `CRASH_STRIDE` it is the first of every kind, and
 * every so many; `CRASH_STRIDE=1` tries them all.
 */
const stride = Number(process.env.CRASH_STRIDE ?? 80);
const kindStride = process.env.CRASH_STRIDE === undefined ? 12 : 1;
const flows = ['release', 'errand'] as const;

const afterPost = { nth: 1, of: 'after post post' };
const decisionPoints = {
  '(a) after the decision is written': { nth: 1, of: 'after commit question.answered+delivered submit' },
  '(b) before the answer is done with': { nth: 1, of: 'before commit delivered submit' },
  '(c) before the card is edited': { nth: 1, of: 'before edit' },
  '(c) after the card is edited': { nth: 1, of: 'after edit' },
};

let undisturbed: { readonly stories: Stories; readonly points: readonly string[] };

beforeAll(async () => {
  undisturbed = await storiesOf(playground, flows);
});

const die = (ends: readonly EndsAt[]) =>
  dieAtEach(ends, { platform: async () => playground, flows, stories: undisturbed.stories });

describe('a process killed at any point, and started again, comes to the same end', () => {
  test('the first points of their kinds', async () => {
    const others = [...Object.values(decisionPoints), afterPost].map(({ of }) => of);
    const kinds = new Set(undisturbed.points).difference(new Set(others));
    const tried = [...kinds].filter((_, index) => index % kindStride === 0);
    await die(tried.map((of) => ({ nth: 1, of })));
  }, 600_000);

  test(stride === 1 ? 'every point' : `every ${stride}th point`, async () => {
    const all = undisturbed.points.map((_, index): EndsAt => ({ nth: index + 1 }));
    await die(all.filter((_, index) => index % stride === 0));
  }, 3_600_000);

  test('C26 after a post and before it was noted: the message is there once', () => die([afterPost]));

  test.each(Object.entries(decisionPoints))(
    'C31 %s: the run goes on once, and the card ends right',
    (_, point) => die([point]),
  );
});

test('lanes, an agent and a script: killed where they begin and end, everything happens once', async () => {
  const flows = ['crew'] as const;
  const { stories, points } = await storiesOf(playground, flows);
  expect(stories.crew).toMatchObject({ status: 'succeeded', output: ['red', 'green'] });
  const ends = ['after agent task', 'before program node', 'after commit lane.ended'].map(
    (of): EndsAt => ({ nth: 1, of }),
  );
  const lanes = [2].map((nth): EndsAt => ({ nth, of: 'after commit run.started' }));
  for (const { of } of ends) expect(points).toContain(of);
  await dieAtEach([...ends, ...lanes], { platform: async () => playground, flows, stories });
}, 300_000);

test('C19 Ana approves and Bo rejects at the same instant, 200 times: one decision each, and the loser is told', async () => {
  const home = await createHome(playground);
  try {
    const flowbot = await home.start();
    if (!flowbot) throw new Error('Flowbot did not start.');
    const cards: Card[] = [];
    for (let wave = 0; wave < 5; wave += 1) {
      cards.push(...(await startVotes(flowbot, 40)));
    }
    const { people } = flowbot;
    await Promise.all(
      cards.map(({ message, approve, reject }, round) => {
        const acts = [
          () => people.press('ana', message, approve),
          () => people.send('bo', 'general', reject, {}),
        ];
        return Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act()));
      }),
    );
    await flowbot.stop();
    const [ana, bo] = [toldTo(home, 'ana'), toldTo(home, 'bo')];

    const winners = await afterwards(home, ({ store }) =>
      Promise.all(cards.map(async ({ question }) => winnerOf(store, question))),
    );
    const won = (id: string) => winners.filter((winner) => winner === id).length;
    expect(won('ana') + won('bo')).toBe(200);
    expect(ana.filter((text) => text.includes('Bo has already answered “Reject”'))).toHaveLength(won('bo'));
    expect(bo.filter((text) => text.includes('Ana has already answered “Approve”'))).toHaveLength(won('ana'));
  } finally {
    await home.close();
  }
}, 120_000);

interface Card {
  readonly message: string;
  readonly question: string;
  /** Id of the button. */
  readonly approve: string;
  /** Id of the form. */
  readonly reject: string;
}

/** Starts votes and waits for their cards. Bo has opened the forms of Reject already. */
async function startVotes(flowbot: Process, count: number): Promise<readonly Card[]> {
  const { people } = flowbot;
  await Promise.all(Array.from({ length: count }, () => people.say('ana', 'general', '!vote')));
  const cards: Card[] = [];
  for (const root of (await people.messages('general')).slice(-count)) {
    cards.push(await cardIn(flowbot, root.id));
  }
  return cards;
}

async function cardIn(flowbot: Process, root: string): Promise<Card> {
  const { people } = flowbot;
  for (;;) {
    const { version } = flowbot;
    for (const { id: message, body } of await people.thread(root)) {
      const [approve, reject] = body.kind === 'post' ? body.buttons : [];
      if (!approve || !reject) continue;
      const form = await people.press('bo', message, reject.id);
      const question = approve.id.split(':')[1] ?? '';
      if (form) return { message, question, approve: approve.id, reject: form.id };
    }
    await flowbot.newsAfter(version);
  }
}

/** Who decided, by the one answer in the journal, which the run's end must follow. */
async function winnerOf(store: Store, question: string): Promise<string> {
  const id = (await store.questionRun(question)) ?? '';
  const answers = (await store.journal(id)).filter((event) => event.type === 'question.answered');
  expect(answers).toHaveLength(1);
  const winner = answers[0]?.by.id ?? '';
  expect((await store.run(id))?.row.status).toBe(winner === 'ana' ? 'succeeded' : 'rejected');
  return winner;
}
