import type { Root } from 'mdast';
import { z } from 'zod';
import type { Message, People } from '../../demo/people.ts';
import { conversationId, readConversationId } from '../../src/adapters/slack/addresses.ts';
import { parseActionId } from '../../src/commands/action-ids.ts';
import type { MessageRef, Person, Place } from '../../src/engine/people.ts';
import type { SeenMessage } from '../contracts/chat.ts';
import { createSlackStandIn, type SlackStandIn } from '../fakes/slack/index.ts';
import type { Platform } from './platform.ts';
import type { Posted } from './story.ts';

/** The conversations that the flows of these tests use. */
const channels: Readonly<Record<string, string>> = {
  general: 'C0GENERAL',
  releases: 'C0RELEASES',
  ops: 'C0OPS',
  announcements: 'C0ANNOUNCEMENTS',
};

/** A workspace of Slack with a server of its own. */
export async function createSlackPlatform(): Promise<Platform> {
  const slack = await createSlackStandIn({
    clock: { now: Date.now },
    conversationId: (team, channel) => conversationId({ team, channel }),
  });
  return {
    name: 'slack',
    env: { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl },
    people: () => peopleOf(slack),
    posts: () => postsOf(slack),
    close: () => slack.close(),
  };
}

/** People act through their hands in the stand-in; ids of messages name their conversation too. */
function peopleOf(slack: SlackStandIn): People {
  const who = (id: string): Person => (id === 'ana' ? slack.people.ana : slack.people.bo);
  return {
    async say(as, conversation, text) {
      await slack.say(who(as), placeOf(slack, conversation), text);
    },
    async press(as, message, button) {
      const id = parseActionId(button);
      await slack.click(who(as), refOf(slack, message), button);
      if (id?.kind !== 'answer' || id.form === 'none') return undefined;
      const form = await slack.form(who(as));
      return form && { ...form, submitLabel: '', fields: [] };
    },
    async send(as, conversation, form, values) {
      await slack.submit(who(as), placeOf(slack, conversation), form, values);
    },
    messages: async (conversation) => (await slack.messages(placeOf(slack, conversation))).map(asMessage),
    async thread(root) {
      const place = refOf(slack, root);
      const all = await slack.messages({ platform: place.platform, conversation: place.conversation });
      const first = all.filter(({ ref }) => ref.id === place.id);
      return [...first, ...(await slack.messages({ ...place, thread: place.id }))].map(asMessage);
    },
    async listen(onChange) {
      await slack.until(() => {
        onChange();
        return false;
      });
    },
  };
}

function asMessage({ ref, author, text, buttons, edited }: SeenMessage): Message {
  const conversation = readConversationId(ref.conversation)?.channel ?? '';
  return {
    id: `${conversation}:${ref.id}`,
    conversation: nameOf(conversation),
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

function placeOf(slack: SlackStandIn, conversation: string): Place {
  const channel = channels[conversation] ?? conversation;
  return { platform: 'slack', conversation: conversationId({ team: slack.teamId, channel }) };
}

function refOf(slack: SlackStandIn, id: string): MessageRef {
  const [channel = '', ts = ''] = id.split(':');
  return { ...placeOf(slack, channel), id: ts };
}

const page = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      reply_count: z.number().optional(),
      metadata: z.object({ event_payload: z.object({ key: z.string() }) }).optional(),
    }),
  ),
});

/** As the bot itself can read them, with their metadata. */
async function postsOf(slack: SlackStandIn): Promise<readonly Posted[]> {
  const posts: Posted[] = [];
  for (const [name, channel] of Object.entries(channels)) {
    const roots = await read(slack, 'conversations.history', { channel });
    for (const root of roots) {
      const replies = root.reply_count
        ? await read(slack, 'conversations.replies', { channel, ts: root.ts })
        : [root];
      const place = placeOf(slack, channel);
      const seen = [
        ...(await slack.messages(place)),
        ...(await slack.messages({ ...place, thread: root.ts })),
      ];
      for (const { ts, metadata } of replies) {
        const message = seen.find(({ ref }) => ref.id === ts);
        if (!metadata || !message) continue;
        const buttons = message.buttons.map(({ label }) => label);
        posts.push({
          key: metadata.event_payload.key,
          id: ts,
          conversation: name,
          text: message.text,
          buttons,
        });
      }
    }
  }
  return posts;
}

async function read(
  slack: SlackStandIn,
  method: string,
  args: Readonly<Record<string, string>>,
): Promise<z.infer<typeof page>['messages']> {
  const response = await fetch(`${slack.apiUrl}${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.botToken}` },
    body: new URLSearchParams({ ...args, include_all_metadata: 'true', limit: '200' }),
  });
  return page.parse(await response.json()).messages;
}
