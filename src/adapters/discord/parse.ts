import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import { z } from 'zod';
import { type Incoming, ignored } from './incoming.ts';
import { parseInteraction } from './parse-interaction.ts';
import { parseMessage } from './parse-message.ts';

/** What Discord told, in our words; what does not concern us, or is not as it should be, is `ignored`. Pure. */
export function parseIncoming({ t, d }: Pick<GatewayDispatchPayload, 't' | 'd'>): Incoming {
  switch (t) {
    case GatewayDispatchEvents.MessageCreate:
      return parseMessage(d) ?? ignored;
    case GatewayDispatchEvents.InteractionCreate:
      return parseInteraction(d) ?? ignored;
    case GatewayDispatchEvents.Ready: {
      const hello = helloShape.safeParse(d);
      return hello.success ? { kind: 'hello', guilds: hello.data.guilds.map(({ id }) => id) } : ignored;
    }
    case GatewayDispatchEvents.GuildCreate: {
      const guild = guildShape.safeParse(d);
      if (!guild.success) return ignored;
      const { id, owner_id: owner, system_channel_id: channel } = guild.data;
      return { kind: 'guild', id, owner, channel: channel ?? undefined };
    }
    default:
      return ignored;
  }
}

const helloShape = z.object({ guilds: z.array(z.object({ id: z.string() })) });
const guildShape = z.object({
  id: z.string(),
  owner_id: z.string(),
  system_channel_id: z.string().nullish(),
});
