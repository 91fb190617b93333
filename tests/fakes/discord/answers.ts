import { refusal } from './errors.ts';
import { messageFlags } from './limits.ts';
import { addMessage, editMessage, needOpenThread, type Origin, type SentFile } from './messages.ts';
import { numberOf, type Wire } from './wire.ts';
import type { Channel, Interaction, Message, World } from './world.ts';

/** How long the bot may take to answer an interaction. */
export const answerWithinMs = 3_000;
/** How long it may go on answering. */
const tokenLivesMs = 15 * 60_000;

/** An interaction by its token, for what comes after the first answer. */
export function goingOn(world: World, application: string, token: string): Interaction {
  const interaction = [...world.interactions.values()].find((each) => each.token === token);
  if (interaction === undefined || application !== world.appId) throw refusal('invalidToken');
  if (world.nowMs() - interaction.atMs > tokenLivesMs) throw refusal('invalidToken');
  if (interaction.answer === undefined) throw refusal('unknownWebhook');
  return interaction;
}

/** Writes a message of an interaction: for all, or only for who did it. */
export function answerMessage(
  world: World,
  interaction: Interaction,
  body: Wire,
  files: readonly SentFile[],
  origin: Partial<Origin> = {},
): Message {
  const channel = channelOfInteraction(world, interaction);
  const isPrivate = (numberOf(body.flags) & messageFlags.ephemeral) !== 0;
  if (!isPrivate) needOpenThread(world, channel, true);
  return addMessage(world, channel, body, files, {
    authorId: world.botId,
    webhookId: world.appId,
    interaction: interaction.metadata,
    byDefault: 'users',
    ...(isPrivate && { onlyFor: interaction.personId }),
    ...origin,
  });
}

/** The channel that an interaction comes from. */
export function channelOfInteraction(world: World, { channelId }: Interaction): Channel {
  const channel = world.channels.get(channelId);
  if (channel === undefined) throw refusal('unknownChannel');
  return channel;
}

/** Writes "thinking…", to be replaced by the first message that follows. */
export function deferMessage(world: World, interaction: Interaction, data: Wire): Message {
  const message = answerMessage(
    world,
    interaction,
    { flags: numberOf(data.flags) & messageFlags.ephemeral },
    [],
    {
      type: 20,
    },
  );
  message.flags |= messageFlags.loading;
  return message;
}

/** Whether a message only says that the bot is thinking. */
export function isThinking({ flags }: Message): boolean {
  return (flags & messageFlags.loading) !== 0;
}

/** Changes a message of an interaction. */
export function changeAnswer(world: World, message: Message, body: Wire, files: readonly SentFile[]): void {
  const wasThinking = isThinking(message);
  editMessage(world, message, body, files, 'users');
  // What replaces "thinking…" is no edit for people.
  if (wasThinking) message.editedAtMs = undefined;
}
