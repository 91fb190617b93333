import { MessageType } from 'discord.js';
import { z } from 'zod';
import { attachmentsOf } from './attachments.ts';
import type { Member, Typed, Written } from './incoming.ts';

/** A new message of a person; undefined = something else: of a bot or webhook, of Discord itself, or none at all. */
export function parseMessage(raw: unknown): Typed | undefined {
  const message = messageShape.safeParse(raw).data;
  if (!message || message.author.bot || message.webhook_id !== undefined) return undefined;
  if (message.type !== MessageType.Default && message.type !== MessageType.Reply) return undefined;
  return { kind: 'message', ...writtenOf(message), by: memberOf(message.author, message.member) };
}

/** A message that somebody chose, whoever wrote it. */
export function parseWritten(raw: unknown): Written | undefined {
  const message = messageShape.safeParse(raw).data;
  return message && writtenOf(message);
}

/** Somebody as Discord describes them; in servers also as a member. */
export function memberOf(
  user: z.infer<typeof userShape>,
  member: z.infer<typeof memberShape> | undefined,
): Member {
  return {
    id: user.id,
    name: member?.nick ?? user.global_name ?? user.username,
    ...(member && { roles: member.roles }),
  };
}

export const userShape = z.object({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().default(false),
});

export const memberShape = z.object({
  nick: z.string().nullish(),
  roles: z.array(z.string()).default([]),
});

const messageShape = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().optional(),
  author: userShape,
  member: memberShape.optional().catch(undefined),
  webhook_id: z.string().optional(),
  type: z.number(),
  content: z.string().default(''),
  attachments: z.array(z.unknown()).default([]),
  mentions: z
    .array(userShape.extend({ member: memberShape.optional().catch(undefined) }))
    .default([])
    .catch([]),
});

function writtenOf(message: z.infer<typeof messageShape>): Written {
  return {
    id: message.id,
    channel: message.channel_id,
    guild: message.guild_id,
    text: message.content,
    files: attachmentsOf(message.attachments),
    names: new Map(message.mentions.map((user) => [user.id, memberOf(user, user.member).name])),
  };
}
