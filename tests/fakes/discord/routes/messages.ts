import { invalidForm, refusal } from '../errors.ts';
import {
  addMessage,
  answeredMessage,
  editMessage,
  needOpenThread,
  type Origin,
  removeMessage,
} from '../messages.ts';
import { messageForBot } from '../payloads.ts';
import { may } from '../permissions.ts';
import {
  type Call,
  channelOf,
  limitOf,
  messageOf,
  need,
  noContent,
  ok,
  type Reply,
  type Route,
} from '../route.ts';
import { isWire, textOf, wiresOf } from '../wire.ts';
import { type Channel, channelType, type Message, type World } from '../world.ts';

/** Messages of channels, threads and direct conversations. */
export const messageRoutes: readonly Route[] = [
  {
    name: 'GET /channels/:channel/messages',
    run: (world, call) => ok(history(world, channelOf(world, call), call)),
  },
  { name: 'POST /channels/:channel/messages', schema: () => 'message', run: create },
  {
    name: 'GET /channels/:channel/messages/:message',
    run(world, call) {
      const channel = channelOf(world, call);
      need(world, channel, 'READ_MESSAGE_HISTORY');
      return ok(messageForBot(world, messageOf(channel, call)));
    },
  },
  {
    name: 'PATCH /channels/:channel/messages/:message',
    schema: () => 'message edit',
    run(world, call) {
      const channel = channelOf(world, call);
      const message = messageOf(channel, call);
      if (message.authorId !== world.botId) throw refusal('notOurs');
      needOpenThread(world, channel, false);
      if (call.files.length > 0) need(world, channel, 'ATTACH_FILES');
      editMessage(world, message, call.body, call.files);
      return ok(answeredMessage(world, message));
    },
  },
  {
    name: 'DELETE /channels/:channel/messages/:message',
    run(world, call) {
      const channel = channelOf(world, call);
      const message = messageOf(channel, call);
      if (message.authorId !== world.botId) need(world, channel, 'MANAGE_MESSAGES');
      needOpenThread(world, channel, false);
      removeMessage(world, message);
      return noContent;
    },
  },
  {
    name: 'POST /channels/:channel/typing',
    run(world, call) {
      needWriting(world, channelOf(world, call));
      return noContent;
    },
  },
];

/** Refuses what a message must not be: nothing at all. */
export function needContent({ body, files }: Pick<Call, 'body' | 'files'>): void {
  const isEmpty =
    textOf(body.content).trim() === '' &&
    wiresOf(body.components).length === 0 &&
    wiresOf(body.embeds).length === 0 &&
    files.length === 0;
  if (isEmpty) throw refusal('empty');
}

function create(world: World, call: Call): Reply {
  const channel = channelOf(world, call);
  if (channel.type === channelType.forum) throw refusal('forumMessage');
  if (channel.type === channelType.category) throw refusal('nonText');
  needContent(call);
  needWriting(world, channel);
  needOpenThread(world, channel, true);
  if (call.files.length > 0) need(world, channel, 'ATTACH_FILES');
  if (wiresOf(call.body.embeds).length > 0) need(world, channel, 'EMBED_LINKS');
  const person = channel.recipients.find((id) => id !== world.botId);
  if (channel.type === channelType.dm && world.users.get(person ?? '')?.refusesDms)
    throw refusal('refusesDms');
  const { nonce, enforce_nonce } = call.body;
  const hasNonce = typeof nonce === 'string' || typeof nonce === 'number';
  const echo = hasNonce ? { nonce } : {};
  if (hasNonce && enforce_nonce === true) {
    const before = world.nonces.get(String(nonce));
    if (before && world.nowMs() - before.atMs < world.nonceWindowMs) {
      const message = world.channels.get(before.channelId)?.messages.get(before.messageId);
      if (message === undefined) throw refusal('unknownMessage');
      return ok(answeredMessage(world, message, echo));
    }
  }
  const message = addMessage(world, channel, call.body, call.files, {
    authorId: world.botId,
    ...replyTo(world, channel, call),
    ...echo,
  });
  if (hasNonce) {
    const made = { messageId: message.id, channelId: channel.id, atMs: world.nowMs() };
    world.nonces.set(String(nonce), made);
  }
  return ok(answeredMessage(world, message, echo));
}

function needWriting(world: World, channel: Channel): void {
  if (channel.guildId !== undefined) {
    need(world, channel, channel.thread ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES');
  }
}

function replyTo(world: World, channel: Channel, { body }: Call): Partial<Origin> {
  const reference = body.message_reference;
  if (!isWire(reference)) return {};
  if (!may(world, channel, world.botId, 'READ_MESSAGE_HISTORY')) throw refusal('noHistory');
  const message = channel.messages.get(textOf(reference.message_id));
  if (message === undefined) {
    if (reference.fail_if_not_exists === false) return {};
    throw invalidForm([
      { path: ['message_reference'], code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', message: 'Unknown message' },
    ]);
  }
  return {
    type: 19,
    repliedUser: message.authorId,
    reference: { type: 0, message_id: message.id, channel_id: channel.id, guild_id: channel.guildId },
  };
}

/** A page of messages, newest first. Without the permission to read them there seem to be none. */
function history(world: World, channel: Channel, call: Call): readonly unknown[] {
  if (!may(world, channel, world.botId, 'READ_MESSAGE_HISTORY')) return [];
  const limit = limitOf(call, 50);
  const at = (name: string) => {
    const id = call.query.get(name);
    return id === null ? undefined : BigInt(/^\d+$/.test(id) ? id : '0');
  };
  const all = [...channel.messages.values()];
  const isBelow = (bound: bigint) => (message: Message) => BigInt(message.id) < bound;
  const isAbove = (bound: bigint) => (message: Message) => BigInt(message.id) > bound;
  const [before, after, around] = [at('before'), at('after'), at('around')];
  const page = () => {
    if (around !== undefined) {
      const half = Math.floor(limit / 2);
      const own = all.filter(({ id }) => BigInt(id) === around);
      const newer = all.filter(isAbove(around)).slice(0, limit - half - 1);
      return [...all.filter(isBelow(around)).slice(-half || all.length), ...own, ...newer].slice(-limit);
    }
    if (before !== undefined) return all.filter(isBelow(before)).slice(-limit);
    if (after !== undefined) return all.filter(isAbove(after)).slice(0, limit);
    return all.slice(-limit);
  };
  return page()
    .toReversed()
    .map((message) => messageForBot(world, message));
}
