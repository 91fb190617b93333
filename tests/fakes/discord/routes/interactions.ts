import {
  answerMessage,
  answerWithinMs,
  changeAnswer,
  channelOfInteraction,
  deferMessage,
  goingOn,
  isThinking,
} from '../answers.ts';
import { DiscordError, invalidForm, refusal } from '../errors.ts';
import { answeredMessage, removeMessage } from '../messages.ts';
import { type Call, noContent, ok, type Reply, type Route } from '../route.ts';
import { isWire, numberOf, textOf, type Wire, wiresOf } from '../wire.ts';
import type { Interaction, Message, World } from '../world.ts';
import { needContent } from './messages.ts';

/** Types of first answers. */
const callbackType = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const;

/** Answers to what people do. */
export const interactionRoutes: readonly Route[] = [
  {
    name: 'POST /interactions/:interaction/:token/callback',
    isOpen: true,
    schema: () => 'interaction callback',
    run: callback,
  },
  {
    name: 'POST /webhooks/:application/:token',
    isOpen: true,
    schema: () => 'follow-up',
    run(world, call) {
      const interaction = interactionOf(world, call);
      needContent(call);
      const { original } = interaction;
      if (original && isThinking(original)) {
        changeAnswer(world, original, call.body, call.files);
        return ok(answeredMessage(world, original));
      }
      return ok(answeredMessage(world, answerMessage(world, interaction, call.body, call.files)));
    },
  },
  {
    name: 'GET /webhooks/:application/:token/messages/:answer',
    isOpen: true,
    run: (world, call) => ok(answeredMessage(world, answerOf(world, call))),
  },
  {
    name: 'PATCH /webhooks/:application/:token/messages/:answer',
    isOpen: true,
    schema: () => 'follow-up edit',
    run(world, call) {
      const message = answerOf(world, call);
      changeAnswer(world, message, call.body, call.files);
      return ok(answeredMessage(world, message));
    },
  },
  {
    name: 'DELETE /webhooks/:application/:token/messages/:answer',
    isOpen: true,
    run(world, call) {
      removeMessage(world, answerOf(world, call));
      return noContent;
    },
  },
];

function callback(world: World, call: Call): Reply {
  const interaction = world.interactions.get(call.params.interaction ?? '');
  if (interaction === undefined || interaction.token !== call.params.token)
    throw refusal('unknownInteraction');
  if (interaction.answer) throw refusal('acknowledged');
  if (world.nowMs() - interaction.atMs > answerWithinMs) throw refusal('unknownInteraction');
  const type = numberOf(call.body.type);
  const data = isWire(call.body.data) ? call.body.data : {};
  if (!mayAnswer(interaction, type)) {
    throw invalidForm([
      {
        path: ['type'],
        code: 'INTERACTION_CALLBACK_TYPE',
        message: `${type} is no answer to a ${interaction.kind}.`,
      },
    ]);
  }
  const message = follow(world, interaction, type, data, call);
  interaction.answer = { type, data };
  interaction.original = message;
  if (call.query.get('with_response') !== 'true') return noContent;
  return ok({
    interaction: {
      id: interaction.id,
      type: numberOf(interaction.metadata.type),
      response_message_id: message?.id,
      response_message_ephemeral: message && message.onlyFor !== undefined,
      response_message_loading: message && isThinking(message),
    },
    resource: { type, ...(message && { message: answeredMessage(world, message) }) },
  });
}

/** Which first answers what a person did can have. */
function mayAnswer({ kind, source }: Interaction, type: number): boolean {
  switch (type) {
    case callbackType.message:
    case callbackType.deferredMessage:
      return kind !== 'autocomplete';
    case callbackType.deferredUpdate:
    case callbackType.update:
      return kind === 'component' || (kind === 'modal' && source !== undefined);
    case callbackType.choices:
      return kind === 'autocomplete';
    case callbackType.modal:
      return kind === 'command' || kind === 'component';
    default:
      return false;
  }
}

/** Does what an answer says; gives what is `@original` from now on. */
function follow(
  world: World,
  interaction: Interaction,
  type: number,
  data: Wire,
  { files }: Call,
): Message | undefined {
  const { source, personId } = interaction;
  switch (type) {
    case callbackType.message:
      needContent({ body: data, files });
      return answerMessage(world, interaction, data, files, answerOrigin(world, interaction));
    case callbackType.deferredMessage:
      return deferMessage(world, interaction, data);
    case callbackType.update:
      if (source === undefined || !isThere(world, source)) throw refusal('unknownMessage');
      changeAnswer(world, source, data, files);
      return source;
    case callbackType.deferredUpdate:
      return source;
    case callbackType.modal:
      world.modals.set(personId, {
        customId: textOf(data.custom_id),
        title: textOf(data.title),
        components: wiresOf(data.components),
        channelId: interaction.channelId,
        source,
      });
      return undefined;
    case callbackType.choices:
      return undefined;
    default:
      throw new DiscordError(400, 50035, 'Invalid Form Body');
  }
}

/** An answer to a component is a reply to its message, one to a command stands under it. */
function answerOrigin(world: World, { kind, source, ...rest }: Interaction) {
  if (kind === 'command') return { type: 20 };
  if (source === undefined || source.onlyFor !== undefined) return {};
  const { guildId } = channelOfInteraction(world, { kind, source, ...rest });
  return {
    type: 19,
    reference: { type: 0, message_id: source.id, channel_id: source.channelId, guild_id: guildId },
  };
}

function interactionOf(world: World, { params }: Call): Interaction {
  return goingOn(world, params.application ?? '', params.token ?? '');
}

/** `@original`, or a message that followed it. */
function answerOf(world: World, call: Call): Message {
  const interaction = interactionOf(world, call);
  const { answer = '' } = call.params;
  const found =
    answer === '@original'
      ? interaction.original
      : (world.channels.get(interaction.channelId)?.messages.get(answer) ??
        world.privates.get(interaction.personId)?.get(answer));
  const isOurs = found?.webhookId === world.appId || found === interaction.original;
  if (found === undefined || !isOurs || !isThere(world, found)) throw refusal('unknownMessage');
  return found;
}

function isThere(world: World, { id, channelId, onlyFor }: Message): boolean {
  if (onlyFor !== undefined) return world.privates.get(onlyFor)?.has(id) === true;
  return world.channels.get(channelId)?.messages.has(id) === true;
}
