import Database from 'better-sqlite3';
import type { Root } from 'mdast';
import { z } from 'zod';
import type { Message, People } from '../../demo/people.ts';
import { placeOf } from '../../src/adapters/discord/addresses.ts';
import { isMark, markOf } from '../../src/adapters/discord/mark.ts';
import { parseActionId } from '../../src/commands/action-ids.ts';
import type { MessageRef, Person, Place } from '../../src/engine/people.ts';
import type { SeenMessage } from '../contracts/chat.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../fakes/discord/index.ts';
import type { Platform } from './platform.ts';
import type { Posted } from './story.ts';

/** The conversations that the flows of these tests use. */
const channels: Readonly<Record<string, string>> = {
  general: '300000000000000001',
  releases: '300000000000000002',
  announcements: '300000000000000003',
  ops: '300000000000000004',
};

/** How long people look at "thinking…", in milliseconds: as long as Discord waits for a first answer. */
const answerMs = 3_000;

/** A Discord with a server of its own. */
export async function createDiscordPlatform(): Promise<Platform> {
  const discord = await createDiscordStandIn({ clock: { now: Date.now }, answerMs });
  return {
    name: 'discord',
    env: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    people: () => peopleOf(discord),
    posts: (db) => postsOf(discord, db),
    close: () => discord.close(),
  };
}

/** People act through their hands in the stand-in; ids of messages name their conversation too. */
function peopleOf(discord: DiscordStandIn): People {
  const who = (id: string): Person => (id === 'ana' ? discord.people.ana : discord.people.bo);
  return {
    async say(as, conversation, text) {
      await discord.say(who(as), placeNamed(conversation), text);
    },
    async press(as, message, button) {
      const id = parseActionId(button);
      await discord.click(who(as), refOf(message), button);
      if (id?.kind !== 'answer' || id.form === 'none') return undefined;
      const form = await discord.form(who(as));
      return form && { ...form, submitLabel: '', fields: [] };
    },
    async send(as, conversation, form, values) {
      await discord.submit(who(as), placeNamed(conversation), form, values);
    },
    messages: async (conversation) => (await discord.messages(placeNamed(conversation))).map(asMessage),
    async thread(root) {
      const { id, ...place } = refOf(root);
      const first = (await discord.messages(place)).filter(({ ref }) => ref.id === id);
      return [...first, ...(await discord.messages({ ...place, thread: id }))].map(asMessage);
    },
    async listen(onChange) {
      await discord.until(() => {
        onChange();
        return false;
      });
    },
  };
}

function asMessage({ ref, author, text, buttons, edited }: SeenMessage): Message {
  return {
    id: [ref.conversation, ref.thread ?? '', ref.id].join(':'),
    conversation: nameOf(ref.conversation),
    thread: ref.thread ?? null,
    author: { id: author, name: author },
    edited,
    body: author === 'bot' ? { kind: 'post', tree: paragraph(text), buttons } : { kind: 'typed', text },
  };
}

function paragraph(text: string): Root {
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: text }] }] };
}

function nameOf(channel: string): string {
  return Object.entries(channels).find(([, id]) => id === channel)?.[0] ?? channel;
}

function placeNamed(conversation: string): Place {
  return placeOf(channels[conversation] ?? conversation);
}

function refOf(message: string): MessageRef {
  const [conversation = '', thread = '', id = ''] = message.split(':');
  return { ...placeOf(conversation, thread === '' ? undefined : thread), id };
}

/** The bot's messages by their marks, which are hashes: what they stand for is known from the bot's file. */
async function postsOf(discord: DiscordStandIn, db: string): Promise<readonly Posted[]> {
  const keys = new Map(keysIn(db).map((key) => [markOf(key), key]));
  const posts: Posted[] = [];
  for (const [name, channel] of Object.entries(channels)) {
    const place = placeOf(channel);
    const roots = await discord.messages(place);
    const replies = await Promise.all(
      roots.map(({ ref: { id } }) => discord.messages({ ...place, thread: id })),
    );
    for (const { ref, author, text, buttons } of [roots, ...replies].flat()) {
      if (author !== 'bot') continue;
      const mark = marked.parse(discord.raw(ref)).components.find(({ id }) => isMark(id))?.id ?? 0;
      const key = keys.get(mark);
      if (key === undefined) throw new Error(`The bot does not know that it posted “${text}”.`);
      posts.push({ key, id: ref.id, conversation: name, text, buttons: buttons.map(({ label }) => label) });
    }
  }
  return posts;
}

const marked = z.object({ components: z.array(z.object({ id: z.number() })) });

/** The keys under which the bot meant to post. */
function keysIn(file: string): readonly string[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare<[], string>("SELECT key || '#' || position FROM posts JOIN post_parts ON post = n")
      .pluck()
      .all();
  } finally {
    db.close();
  }
}
