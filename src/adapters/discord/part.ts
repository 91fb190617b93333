import {
  type APIMessageTopLevelComponent,
  type APITextDisplayComponent,
  ComponentType,
  SeparatorSpacingSize,
} from 'discord.js';
import { z } from 'zod';
import type { JsonObject } from '../../engine/json.ts';
import type { PostFile } from '../../engine/post.ts';
import { isPicture } from '../../engine/post-file.ts';
import type { Part } from '../../ports/chat.ts';
import type { Row } from './buttons.ts';

/** One Discord message as it is kept: plain JSON, complete but for what is decided when it is sent. */
export interface DiscordPart {
  /** Discord Markdown, never blank. */
  readonly text: string;
  /** What a thread that begins with it is called, the same for all messages of a post: plain text, never blank. */
  readonly title: string;
  readonly rows: Row[];
  /** Whom it notifies: ids of people, and roles as `@name` or `@id`. */
  readonly notify: string[];
  /** It only shows how far something is: it may be sent late, or never when newer content follows. */
  readonly progress?: true;
}

/** A message that shows a file. */
export interface DiscordFilePart {
  readonly file: PostFile;
}

const filePartSchema: z.ZodType<DiscordFilePart> = z.object({
  file: z.object({ name: z.string(), mediaType: z.string(), alt: z.string(), data: z.string() }),
});
const partSchema: z.ZodType<DiscordPart> = z.object({
  text: z.string(),
  title: z.string(),
  // We wrote them ourselves: only what would make us stumble is looked at.
  rows: z.array(
    z.custom<Row>(
      (row) => z.looseObject({ type: z.literal(ComponentType.ActionRow) }).safeParse(row).success,
    ),
  ),
  notify: z.array(z.string()),
  progress: z.literal(true).exactOptional(),
});

/** A part as it was rendered, read back from where it was kept. Throws when it is none. */
export function readPart(part: Part): DiscordPart | DiscordFilePart {
  const file = filePartSchema.safeParse(part);
  return file.success ? file.data : partSchema.parse(part);
}

/** Whether a part is a file; else it is words. */
export function isFilePart(part: DiscordPart | DiscordFilePart): part is DiscordFilePart {
  return 'file' in part;
}

/** What a thread that begins with this part is called. */
export function titleOf(part: DiscordPart | DiscordFilePart): string {
  return isFilePart(part) ? part.file.name : part.title;
}

/** A part as it is kept. */
export function asPart(part: DiscordPart): DiscordPart & JsonObject {
  // The types of Discord's components do not say that they are JSON.
  return JSON.parse(JSON.stringify(part));
}

/** Ids of those whom a message notifies. */
export interface Called {
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

/** The components of a message of words; its text has the mark. Who is mentioned stands in front, in a text of its own. */
export function componentsOf(
  { text, rows }: DiscordPart,
  { mark, mentions }: { readonly mark: number; readonly mentions: Called },
): APIMessageTopLevelComponent[] {
  const called = [...mentions.users.map((id) => `<@${id}>`), ...mentions.roles.map((id) => `<@&${id}>`)];
  return [
    ...(called.length > 0 ? [textDisplay(called.join(' '))] : []),
    { ...textDisplay(text), id: mark },
    ...rows,
  ];
}

/** The components of a message that shows a file, which is attached under its name; the first has the mark. */
export function fileComponents(
  file: PostFile,
  { mark, contentMark }: { readonly mark: number; readonly contentMark: number },
): APIMessageTopLevelComponent[] {
  const media = { url: `attachment://${file.name}` };
  return [
    isPicture(file)
      ? { type: ComponentType.MediaGallery, id: mark, items: [{ media, description: file.alt }] }
      : { type: ComponentType.File, id: mark, file: media },
    {
      type: ComponentType.Separator,
      id: contentMark,
      divider: false,
      spacing: SeparatorSpacingSize.Small,
    },
  ];
}

function textDisplay(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}
