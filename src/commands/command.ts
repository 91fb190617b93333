import type { Json } from '../engine/json.ts';
import type { Form, PostContent } from '../engine/post.ts';
import { literal } from '../engine/prose.ts';
import type { Completion, MenuOption } from '../ports/chat.ts';
import { type Bot, type Caller, say } from './bot.ts';

/** A chat command: one record in `table.ts`, from which help, menus and completion are made. */
export interface Command {
  /** The word after `/flow`. */
  readonly name: string;
  /** What follows the word: first what is required. */
  readonly options: readonly MenuOption[];
  /** What it does, in one sentence. */
  readonly summary: string;
  /** It only shows something, so that people may also say it to the bot in a conversation. */
  readonly looksOnly?: true;
  /** Does it. @param typed what followed the word, trimmed. */
  run(bot: Bot, caller: Caller, typed: string): Promise<Reply>;
  /**
   * How what followed the word so far can go on, best first.
   * @param typed with its spaces at the end: they tell that a word is whole
   */
  complete?(bot: Bot, caller: Caller, typed: string): Promise<readonly Completion[]>;
}

/** What a command gives back to the one who typed it. */
export interface Reply {
  /** False = refused, or not understood. */
  readonly ok: boolean;
  /** Whoever asked may not do this at all. */
  readonly denied?: true;
  readonly content: PostContent;
  /** The same as data, for `--json`. */
  readonly data?: Json;
  /** A form to fill in instead. */
  readonly form?: Form;
  /** The form behind a button of the answer, filled with what was understood. */
  readonly draft?: Form;
}

/** What follows a command's word, as help shows it: `<run> [comment]`. */
export function usageOf({ options }: Pick<Command, 'options'>): string {
  return options.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/** The refusal, in one sentence, of what somebody may not do at all. */
export function deny(why: string): Reply {
  return { ...refuse(why), denied: true };
}

/** A refusal in one sentence. */
export function refuse(why: string): Reply {
  return { ok: false, content: say(literal(why)) };
}
