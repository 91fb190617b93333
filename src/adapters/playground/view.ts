import type { Root } from 'mdast';
import type { Json } from '../../engine/json.ts';
import { parseMarkdown } from '../../render/markdown/index.ts';
import { member } from './directory.ts';
import type { IdMaker } from './ids.ts';
import type { PlaygroundPart } from './part.ts';
import type { MessageRow, PrivateRow, Tables } from './tables.ts';

/** What a message says: what a person typed, or what the bot posted. */
export type Body =
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'post'; readonly part: PlaygroundPart }
  | ({ readonly kind: 'file' } & FileView);

/** A file without its bytes. */
export interface FileView {
  readonly name: string;
  readonly mediaType: string;
  /** What a picture shows. */
  readonly alt: string;
  /** Whether it is shown as a picture. */
  readonly picture: boolean;
}

/** What the page shows of a body. The tree is mdast without positions; it never holds HTML. */
export type BodyView =
  | { readonly kind: 'typed'; readonly text: string }
  | {
      readonly kind: 'post';
      readonly tree: Json;
      readonly buttons: PlaygroundPart['buttons'];
      readonly notify: readonly string[];
    }
  | ({ readonly kind: 'file' } & FileView);

/** A message as a person sees it. */
export interface MessageView {
  readonly id: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly author: { readonly id: string; readonly name: string; readonly bot: boolean };
  readonly atMs: number;
  readonly edited: boolean;
  readonly deleted: boolean;
  /** How many messages its thread has. */
  readonly replies: number;
  /** Ids of the people it notified. */
  readonly notified: readonly string[];
  readonly body: BodyView;
}

/** Something only one person sees. */
export interface PrivateView {
  readonly id: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly atMs: number;
  readonly dismissed: boolean;
  readonly body: BodyView;
}

/** What changed for a person, in order of `version`. */
export type Change =
  | { readonly version: number; readonly kind: 'message'; readonly message: MessageView }
  | { readonly version: number; readonly kind: 'private'; readonly private: PrivateView };

/** Views of bodies that are kept. */
const maxBodies = 500;

/** The page's view of a body. */
function bodyView(body: Body): BodyView {
  if (body.kind !== 'post') return body;
  const { markdown, buttons, notify } = body.part;
  return { kind: 'post', tree: withoutPositions(parseMarkdown(markdown)), buttons, notify };
}

function withoutPositions(root: Root): Json {
  return JSON.parse(JSON.stringify(root, (key, value) => (key === 'position' ? undefined : value)));
}

/** Turns rows into what people see. */
export function createViews(tables: Tables, ids: IdMaker) {
  const threadId = (thread: number | null) => (thread === null ? null : ids.make('m', thread));
  /** By stored body: every open page is shown every change, and reading Markdown is slow. */
  const bodies = new Map<string, BodyView>();

  function body(json: string): BodyView {
    const known = bodies.get(json);
    if (known !== undefined) return known;
    const made = bodyView(JSON.parse(json));
    const [oldest] = bodies.keys();
    if (oldest !== undefined && bodies.size >= maxBodies) bodies.delete(oldest);
    bodies.set(json, made);
    return made;
  }

  function message(row: MessageRow): MessageView {
    return {
      id: ids.make('m', row.seq),
      conversation: row.conversation,
      thread: threadId(row.thread),
      author: member(row.author) ?? { id: row.author, name: row.author, bot: true },
      atMs: row.at_ms,
      edited: row.edited_ms !== null,
      deleted: row.deleted_ms !== null,
      replies: row.replies,
      notified: JSON.parse(row.notified),
      body: body(row.body),
    };
  }

  function privateMessage(row: PrivateRow): PrivateView {
    return {
      id: ids.make('p', row.seq),
      conversation: row.conversation,
      thread: threadId(row.thread),
      atMs: row.at_ms,
      dismissed: row.dismissed === 1,
      body: body(row.body),
    };
  }

  /** A change with what it changed; nothing when the row is not there. */
  function change(row: ReturnType<Tables['changes']>[number]): readonly Change[] {
    if (row.kind === 'private') {
      const found = tables.private(row.seq);
      return found ? [{ version: row.version, kind: 'private', private: privateMessage(found) }] : [];
    }
    const found = tables.message(row.seq);
    return found ? [{ version: row.version, kind: 'message', message: message(found) }] : [];
  }

  return { message, private: privateMessage, change };
}
