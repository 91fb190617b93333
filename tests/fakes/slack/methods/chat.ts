import type { Block } from '../blocks.ts';
import { checkBlocks } from '../check.ts';
import { SlackError } from '../errors.ts';
import { notifiedBy } from '../mentions.ts';
import { addMessage, changedEvent, messageEvent, messageWire, removeMessage } from '../messages.ts';
import { type Args, type Method, needScopes, visibleChannel } from '../method.ts';
import { isWire } from '../wire.ts';
import {
  type Channel,
  knownIn,
  type Message,
  type Metadata,
  openDirect,
  type Workspace,
} from '../workspace.ts';

const said = ['channel', 'text', 'blocks', 'attachments', 'parse', 'link_names', 'markdown_text'];

/** Methods that post, edit and delete messages. */
export const chatMethods: Readonly<Record<string, Method>> = {
  'chat.postMessage': {
    scopes: ['chat:write'],
    args: [
      ...said,
      'thread_ts',
      'reply_broadcast',
      'metadata',
      'mrkdwn',
      'unfurl_links',
      'unfurl_media',
      'icon_emoji',
      'icon_url',
      'username',
      'as_user',
    ],
    required: ['channel'],
    run(args, workspace) {
      if (['icon_emoji', 'icon_url', 'username'].some(args.has))
        needScopes(workspace, 'chat:write.customize');
      const channel = postable(workspace, args.need('channel'));
      const threadTs = threadOf(channel, args.text('thread_ts'));
      const content = contentOf(args, workspace);
      const message = addMessage(workspace, channel, {
        ...content,
        ...ourselves(workspace),
        notified: notifiedBy(workspace, content.blocks, readingOf(args, content.text)),
        metadata: readMetadata(args),
        ...(threadTs !== undefined && { threadTs }),
        ...(threadTs !== undefined && args.flag('reply_broadcast') && { isBroadcast: true }),
      });
      void workspace.happen(messageEvent(workspace, channel, message));
      const shown = messageWire(workspace, channel, message, 'whole');
      return { channel: channel.id, ts: message.ts, message: shown };
    },
  },
  'chat.update': {
    scopes: ['chat:write'],
    args: [...said, 'ts', 'as_user', 'file_ids', 'metadata', 'reply_broadcast'],
    required: ['channel', 'ts'],
    run(args, workspace) {
      const { channel, message } = ownMessage(workspace, args, 'cant_update_message');
      if (channel.archived) throw new SlackError('is_inactive');
      if ((args.text('text') ?? '').length > 4000) throw new SlackError('msg_too_long');
      const previous = messageWire(workspace, channel, message);
      const isBlocksOnly = !args.has('text') && args.has('blocks');
      const content = contentOf(args, workspace);
      message.text = content.text;
      message.blocks = content.blocks;
      if (args.has('metadata')) message.metadata = readMetadata(args);
      if (!isBlocksOnly) message.edited = { user: workspace.botUserId, ts: workspace.nextTs() };
      void workspace.happen(changedEvent(workspace, channel, message, previous));
      const shown = messageWire(workspace, channel, message, 'whole');
      return { channel: channel.id, ts: message.ts, text: message.text, message: shown };
    },
  },
  'chat.delete': {
    scopes: ['chat:write'],
    args: ['channel', 'ts', 'as_user'],
    required: ['channel', 'ts'],
    run(args, workspace) {
      const { channel, message } = ownMessage(workspace, args, 'cant_delete_message');
      for (const event of removeMessage(workspace, channel, message)) void workspace.happen(event);
      return { channel: channel.id, ts: message.ts };
    },
  },
  'chat.postEphemeral': {
    scopes: ['chat:write'],
    args: [...said, 'user', 'thread_ts', 'icon_emoji', 'icon_url', 'username', 'as_user'],
    required: ['channel', 'user'],
    run(args, workspace) {
      const channel = visibleChannel(workspace, args.need('channel'));
      if (!channel.members.has(workspace.botUserId)) throw new SlackError('not_in_channel');
      if (channel.archived) throw new SlackError('is_archived');
      const user = args.need('user');
      if (!channel.members.has(user)) throw new SlackError('user_not_in_channel');
      const threadTs = threadOf(channel, args.text('thread_ts'));
      const { text, blocks } = contentOf(args, workspace);
      return {
        message_ts: addPrivate(workspace, user, {
          channel: channel.id,
          text,
          blocks,
          ...(threadTs !== undefined && { threadTs }),
        }),
      };
    },
  },
  'chat.getPermalink': {
    args: ['channel', 'message_ts'],
    required: ['channel', 'message_ts'],
    run(args, workspace) {
      const channel = visibleChannel(workspace, args.need('channel'));
      const message = channel.messages.get(args.need('message_ts'));
      if (message === undefined) throw new SlackError('message_not_found');
      return { channel: channel.id, permalink: permalinkOf(channel, message) };
    },
  },
};

/** Who writes when the bot does. */
export function ourselves({ botUserId, botId, appId }: Workspace): Pick<Message, 'user' | 'botId' | 'appId'> {
  return { user: botUserId, botId, appId };
}

/** Shows a message to one person; gives its ts. */
export function addPrivate(
  workspace: Workspace,
  person: string,
  message: Pick<Message, 'text' | 'blocks'> & { readonly channel: string; readonly threadTs?: string },
): string {
  const ts = workspace.nextTs();
  workspace.privates.set(person, [...(workspace.privates.get(person) ?? []), { ...message, ts }]);
  return ts;
}

/**
 * Text and blocks of a call. Throws `no_text`, `markdown_text_conflict`, `too_many_attachments`, and what blocks are
 * refused for.
 */
export function contentOf(
  args: Args,
  workspace: Workspace,
): { readonly text: string; readonly blocks: readonly Block[] } {
  const markdown = args.text('markdown_text');
  if (markdown !== undefined && (args.has('text') || args.has('blocks'))) {
    throw new SlackError('markdown_text_conflict');
  }
  if (markdown !== undefined && markdown.length > 12_000) throw new SlackError('msg_too_long');
  const given = markdown === undefined ? readBlocks(args) : [{ type: 'markdown', text: markdown }];
  const checked = given === undefined ? [] : checkBlocks(given, knownIn(workspace));
  const attachments = args.json('attachments');
  const attached = Array.isArray(attachments) ? attachments.length : 0;
  if (attached > 100) throw new SlackError('too_many_attachments');
  const text = (args.text('text') ?? '').slice(0, 40_000);
  if (text.trim() === '' && checked.length === 0 && attached === 0) throw new SlackError('no_text');
  return {
    text,
    blocks: checked.map((block) => ({ ...block, block_id: block.block_id ?? workspace.nextId('b') })),
  };
}

function readBlocks(args: Args): unknown {
  try {
    return args.json('blocks');
  } catch {
    throw new SlackError('invalid_blocks_format');
  }
}

/** How Slack reads the text of a call. */
export function readingOf(args: Args, text: string): Parameters<typeof notifiedBy>[2] {
  return {
    text,
    linkNames: args.flag('link_names'),
    parse: args.text('parse'),
    attachments: args.json('attachments'),
  };
}

function readMetadata(args: Args): Metadata | undefined {
  const read = () => {
    try {
      return args.json('metadata');
    } catch {
      throw new SlackError('invalid_metadata_format');
    }
  };
  const metadata = read();
  if (metadata === undefined || (isWire(metadata) && Object.keys(metadata).length === 0)) return undefined;
  if (!isWire(metadata)) throw new SlackError('invalid_metadata_format');
  const { event_type, event_payload, ...others } = metadata;
  const isRight = typeof event_type === 'string' && event_type !== '' && isWire(event_payload);
  if (!isRight || Object.keys(others).length > 0) throw new SlackError('invalid_metadata_format');
  if (!Object.values(event_payload).every(isPayloadValue)) throw new SlackError('invalid_metadata_schema');
  if (JSON.stringify(metadata).length > metadataMax) throw new SlackError('metadata_too_large');
  return { event_type, event_payload };
}

/** A guess: no page names the limit. */
const metadataMax = 8000;

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isPayloadValue = (value: unknown) =>
  isScalar(value) || (isWire(value) && Object.values(value).every(isScalar));

/** The conversation to post to: by id, by name when it is public, or by the id of a person. */
function postable(workspace: Workspace, wanted: string): Channel {
  const { users, channels, botUserId, scopes } = workspace;
  const person = users.get(wanted);
  if (person) {
    if (person.isBot) throw new SlackError('channel_not_found');
    return openDirect(workspace, person.id);
  }
  const name = wanted.replace(/^#/, '');
  const named = [...channels.values()].find((each) => each.kind === 'channel' && each.name === name);
  const channel = visibleChannel(workspace, named?.id ?? wanted);
  if (!channel.members.has(botUserId) && !scopes.includes('chat:write.public')) {
    throw new SlackError('not_in_channel');
  }
  if (channel.archived) throw new SlackError('is_archived');
  return channel;
}

/** The first message of a thread, which must be there and be no reply. */
export function threadOf(channel: Channel, threadTs: string | undefined): string | undefined {
  if (threadTs === undefined) return undefined;
  const root = channel.messages.get(threadTs);
  if (root === undefined || root.threadTs !== undefined) throw new SlackError('thread_not_found');
  return threadTs;
}

function ownMessage(
  workspace: Workspace,
  args: Args,
  code: string,
): { readonly channel: Channel; readonly message: Message } {
  const channel = visibleChannel(workspace, args.need('channel'));
  const message = channel.messages.get(args.need('ts'));
  if (message === undefined) throw new SlackError('message_not_found');
  if (message.botId !== workspace.botId) throw new SlackError(code);
  return { channel, message };
}

function permalinkOf(channel: Channel, { ts, threadTs }: Message): string {
  const link = `https://flowbot-test.slack.com/archives/${channel.id}/p${ts.replace('.', '')}`;
  return threadTs === undefined ? link : `${link}?thread_ts=${threadTs}&cid=${channel.id}`;
}
