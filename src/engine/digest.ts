import { beginning, literal, md, type Prose, type ProsePiece } from './prose.ts';
import { momentIn } from './schedule/words.ts';

/** A message of a person, as the history of a conversation shows it. */
export interface PastMessage {
  /** The platform's own id, unique in the conversation. */
  readonly id: string;
  readonly atMs: number;
  readonly author: { readonly id: string; readonly name: string };
  /** As people see it: names for ids. */
  readonly text: string;
  /** Id of the message that it answers; absent = it stands in the conversation itself. */
  readonly thread?: string;
  readonly reactions: number;
  readonly files: number;
  readonly url?: string;
  /** It is older than what was asked for, and here because it was answered meanwhile. */
  readonly isOlder?: true;
}

/** What was read of a conversation. */
export interface Past {
  /** `#support` */
  readonly name: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Oldest first. */
  readonly messages: readonly PastMessage[];
  /** There were more; these are the newest. */
  readonly isCut: boolean;
}

/** A message that was answered, and how much. */
export interface Discussed {
  readonly message: PastMessage;
  readonly answers: number;
}

/** What a conversation came to. */
export interface Digest {
  /** Messages within the time that was asked for, answers among them. */
  readonly count: number;
  /** Files that came with them. */
  readonly files: number;
  /** Who wrote, most messages first. */
  readonly authors: readonly { readonly id: string; readonly name: string; readonly messages: number }[];
  /** What was answered most, first. */
  readonly discussed: readonly Discussed[];
  /** Questions that nobody else has answered, oldest first. */
  readonly unanswered: readonly PastMessage[];
}

/** Most entries of a list of a digest. */
const LISTED_MAX = 10;

/** Looks at what people wrote. */
export function digestOf({ messages }: Past): Digest {
  const recent = messages.filter(({ isOlder }) => !isOlder);
  const byId = new Map(messages.map((message) => [message.id, message]));
  const answers = Map.groupBy(
    recent.filter(({ thread }) => thread !== undefined),
    ({ thread }) => thread,
  );
  const discussed = [...answers]
    .flatMap(([id, given]): Discussed[] => {
      const message = id === undefined ? undefined : byId.get(id);
      return message ? [{ message, answers: given.length }] : [];
    })
    .toSorted((one, other) => other.answers - one.answers || other.message.reactions - one.message.reactions);
  const authors = [...Map.groupBy(recent, ({ author }) => author.id).values()].flatMap((theirs) =>
    theirs.slice(-1).map(({ author }) => ({ ...author, messages: theirs.length })),
  );
  return {
    count: recent.length,
    files: recent.reduce((sum, { files }) => sum + files, 0),
    authors: authors.toSorted((one, other) => other.messages - one.messages),
    discussed: discussed.slice(0, LISTED_MAX),
    unanswered: recent
      .filter(
        ({ id, thread, text, author }) =>
          thread === undefined &&
          isQuestion(text) &&
          !answers.get(id)?.some((answer) => answer.author.id !== author.id),
      )
      .slice(0, LISTED_MAX),
  };
}

/**
 * A question mark of any script at the end of a word: addresses with `?` in the middle are none. Some scripts write on
 * without a space. U+037E is that of Greek, which looks like a semicolon.
 */
function isQuestion(text: string): boolean {
  return /[?؟\u037E⁇⁈‽](?=\s|$|[)"'”’»*_~|\]])|？/u.test(text);
}

/** Most characters of a message that stand for it. */
const TITLE_MAX_CHARS = 120;

/** A digest for people. @param timezone IANA name */
export function digestInWords(past: Past, digest: Digest, timezone: string): Prose {
  const { name, sinceMs, untilMs, isCut } = past;
  const { count, files, authors, discussed, unanswered } = digest;
  const period = `from ${momentIn(timezone, sinceMs)} to ${momentIn(timezone, untilMs)} (${timezone})`;
  if (count === 0) return [md('Nobody wrote in **'), literal(name), md('** '), literal(`${period}.`)];
  return [
    md('**'),
    literal(name),
    md('**: '),
    literal(
      `${isCut ? 'the newest ' : ''}${plural(count, 'message')} by ${plural(authors.length, 'person', 'people')}${files === 0 ? '' : ` with ${plural(files, 'file')}`} ${period}.`,
    ),
    ...section(
      'Most discussed',
      discussed.map(({ message, answers }) => [
        ...entry(message),
        literal(
          `: ${[plural(answers, 'answer'), ...(message.reactions > 0 ? [plural(message.reactions, 'reaction')] : [])].join(', ')}`,
        ),
      ]),
    ),
    ...section('Questions without an answer', unanswered.map(entry)),
  ];
}

function section(title: string, entries: readonly Prose[]): Prose {
  if (entries.length === 0) return [];
  return [
    md(`\n\n**${title}**\n\n`),
    ...entries.flatMap((each): ProsePiece[] => [md('- '), ...each, md('\n')]),
  ];
}

function entry({ text, author, url, files }: PastMessage): Prose {
  const line = inOrder(text).trim().replaceAll(/\s+/g, ' ');
  const start = beginning(line, TITLE_MAX_CHARS);
  const title =
    line === ''
      ? files > 0
        ? plural(files, 'file')
        : 'a message'
      : start.length < line.length
        ? `${start}…`
        : line;
  return [
    ...(url === undefined ? [literal(title)] : [md('['), literal(title), md(']('), literal(url), md(')')]),
    literal(`, by ${inOrder(author.name)}`),
  ];
}

/** Without what turns the direction of letters: a text that is cut, or hostile, would turn what follows it. */
function inOrder(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
