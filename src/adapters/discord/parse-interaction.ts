import { ApplicationCommandType, ComponentType, InteractionType, MessageFlags } from 'discord.js';
import { z } from 'zod';
import type { Done, Incoming } from './incoming.ts';
import { memberOf, memberShape, parseWritten, userShape } from './parse-message.ts';

/** Something that somebody did with what the bot offers; undefined = nothing of ours. */
export function parseInteraction(raw: unknown): Incoming | undefined {
  const interaction = interactionShape.safeParse(raw).data;
  if (!interaction) return undefined;
  const done = doneOf(interaction);
  if (!done) return undefined;
  const { type, data, message } = interaction;
  switch (type) {
    case InteractionType.ApplicationCommand:
      return commandOf(done, data);
    case InteractionType.ApplicationCommandAutocomplete:
      return { kind: 'autocomplete', ...done, data };
    case InteractionType.MessageComponent: {
      const pressed = pressedShape.safeParse(data).data;
      if (!pressed || !message) return undefined;
      // What is chosen from a list is a button; a list without a choice is none of ours, and told so.
      const [chosen] = pressed.component_type === ComponentType.StringSelect ? pressed.values : [];
      return { kind: 'click', ...done, button: chosen ?? pressed.custom_id, message: message.id };
    }
    case InteractionType.ModalSubmit: {
      const sent = sentShape.safeParse(data).data;
      if (!sent) return undefined;
      return {
        kind: 'submit',
        ...done,
        form: sent.custom_id,
        components: sent.components,
        resolved: sent.resolved,
        from: message ? originOf(message) : 'command',
      };
    }
    default:
      return undefined;
  }
}

const messageShape = z.object({ id: z.string(), flags: z.number().default(0).catch(0) });

const interactionShape = z.object({
  id: z.string(),
  token: z.string(),
  type: z.number(),
  guild_id: z.string().optional(),
  channel_id: z.string().optional(),
  app_permissions: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional(),
  channel: z.object({ id: z.string() }).optional(),
  user: userShape.optional(),
  member: memberShape.extend({ user: userShape }).optional(),
  message: messageShape.optional(),
  data: z.unknown().optional(),
});

const pressedShape = z.object({
  custom_id: z.string(),
  component_type: z.number(),
  values: z.array(z.string()).default([]),
});

const sentShape = z.object({
  custom_id: z.string(),
  components: z.unknown().optional(),
  resolved: z.unknown().optional(),
});

const typedShape = z.object({ type: z.number() });
const objectShape = z.looseObject({});

const usedShape = z.object({
  target_id: z.string(),
  resolved: z.object({ messages: z.record(z.string(), z.unknown()) }),
});

function doneOf(interaction: z.infer<typeof interactionShape>): Done | undefined {
  const { id, token, guild_id: guild, channel_id, channel, member, app_permissions } = interaction;
  const user = member?.user ?? interaction.user;
  const at = channel?.id ?? channel_id;
  if (!user || at === undefined) return undefined;
  const held = app_permissions === undefined || guild === undefined ? undefined : BigInt(app_permissions);
  return { id, token, by: memberOf(user, member), channel: at, guild, held };
}

function originOf({ flags }: z.infer<typeof messageShape>): 'message' | 'own' {
  return (flags & MessageFlags.Ephemeral) === 0 ? 'message' : 'own';
}

function commandOf(done: Done, data: unknown): Incoming | undefined {
  const type = typedShape.safeParse(data).data?.type;
  if (type !== ApplicationCommandType.Message) return { kind: 'command', ...done, data };
  const used = usedShape.safeParse(data).data;
  // Discord leaves the server out of a message that it sends along.
  const message = used && parseWritten(withGuild(used.resolved.messages[used.target_id], done.guild));
  return message && { kind: 'used', ...done, message };
}

function withGuild(message: unknown, guild: string | undefined): unknown {
  const known = objectShape.safeParse(message).data;
  return known && guild !== undefined ? { guild_id: guild, ...known } : message;
}
