import { SlackError } from '../errors.ts';
import { conversationWire, messageWire, repliesOf } from '../messages.ts';
import {
  type Args,
  type Method,
  needScopes,
  pageAsked,
  pageOf,
  scopeFor,
  visibleChannel,
} from '../method.ts';
import type { Wire } from '../wire.ts';
import { addChannel, type Channel, type Message, openDirect, type Workspace } from '../workspace.ts';

const window = ['channel', 'cursor', 'include_all_metadata', 'inclusive', 'latest', 'limit', 'oldest'];
const list = ['cursor', 'exclude_archived', 'limit', 'types'];

/** Methods that look at conversations. */
export const conversationMethods: Readonly<Record<string, Method>> = {
  'conversations.list': {
    args: list,
    run: (args, workspace) => listed(args, workspace, () => true),
  },
  'users.conversations': {
    args: [...list, 'user'],
    run(args, workspace) {
      const user = args.text('user') ?? workspace.botUserId;
      return listed(args, workspace, ({ members }) => members.has(user));
    },
  },
  'conversations.info': {
    args: ['channel', 'include_locale', 'include_num_members'],
    required: ['channel'],
    run(args, workspace) {
      const channel = visibleChannel(workspace, args.need('channel'));
      needScopes(workspace, scopeFor(channel.kind, 'read'));
      return { channel: conversationWire(workspace, channel) };
    },
  },
  'conversations.members': {
    args: ['channel', 'cursor', 'limit'],
    required: ['channel'],
    run(args, workspace) {
      const channel = visibleChannel(workspace, args.need('channel'));
      needScopes(workspace, scopeFor(channel.kind, 'read'));
      const { items, next } = pageOf(workspace, [...channel.members], pageAsked(args));
      return { members: items, response_metadata: { next_cursor: next } };
    },
  },
  'conversations.join': {
    scopes: ['channels:join'],
    args: ['channel'],
    required: ['channel'],
    run(args, workspace) {
      const channel = visibleChannel(workspace, args.need('channel'));
      if (channel.kind !== 'channel') throw new SlackError('method_not_supported_for_channel_type');
      if (channel.archived) throw new SlackError('is_archived');
      const wasIn = channel.members.has(workspace.botUserId);
      if (!wasIn) {
        channel.members.add(workspace.botUserId);
        void workspace.happen(memberEvent(workspace, channel, 'member_joined_channel', workspace.botUserId));
      }
      return {
        channel: conversationWire(workspace, channel),
        ...(wasIn && { warning: 'already_in_channel' }),
      };
    },
  },
  'conversations.open': {
    args: ['channel', 'prevent_creation', 'return_im', 'users'],
    run(args, workspace) {
      const known = args.text('channel');
      if (known !== undefined) return { channel: { id: visibleChannel(workspace, known).id } };
      const ids = (args.text('users') ?? '').split(',').filter((id) => id !== '');
      if (ids.length === 0) throw new SlackError('users_list_not_supplied');
      needScopes(workspace, ids.length === 1 ? 'im:write' : 'mpim:write');
      const people = ids.map((id) => workspace.users.get(id));
      if (people.includes(undefined)) throw new SlackError('user_not_found');
      if (people.some((person) => person?.isBot)) throw new SlackError('cannot_dm_bot');
      const channel = ids.length === 1 ? openDirect(workspace, ids[0] ?? '') : openGroup(workspace, ids);
      return { channel: args.flag('return_im') ? conversationWire(workspace, channel) : { id: channel.id } };
    },
  },
  'conversations.history': {
    args: window,
    required: ['channel'],
    run(args, workspace) {
      const channel = readable(args, workspace);
      const tombstones = channel.tombstones.values().filter(({ ts }) => repliesOf(channel, ts).length > 0);
      const shown = [...channel.messages.values(), ...tombstones]
        .toSorted((one, other) => microsOf(one.ts) - microsOf(other.ts))
        .filter(({ threadTs, isBroadcast }) => threadTs === undefined || isBroadcast)
        .filter(inWindow(args))
        .reverse();
      const { items, next } = pageOf(workspace, shown, pageAsked(args));
      return page(items.map(wireOf(args, workspace, channel)), next);
    },
  },
  'conversations.replies': {
    args: [...window, 'ts'],
    required: ['channel', 'ts'],
    run(args, workspace) {
      const channel = readable(args, workspace);
      const root = channel.messages.get(args.need('ts')) ?? channel.tombstones.get(args.need('ts'));
      if (root === undefined || root.threadTs !== undefined) throw new SlackError('thread_not_found');
      const replies = repliesOf(channel, root.ts).filter(inWindow(args));
      const { items, next } = pageOf(workspace, replies, pageAsked(args));
      // Slack puts the first message of the thread on every page.
      return page([root, ...items].map(wireOf(args, workspace, channel)), next);
    },
  },
};

/** What the bot is told when somebody, perhaps itself, comes into or leaves a conversation. */
export function memberEvent(
  { teamId, nextTs }: Workspace,
  channel: Channel,
  type: 'member_joined_channel' | 'member_left_channel',
  user: string,
  inviter?: string,
): Wire {
  const channelType = channel.kind === 'channel' ? 'C' : 'G';
  return {
    type,
    user,
    channel: channel.id,
    channel_type: channelType,
    team: teamId,
    inviter,
    event_ts: nextTs(),
  };
}

const kinds: Readonly<Record<string, Channel['kind']>> = {
  public_channel: 'channel',
  private_channel: 'group',
  im: 'im',
  mpim: 'mpim',
};

function listed(args: Args, workspace: Workspace, belongs: (channel: Channel) => boolean): Wire {
  const wanted = (args.text('types') ?? 'public_channel').split(',').map((type) => {
    const kind = kinds[type.trim()];
    if (kind === undefined) throw new SlackError('invalid_types');
    return kind;
  });
  needScopes(workspace, ...wanted.map((kind) => scopeFor(kind, 'read')));
  const all = [...workspace.channels.values()].filter(
    (each) =>
      wanted.includes(each.kind) &&
      (each.kind === 'channel' || each.members.has(workspace.botUserId)) &&
      belongs(each),
  );
  const withoutArchived = args.flag('exclude_archived');
  const { items, next } = pageOf(
    workspace,
    all,
    pageAsked(args),
    ({ archived }) => !(withoutArchived && archived),
  );
  return {
    channels: items.map((channel) => conversationWire(workspace, channel)),
    response_metadata: { next_cursor: next },
  };
}

function openGroup(workspace: Workspace, users: readonly string[]): Channel {
  const members = [...users, workspace.botUserId].toSorted();
  const open = [...workspace.channels.values()].find(
    (each) => each.kind === 'mpim' && [...each.members].toSorted().join() === members.join(),
  );
  const name = `mpdm-${members.join('--').toLowerCase()}-1`;
  return open ?? addChannel(workspace, { id: workspace.nextId('C0GROUP'), name, kind: 'mpim' }, members);
}

/** A conversation whose messages the bot may read. */
function readable(args: Args, workspace: Workspace): Channel {
  const channel = visibleChannel(workspace, args.need('channel'));
  needScopes(workspace, scopeFor(channel.kind, 'history'));
  if (!channel.members.has(workspace.botUserId)) throw new SlackError('not_in_channel');
  return channel;
}

/** Whether a message is in the asked window; its ends are outside unless `inclusive`. */
function inWindow(args: Args): (message: Message) => boolean {
  const bound = (name: string, fallback: number) => {
    const micros = Number(args.text(name) ?? Number.NaN) * 1_000_000;
    return Number.isNaN(micros) ? fallback : Math.round(micros);
  };
  const oldest = bound('oldest', -1);
  const latest = bound('latest', Number.POSITIVE_INFINITY);
  const inclusive = args.flag('inclusive');
  return ({ ts }) => {
    const at = microsOf(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  };
}

function microsOf(ts: string): number {
  return Number(ts.replace('.', ''));
}

function wireOf(args: Args, workspace: Workspace, channel: Channel): (message: Message) => Wire {
  const shown = args.flag('include_all_metadata') ? 'whole' : 'type';
  return (message) => messageWire(workspace, channel, message, shown);
}

function page(messages: readonly Wire[], next: string): Wire {
  return { messages, has_more: next !== '', response_metadata: { next_cursor: next } };
}
