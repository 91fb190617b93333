import {
  ChannelType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  PermissionFlagsBits,
} from 'discord.js';
import { z } from 'zod';
import { type Incoming, ignored } from './incoming.ts';
import { parseInteraction } from './parse-interaction.ts';
import { parseMessage } from './parse-message.ts';

/** What Discord told, in our words; what does not concern us, or is not as it should be, is `ignored`. Pure. */
export function parseIncoming({ t, d }: Pick<GatewayDispatchPayload, 't' | 'd'>): Incoming {
  switch (t) {
    case GatewayDispatchEvents.MessageCreate:
      return parseMessage(d) ?? ignored;
    case GatewayDispatchEvents.MessageDelete:
    case GatewayDispatchEvents.MessageDeleteBulk: {
      const deleted = deletedShape.safeParse(d).data;
      if (!deleted) return ignored;
      const { channel_id: channel, guild_id: guild } = deleted;
      return { kind: 'deleted', ids: 'ids' in deleted ? deleted.ids : [deleted.id], channel, guild };
    }
    case GatewayDispatchEvents.InteractionCreate:
      return parseInteraction(d) ?? ignored;
    case GatewayDispatchEvents.Ready: {
      const hello = helloShape.safeParse(d);
      return hello.success ? { kind: 'hello', guilds: hello.data.guilds.map(({ id }) => id) } : ignored;
    }
    case GatewayDispatchEvents.GuildCreate: {
      const guild = guildShape.safeParse(d);
      if (!guild.success) return ignored;
      const { id, owner_id: owner } = guild.data;
      return { kind: 'guild', id, owner, channel: greetedIn(guild.data) };
    }
    case GatewayDispatchEvents.GuildDelete: {
      const gone = goneShape.safeParse(d);
      // One that can't be reached for a while comes back.
      return gone.success && !gone.data.unavailable ? { kind: 'left', id: gone.data.id } : ignored;
    }
    default:
      return ignored;
  }
}

const whereShape = { channel_id: z.string(), guild_id: z.string().optional() };
const deletedShape = z.union([
  z.object({ id: z.string(), ...whereShape }),
  z.object({ ids: z.array(z.string()), ...whereShape }),
]);
const helloShape = z.object({ guilds: z.array(z.object({ id: z.string() })) });
const goneShape = z.object({ id: z.string(), unavailable: z.boolean().default(false) });
const guildShape = z.object({
  id: z.string(),
  owner_id: z.string(),
  system_channel_id: z.string().nullish(),
  channels: z
    .array(
      z.object({
        id: z.string(),
        type: z.number(),
        position: z.number().default(0),
        permission_overwrites: z.array(z.object({ id: z.string(), deny: z.string() })).default([]),
      }),
    )
    .default([])
    .catch([]),
});

/** The channel where the server has its own greetings; else its first one that is open to everybody. */
function greetedIn({ id, system_channel_id, channels }: z.infer<typeof guildShape>): string | undefined {
  if (system_channel_id) return system_channel_id;
  const open = channels.filter(
    ({ type, permission_overwrites: overwrites }) =>
      type === ChannelType.GuildText && !overwrites.some((one) => one.id === id && closes(one.deny)),
  );
  return open.toSorted((one, other) => one.position - other.position)[0]?.id;
}

function closes(denied: string): boolean {
  const needed = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
  return /^\d+$/.test(denied) && (BigInt(denied) & needed) !== 0n;
}
