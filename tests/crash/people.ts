import { parseActionId } from '../../src/commands/action-ids.ts';
import type { MessageRef } from '../../src/engine/people.ts';
import type { Question, RunState } from '../../src/engine/run/state.ts';
import { releases, type Stage } from './stage.ts';

/** What somebody answers. */
export interface Decision {
  readonly by: 'ana' | 'bo';
  readonly action: string;
  readonly feedback: string;
}

/** What people do. */
export interface Script {
  /** What Ana types in #releases. */
  readonly opening: string;
  /** How an approval is answered. */
  decide(step: string, round: number): Decision;
}

/** Turns after which a stage that does not come to rest is a fault of the bot. */
const turnsMax = 5_000;

/** Lets people start a run and answer what they are asked, until nothing is left to wait for. */
export async function play(stage: Stage, script: Script): Promise<void> {
  const { platform } = stage;
  const root = await platform.say(platform.people.ana, releases, script.opening);
  for (let turns = 0; turns < turnsMax; turns += 1) {
    // Platforms deliver events again at times.
    await platform.redeliver();
    await stage.rest();
    const card = await nextCard(stage, root);
    // Doubts are settled at once; with approvals people take their time.
    if (card?.question.kind !== 'unknown' && stage.pass()) continue;
    if (!card) return;
    await answer(stage, card, await decisionOf(stage, script, card));
  }
  throw new Error('The run does not come to an end.');
}

/** An open question on its card. */
interface Card {
  readonly message: MessageRef;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly run: RunState;
  readonly question: Question;
}

/** The question that people turn to first: doubts, then approvals in the order of their steps. */
async function nextCard(stage: Stage, root: MessageRef): Promise<Card | undefined> {
  const cards: Card[] = [];
  for (const { ref, buttons } of await stage.platform.messages({ ...releases, thread: root.id })) {
    const id = buttons.map((button) => parseActionId(button.id)).find((one) => one?.kind === 'answer');
    if (id?.kind !== 'answer') continue;
    const runId = await stage.store.questionRun(id.question);
    const run = runId === undefined ? undefined : (await stage.store.run(runId))?.state;
    const question = run?.questions[id.question];
    if (!run || question?.state.status !== 'open') {
      throw new Error(`The card of ${id.question} still has buttons, but the question is not open.`);
    }
    cards.push({ message: ref, buttons, run, question });
  }
  const rank = ({ question }: Card) => `${question.kind === 'unknown' ? 0 : 1} ${question.step}`;
  return cards.toSorted((one, other) => rank(one).localeCompare(rank(other)))[0];
}

/** Nobody knows whether something was done; Bo asks the one at the other end, and goes by that. */
async function decisionOf(stage: Stage, script: Script, { run, question }: Card): Promise<Decision> {
  const { step, round, kind } = question;
  if (kind === 'approval') return script.decide(step, round);
  if (kind === 'budget' || kind === 'day') return { by: 'bo', action: 'more', feedback: '' };
  if (kind === 'tool') return { by: 'bo', action: 'allow', feedback: '' };
  if (kind === 'changes') return { by: 'bo', action: 'keep', feedback: '' };
  const journal = await stage.store.journal(run.id);
  const known = journal.filter((event) => {
    if (event.type !== 'question.answered') return event.type === 'step.done' && event.step === step;
    return event.action === 'output' && run.questions[event.question]?.step === step;
  });
  const done = doneFor(stage, run, step);
  const last = done.at(-1);
  if (last === undefined || done.length <= known.length) return { by: 'bo', action: 'again', feedback: '' };
  return { by: 'bo', action: 'output', feedback: last };
}

/** What came of all that was done for a step, in order. Runs of lanes do it at an address for each item. */
function doneFor({ http, workshop }: Stage, { start }: RunState, step: string): readonly string[] {
  const path = start.parent ? `/${step}/${start.input.item}` : `/${step}`;
  const arrived = http.arrived.filter(({ url }) => new URL(url).pathname === path);
  return [
    ...arrived.map(({ method }) => JSON.stringify({ method, path })),
    ...workshop.deeds.flatMap((deed) => (deed.path === path ? [deed.text] : [])),
  ];
}

/** Whether the button with this id gives an answer. */
export function isFor(id: string, action: string): boolean {
  const parsed = parseActionId(id);
  return parsed?.kind === 'answer' && parsed.action === action;
}

async function answer({ platform }: Stage, card: Card, decision: Decision): Promise<void> {
  const person = platform.people[decision.by];
  const button = card.buttons.find(({ id }) => isFor(id, decision.action));
  if (!button) throw new Error(`The card has no button for ${decision.action}.`);
  await platform.click(person, card.message, button.id);
  if (button.id.startsWith('answer:')) return;
  const form = await platform.form(person);
  if (!form) throw new Error(`${button.label} opened no form.`);
  await platform.submit(person, card.message, form.id, { feedback: decision.feedback });
}
