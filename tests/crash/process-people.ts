import type { Message, People } from '../../demo/people.ts';
import { bodyText } from '../../demo/terminal.ts';
import { openSqliteStore } from '../../src/adapters/sqlite/index.ts';
import { parseActionId } from '../../src/commands/action-ids.ts';
import type { Store } from '../../src/ports/store.ts';
import type { EndsAt } from './life.ts';
import { isFor } from './people.ts';
import type { Platform } from './platform.ts';
import { createHome, type Home, inTime, type Process } from './process.ts';
import { type Posted, type Story, tell } from './story.ts';

/** What somebody types to begin. */
interface Opening {
  readonly by: string;
  readonly in: string;
  readonly text: string;
}

/** What people begin; they answer what comes of it. */
const openings: Readonly<Record<'release' | 'errand' | 'crew', Opening>> = {
  release: { by: 'ana', in: 'releases', text: '!release 1.2' },
  errand: { by: 'bo', in: 'general', text: '!errand item=lamp' },
  crew: { by: 'ana', in: 'general', text: '!crew' },
};

/** Where the flows do what must not happen twice. */
const addresses: Readonly<Record<Begun, string>> = { release: '/none', errand: '/order', crew: '/build' };

/** A flow that people begin. */
export type Begun = keyof typeof openings;

/** How a life went. */
export interface Lived {
  /** Whether it ended before its work was done. */
  readonly crashed: boolean;
  /** The points of the last life, which was told to stop. */
  readonly points: readonly string[];
}

/** Plays everything that people do, over as many processes as it takes. @param endsAt where the first one dies */
async function playOut(home: Home, flows: readonly Begun[], endsAt?: EndsAt): Promise<Lived> {
  let crashed = false;
  for (let first = true; ; first = false) {
    const process = await home.start(first ? endsAt : undefined);
    const points = process && (await liveOut(home, flows, process)) ? await process.stop() : undefined;
    if (points) return { crashed, points };
    crashed = true;
    if (!first) throw new Error('A process ended that should have lived.');
  }
}

/** People act on what they see until all is done; false = the process has died before. */
async function liveOut(home: Home, flows: readonly Begun[], process: Process): Promise<boolean> {
  const answered = new Set<string>();
  for (;;) {
    const { version } = process;
    try {
      if (await takeTurn(home, flows, process, answered)) return true;
    } catch (error) {
      // What failed may have been cut off by a death, which is noticed in a moment.
      const gone = await inTime('the process to end', process.end).then(
        () => true,
        () => false,
      );
      if (!gone) throw error;
    }
    await process.newsAfter(version);
    if (process.gone) return false;
  }
}

/** Types what is not there yet and answers what is open; true = everything has ended. */
async function takeTurn(
  home: Home,
  flows: readonly Begun[],
  { people }: Process,
  answered: Set<string>,
): Promise<boolean> {
  let ended = 0;
  for (const opening of flows.map((flow) => openings[flow])) {
    const isIt = ({ body }: Message) => bodyText(body) === opening.text;
    const before = (await people.messages(opening.in)).find(isIt);
    if (!before) await people.say(opening.by, opening.in, opening.text);
    const root = before ?? (await people.messages(opening.in)).find(isIt);
    if (!root) throw new Error(`${opening.text} is not there.`);
    const thread = await people.thread(root.id);
    for (const card of thread) await answer(home, people, thread, card, answered);
    if (isOver(thread)) ended += 1;
  }
  return ended === flows.length;
}

/** The run has ended, and no card asks for an answer any more. */
function isOver(thread: readonly Message[]): boolean {
  const ids = thread.flatMap((message) => buttonsOf(message).map(({ id }) => id));
  return ids.some((id) => id.startsWith('again:')) && !ids.some((id) => parseActionId(id)?.kind === 'answer');
}

/** A card is answered once in a life: a person who sees it unanswered after a restart presses again. */
async function answer(
  home: Home,
  people: People,
  thread: readonly Message[],
  card: Message,
  answered: Set<string>,
): Promise<void> {
  const questions = buttonsOf(card).filter(({ id }) => parseActionId(id)?.kind === 'answer');
  if (questions.length === 0 || answered.has(card.id)) return;
  answered.add(card.id);
  const { action, feedback } = decide(home, thread, card);
  const button = questions.find(({ id }) => isFor(id, action));
  if (!button) throw new Error(`The card has no button for ${action}.`);
  for (let presses = 0; presses < 3; presses += 1) {
    const form = await people.press('bo', card.id, button.id);
    if (form) await people.send('bo', card.conversation, form.id, { feedback });
    // On a busy machine a form may come too late for its click; then the bot asks people to press again, and they do.
    if (form || feedback === '') return;
  }
}

/** The first of several cards that lanes do not ask for is rejected; doubts are settled by asking at the other end. */
function decide(
  home: Home,
  thread: readonly Message[],
  card: Message,
): { readonly action: string; readonly feedback: string } {
  const titles = thread.map(({ body }) => bodyText(body).split('\n')[0] ?? '');
  const at = thread.indexOf(card);
  const title = titles[at] ?? '';
  if (!title.includes('may or may not have happened')) {
    const isFirst = titles.indexOf(title) === at && title !== 'May it be sent?';
    return isFirst
      ? { action: 'reject', feedback: 'Once more, please.' }
      : { action: 'approve', feedback: '' };
  }
  const made = (path: string) =>
    home.arrived.filter((one) => one.method === 'POST' && one.path === path).length;
  const rounds = titles.filter((one) => one === 'Is it the right one?').length;
  if (title.includes('Order') && made('/order') > rounds) {
    return { action: 'output', feedback: JSON.stringify({ method: 'POST', path: '/order' }) };
  }
  if (title.includes('Build') && made('/build') > 0) return { action: 'output', feedback: 'built' };
  return { action: 'again', feedback: '' };
}

function buttonsOf({ body }: Message): readonly { readonly id: string; readonly label: string }[] {
  return body.kind === 'post' ? body.buttons : [];
}

/** The stories of all runs that people began. */
export type Stories = Readonly<Record<string, Story>>;

/** Lets people play flows out in a home of its own, and tells what came of it. */
export async function storiesOf(
  platform: Platform,
  flows: readonly Begun[],
  endsAt?: EndsAt,
): Promise<Lived & { readonly stories: Stories }> {
  const home = await createHome(platform);
  try {
    const lived = await playOut(home, flows, endsAt);
    const stories = await afterwards(home, (left) =>
      Promise.all(
        flows.map(async (flow) => {
          const orders = home.arrived
            .filter(({ method, path }) => method === 'POST' && path === addresses[flow])
            .map(({ path, body }) => path + body);
          return [flow, await tell(home.plan(flow), { ...left, orders }, home.plan)] as const;
        }),
      ),
    );
    return { ...lived, stories: Object.fromEntries(stories) };
  } finally {
    await home.close();
  }
}

/** Opens what a stopped Flowbot has left, looks at it, and closes it. */
export async function afterwards<T>(
  { db, platform }: Home,
  look: (left: { readonly store: Store; readonly posts: readonly Posted[] }) => Promise<T>,
): Promise<T> {
  const store = openSqliteStore({ file: db });
  try {
    return await look({ store, posts: await platform.posts(db) });
  } finally {
    await store.close();
  }
}
