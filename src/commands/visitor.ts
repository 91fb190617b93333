import type { Person, Place } from '../engine/people.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { QuestionRow, RunRow } from '../ports/store.ts';
import { type Access, type Bot, type Caller, mayLook, seesAll } from './bot.ts';
import { openMax, type VisibleQuestion, withTheirs } from './open-questions.ts';

/** The platform of people who have a token and no account of a chat. */
export const API_PLATFORM = 'api';

/** Somebody who comes by the page, the API or MCP. */
export interface Visitor {
  readonly person: Person;
  readonly access: Access;
}

/** What a visitor sees of what lives in conversations, for one request. It asks about each conversation once. */
export interface Sight {
  /**
   * The visitor as commands see them: as if they stood in a conversation, when they can read it.
   * @param home where what it is about lives; undefined = nowhere
   */
  callerAt(home: Place | undefined): Promise<Caller>;
  /** Whether they may see a run. */
  sees(row: RunRow): Promise<boolean>;
  /** Open questions that they may see, oldest first; looked up once. */
  questions(): Promise<readonly VisibleQuestion[]>;
}

/** Looks with the eyes of a visitor. @param event as in `Caller` */
export function createSight(bot: Bot, { person, access }: Visitor, event: string): Sight {
  const readable = new Map<string, Promise<boolean>>();
  let questions: ReturnType<Sight['questions']> | undefined;
  const base: Caller = { person, access, event, atMs: bot.clock.now() };
  // Somewhere that is no conversation: whoever is nowhere at all would be taken for the host.
  const nowhere: Caller = { ...base, place: { platform: person.platform, conversation: '' } };

  async function canRead({ platform, conversation }: Place): Promise<boolean> {
    if (platform !== person.platform) return false;
    const known = readable.get(conversation);
    if (known) return known;
    const asked = askChat(conversation);
    readable.set(conversation, asked);
    return asked;
  }

  async function askChat(conversation: string): Promise<boolean> {
    try {
      return (await bot.chats.get(person.platform)?.canRead(person, conversation)) === true;
    } catch (error) {
      if (!(error instanceof ChatUnavailable)) throw error;
      // Lists leave out what nobody can tell about now.
      return false;
    }
  }

  async function callerAt(home: Place | undefined): Promise<Caller> {
    if (home && (await canRead(home))) return { ...base, place: home };
    return access === 'member' || access === 'viewer' || access === 'runner' ? nowhere : base;
  }

  return {
    callerAt,
    sees: async (row) => mayLook(bot, await callerAt(row.home), row),
    questions() {
      questions ??= seenQuestions();
      return questions;
    },
  };

  async function seenQuestions(): Promise<readonly VisibleQuestion[]> {
    const open = await bot.store.openQuestions(openMax);
    const seen = await Promise.all([...Map.groupBy(open, ({ home }) => keyOf(home)).values()].map(seenOf));
    return seen.flat().toSorted((one, other) => one.openedAtMs - other.openedAtMs);
  }

  /** @param questions those of one conversation */
  async function seenOf(questions: readonly QuestionRow[]): Promise<readonly VisibleQuestion[]> {
    const home = questions[0]?.home;
    // Roles are those of the account, also where they can't read.
    const asked = home?.platform === person.platform ? { ...base, place: home } : nowhere;
    const told = await withTheirs(bot, asked, questions);
    const isOpen = seesAll(base) || (home !== undefined && (await canRead(home)));
    return told.filter(({ isTheirs }) => isOpen || isTheirs);
  }
}

function keyOf(home: Place | undefined): string {
  return home ? `${home.platform}:${home.conversation}` : '';
}
