import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/engine/json.ts';
import type { Person } from '../../src/engine/people.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';
import type { ChatFault } from '../contracts/chat-harness.ts';
import { arbitraryFlow } from '../engine/run/arbitrary-flow.ts';
import { boardFlow, doubtFlow, errandFlow, loadFlows, longFlow, otherFlow, voteFlow } from './flows.ts';
import { type Decision, play, type Script } from './people.ts';
import { endsTheSame, storyOf } from './played.ts';
import { releases, type Stage, type StageOptions, setStage } from './stage.ts';

const server = 'http://shop.example';
let flows: FlowSet;

beforeAll(async () => {
  const texts = {
    errand: errandFlow(server, '10m'),
    doubt: doubtFlow(server),
    long: longFlow(),
    vote: voteFlow,
    board: boardFlow,
  };
  flows = await loadFlows(texts, 'slack');
});

const approve = (by: Decision['by']): Decision => ({ by, action: 'approve', feedback: '' });
const reject = (feedback: string): Decision => ({ by: 'bo', action: 'reject', feedback });

const release: Script = {
  opening: '!release 1.2',
  decide: (_step, round) => (round === 1 ? reject('Say what is *new*.') : approve('bo')),
};

/** Sent back twice. */
const board: Script = {
  opening: '!board',
  decide: (_step, round) => (round < 3 ? reject(`change ${round}`) : approve('bo')),
};

const scripts: Readonly<Record<string, Script>> = {
  release,
  board,
  incident: { opening: '!incident', decide: () => approve('bo') },
  purchase: {
    opening: '!purchase item="a chair" amount=120',
    decide: (step) => approve(step === 'budget' ? 'ana' : 'bo'),
  },
  'purchase refused': {
    opening: '!purchase item="a throne" amount=9000',
    decide: (step) => (step === 'budget' ? reject('Too dear.') : approve('ana')),
  },
  errand: {
    opening: '!errand item=lamp',
    decide: (_step, round) => (round === 1 ? reject('The green one.') : approve('ana')),
  },
  doubt: { opening: '!doubt', decide: () => approve('bo') },
  long: {
    opening: '!long',
    decide: (step, round) => (step === 'style' && round === 1 ? reject('Shorter.') : approve('bo')),
  },
};

describe.each(Object.entries(scripts))('%s', { timeout: 240_000 }, (_name, script) => {
  test('ends the same wherever the process dies', async () => {
    const undisturbed = await storyOf(flows, script);
    for (const [index, point] of undisturbed.points.entries()) {
      const { story } = await storyOf(flows, script, { deaths: [{ nth: index + 1 }] });
      expect(story, `died at point ${index + 1}: ${point}`).toEqual(undisturbed.story);
    }
  });

  test('ends the same however often the process dies', () => endsTheSame(flows, script));
});

describe('C26 the platform gives no answer to a post', () => {
  test.each<ChatFault>(['lost-answer', 'reset', 'later'])('%s: each message is there once', async (fault) => {
    const undisturbed = await storyOf(flows, release);
    for (let nth = 1; nth <= undisturbed.story.messages.length; nth += 1) {
      let posts = 0;
      const { story } = await storyOf(flows, release, {
        beforePost(_key, platform) {
          posts += 1;
          if (posts === nth) platform.failNext(fault);
        },
      });
      expect(story, `${fault} at post ${nth}`).toEqual(undisturbed.story);
    }
  });
});

describe('a message that is kept true over all rounds', { timeout: 240_000 }, () => {
  const ops = { ...releases, conversation: 'C-ops' };
  const bots = async (stage: Stage) =>
    (await stage.platform.messages(ops)).filter(({ author }) => author === 'bot').map(({ text }) => text);

  test('is one message that says what the last round made of it', async () => {
    const stage = setStage(flows);
    await play(stage, board);
    expect(await bots(stage)).toEqual(['Asked for: change 2.']);
  });

  test('C28 is posted anew, once, when people delete it, wherever the process dies', async () => {
    const playDeleted = async (deaths: StageOptions['deaths'] = []) => {
      const stage = setStage(flows, {
        deaths,
        async afterPost(key, _message, platform) {
          if (!key.startsWith('question/') || !key.endsWith('.1#0')) return;
          for (const { ref } of await platform.messages(ops)) await platform.deleteMessage(ref);
        },
      });
      await play(stage, board);
      // Ids of runs depend on how often the bot began.
      const keys = stage.posted.flatMap(({ key }) => /^post\/[^/]+(.*)$/.exec(key)?.[1] ?? []);
      return {
        texts: await bots(stage),
        keys: keys.toSorted(),
        points: stage.lives.flatMap(({ points }) => points),
      };
    };
    const { texts, keys, points } = await playDeleted();
    expect(texts).toEqual(['Asked for: change 2.']);
    expect(keys.filter((key) => key.includes('/board/'))).toHaveLength(2);
    for (const [index, point] of points.entries()) {
      const died = await playDeleted([{ nth: index + 1 }]);
      expect({ texts: died.texts, keys: died.keys }, `died at point ${index + 1}: ${point}`).toEqual({
        texts,
        keys,
      });
    }
  });
});

test('C32 whoever presses before the bot knows that its card is there has answered', async () => {
  const { story } = await storyOf(
    flows,
    { opening: '!vote', decide: () => reject('Too late.') },
    {
      async afterPost(key, message, platform) {
        if (!key.startsWith('question/')) return;
        const { id: _, ...place } = message;
        const card = (await platform.messages(place)).find(({ ref }) => ref.id === message.id);
        await platform.click(platform.people.bo, message, card?.buttons[0]?.id ?? '');
        expect(await platform.privates(platform.people.bo)).toEqual([]);
      },
    },
  );
  expect(story.status).toBe('succeeded');
  expect(story.decisions).toEqual(['vote 1: approve by Bo ']);
});

test('C19 Ana approves and Bo rejects at the same instant, 200 times: one decision each, and the loser is told', async () => {
  const stage = setStage(flows);
  const { ana, bo } = stage.platform.people;
  for (let round = 0; round < 200; round += 1) {
    const root = await stage.platform.say(ana, releases, '!vote');
    await stage.rest();
    const thread = await stage.platform.messages({ ...releases, thread: root.id });
    const card = thread.find(({ buttons }) => buttons.some(({ label }) => label === 'Approve'));
    const [approve, reject] = card?.buttons ?? [];
    if (!card || !approve || !reject) throw new Error('There is no card.');
    await stage.platform.click(bo, card.ref, reject.id);
    const form = await stage.platform.form(bo);
    const acts = [
      () => stage.platform.click(ana, card.ref, approve.id),
      () => stage.platform.submit(bo, card.ref, form?.id ?? '', { feedback: '' }),
    ];
    await Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act()));
    while (stage.pass()) await stage.rest();
  }
  const told = async (person: Person, what: string) =>
    (await stage.platform.privates(person)).filter(({ text }) => text.includes(what)).length;
  const rows = await stage.store.runs({ limit: 1_000 });
  const succeeded = rows.filter(({ status }) => status === 'succeeded').length;
  const rejected = rows.filter(({ status }) => status === 'rejected').length;
  expect(succeeded + rejected).toBe(200);
  expect(await told(bo, 'Ana has already answered “Approve”')).toBe(succeeded);
  expect(await told(ana, 'Bo has already answered “Reject”')).toBe(rejected);
  for (const { id } of rows) {
    const answers = (await stage.store.journal(id)).filter(({ type }) => type === 'question.answered');
    expect(answers).toHaveLength(1);
  }
});

describe('any flow, however often the process dies,', { timeout: 240_000 }, () => {
  /** What happens, and what would have happened undisturbed. */
  async function disturbed(flow: JsonObject, points: readonly number[], mood: number) {
    const any = await loadFlows({ any: JSON.stringify(commanded(flow)), other: otherFlow }, 'slack');
    const script: Script = {
      opening: '!any',
      decide: (step, round) => ((step.length + round + mood) % 3 === 0 ? reject('No.') : approve('ana')),
    };
    const { story } = await storyOf(any, script, { deaths: points.map((nth) => ({ nth })) });
    return { story, undisturbed: (await storyOf(any, script)).story };
  }

  const deaths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });
  const moods = fc.nat(1_000);

  test('keeps its promises', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFlow(), deaths, moods, async (...given) => void (await disturbed(...given))),
      { numRuns: 40 },
    );
  });

  // What is under way when another step fails or sends work back depends on which of them is faster.
  test('ends the same when nothing fails and nothing is sent back', async () => {
    const calm = arbitraryFlow({ sendBacks: false, failures: false });
    await fc.assert(
      fc.asyncProperty(calm, deaths, moods, async (...given) => {
        const { story, undisturbed } = await disturbed(...given);
        expect(story).toEqual(undisturbed);
      }),
      { numRuns: 40 },
    );
  });
});

/**
 * A flow that a command starts, with every request at an address of its own, and with approvals that one answer of anybody
 * decides: what else there is to approvals needs more people than there are here.
 */
function commanded(flow: JsonObject): JsonObject {
  const steps = isJsonObject(flow.steps) ? flow.steps : {};
  const edges = plainEdges(Array.isArray(flow.edges) ? flow.edges.filter(isJsonObject) : []);
  return {
    ...flow,
    triggers: [{ type: 'command', command: 'any' }],
    steps: Object.fromEntries(
      Object.entries(steps).map(([id, step]) => [id, isJsonObject(step) ? plainStep(id, step, edges) : step]),
    ),
    edges,
  };
}

function plainStep(id: string, step: JsonObject, edges: readonly JsonObject[]): JsonObject {
  if (step.type === 'http') return { ...step, url: `${server}/${id}` };
  // Of edges that have become the same one was left.
  const joins = edges.filter(({ to, sendBack }) => to === id && sendBack !== true);
  if (step.type === 'join' && joins.length < 2) return { type: 'template', text: id };
  if (step.type !== 'approval') return step;
  return Object.fromEntries(
    Object.entries(step).filter(([key]) => ['type', 'show', 'runWhen'].includes(key)),
  );
}

/** What followed from an exit that a plain approval does not have follows from its approval. */
function plainEdges(edges: readonly JsonObject[]): readonly JsonObject[] {
  const plain: readonly JsonObject[] = edges.map((edge) => ({
    ...edge,
    from: String(edge.from).replace(/\.(?:hold|expired)$/, '.approved'),
  }));
  const ways = plain.map(({ from, to }) => JSON.stringify([from, to]));
  return plain.filter((_, at) => ways.indexOf(ways[at] ?? '') === at);
}
