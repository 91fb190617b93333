import { invalidForm, refusal } from '../errors.ts';
import { addMessage, answeredMessage, tellChannel } from '../messages.ts';
import { activeThreads, channelWire } from '../payloads.ts';
import { isVoice, may } from '../permissions.ts';
import {
  type Call,
  channelOf,
  guildOf,
  limitOf,
  messageOf,
  need,
  ok,
  type Reply,
  type Route,
} from '../route.ts';
import { addThread, openThread } from '../threads.ts';
import { isWire, numberOf, textOf, textsOf, type Wire } from '../wire.ts';
import { type Channel, channelType, type World } from '../world.ts';
import { needContent } from './messages.ts';

/** Threads and forum posts. */
export const threadRoutes: readonly Route[] = [
  {
    name: 'POST /channels/:channel/messages/:message/threads',
    schema: () => 'thread from message',
    run(world, call) {
      const channel = channelOf(world, call);
      const message = messageOf(channel, call);
      if (channel.thread || channel.guildId === undefined || isVoice(channel)) {
        throw refusal('wrongChannelType');
      }
      need(world, channel, 'CREATE_PUBLIC_THREADS');
      if (world.channels.has(message.id)) throw refusal('threadExists');
      const thread = openThread(world, channel, message, {
        ...wantedThread(call.body),
        ownerId: world.botId,
      });
      return ok({ ...channelWire(world, thread), member: membership(thread.id, world.botId) }, 201);
    },
  },
  {
    name: 'POST /channels/:channel/threads',
    schema: (world, { params }) =>
      world.channels.get(params.channel ?? '')?.type === channelType.forum ? 'forum post' : 'thread',
    run(world, call) {
      const channel = channelOf(world, call);
      return channel.type === channelType.forum
        ? forumPost(world, channel, call)
        : bareThread(world, channel, call);
    },
  },
  {
    name: 'GET /channels/:channel/threads/archived/public',
    run(world, call) {
      const channel = channelOf(world, call);
      need(world, channel, 'READ_MESSAGE_HISTORY');
      const before = call.query.get('before');
      const beforeMs = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
      const archived = [...world.channels.values()]
        .filter(({ parentId, thread }) => parentId === channel.id && thread?.archived && !thread.onlyFor)
        .filter(({ thread }) => (thread?.archiveChangedAtMs ?? 0) < beforeMs)
        .sort((a, b) => (b.thread?.archiveChangedAtMs ?? 0) - (a.thread?.archiveChangedAtMs ?? 0));
      const limit = limitOf(call, 50);
      return ok({ ...listed(world, archived.slice(0, limit)), has_more: archived.length > limit });
    },
  },
  {
    name: 'GET /channels/:channel/thread-members/:user',
    run(world, call) {
      const { id, thread } = channelOf(world, call);
      const user = call.params.user ?? '';
      // Of a thread that is open to all, nobody here keeps who has joined it.
      if (!thread?.onlyFor?.has(user)) throw refusal('unknownMember');
      return ok(membership(id, user));
    },
  },
  {
    name: 'GET /guilds/:guild/threads/active',
    run: (world, call) => ok(listed(world, activeThreads(world, guildOf(world, call).id))),
  },
];

function wantedThread(body: Wire): { readonly name: string; readonly autoArchiveMin?: number } {
  const name = textOf(body.name).trim();
  if (name === '') {
    throw invalidForm([{ path: ['name'], code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }]);
  }
  const minutes = numberOf(body.auto_archive_duration);
  return { name, ...(minutes > 0 && { autoArchiveMin: minutes }) };
}

function bareThread(world: World, channel: Channel, { body }: Call): Reply {
  if (channel.type !== channelType.text && channel.type !== channelType.announcement) {
    throw refusal('wrongChannelType');
  }
  need(world, channel, 'CREATE_PUBLIC_THREADS');
  const id = world.nextId();
  const thread = addThread(world, channel, { ...wantedThread(body), id, ownerId: world.botId });
  tellChannel(world, 'THREAD_CREATE', thread, { newly_created: true });
  return ok({ ...channelWire(world, thread), member: membership(thread.id, world.botId) }, 201);
}

/** The first message of a forum post has the id of its thread. */
function forumPost(world: World, channel: Channel, { body, files }: Call): Reply {
  need(world, channel, 'SEND_MESSAGES');
  if (files.length > 0) need(world, channel, 'ATTACH_FILES');
  const message = isWire(body.message) ? body.message : {};
  needContent({ body: message, files });
  const appliedTags = textsOf(body.applied_tags);
  if (appliedTags.some((id) => !channel.tags.some((tag) => tag.id === id))) {
    throw invalidForm([{ path: ['applied_tags'], code: 'UNKNOWN_TAG', message: 'Unknown tag' }]);
  }
  if (
    channel.requiresTag &&
    appliedTags.length === 0 &&
    !may(world, channel, world.botId, 'MANAGE_THREADS')
  ) {
    throw refusal('tagRequired');
  }
  if (channel.tags.some(({ id, moderated }) => moderated && appliedTags.includes(id))) {
    need(world, channel, 'MANAGE_THREADS');
  }
  const id = world.nextId();
  const thread = addThread(world, channel, {
    ...wantedThread(body),
    id,
    ownerId: world.botId,
    appliedTags,
  });
  tellChannel(world, 'THREAD_CREATE', thread, { newly_created: true });
  const first = addMessage(world, thread, message, files, { authorId: world.botId, id });
  return ok({ ...channelWire(world, thread), message: answeredMessage(world, first) }, 201);
}

function listed(world: World, threads: readonly Channel[]): Wire {
  return {
    threads: threads.map((thread) => channelWire(world, thread)),
    members: threads.map((thread) => membership(thread.id, world.botId)),
  };
}

function membership(id: string, user: string): Wire {
  return { id, user_id: user, join_timestamp: '2026-01-01T00:00:00.000000+00:00', flags: 0 };
}
