import type { GivenFile } from '../../../contracts/chat-harness.ts';
import { checkBlocks } from '../check.ts';
import { SlackError } from '../errors.ts';
import { notifiedBy } from '../mentions.ts';
import { addMessage, messageEvent } from '../messages.ts';
import { type Args, type Method, visibleChannel } from '../method.ts';
import { isWire, type Wire } from '../wire.ts';
import { type Channel, knownIn, type StoredFile, type Workspace } from '../workspace.ts';
import { ourselves, threadOf } from './chat.ts';

/** Methods that upload files: ask for an address, send the bytes there, then complete. */
export const fileMethods: Readonly<Record<string, Method>> = {
  'files.getUploadURLExternal': {
    scopes: ['files:write'],
    args: ['filename', 'length', 'alt_txt', 'snippet_type'],
    required: ['filename', 'length'],
    run(args, workspace) {
      const length = args.count('length', 1, 1_000_000_000);
      const file = addFile(workspace, args.need('filename'), length, workspace.botUserId);
      file.alt = args.text('alt_txt') ?? '';
      return { upload_url: `${workspace.baseUrl()}/upload/${file.id}`, file_id: file.id };
    },
  },
  'files.completeUploadExternal': {
    scopes: ['files:write'],
    args: ['files', 'channel_id', 'channels', 'thread_ts', 'initial_comment', 'blocks'],
    required: ['files'],
    run(args, workspace) {
      const files = namedFiles(args, workspace);
      const channelId = args.text('channel_id') ?? args.text('channels');
      const channel = channelId === undefined ? undefined : sharable(workspace, channelId);
      const threadTs = channel && threadOf(channel, args.text('thread_ts'));
      const given = args.json('blocks');
      const blocks = given === undefined ? [] : checkBlocks(given, knownIn(workspace));
      for (const { file, title } of files) {
        file.readyAtMs = workspace.nowMs() + workspace.fileDelays.processingMs;
        file.title = title ?? file.name;
      }
      const share = (channel: Channel) => {
        const text = args.text('initial_comment') ?? '';
        const reading = { text, linkNames: false, parse: undefined, attachments: undefined };
        const message = addMessage(workspace, channel, {
          ...ourselves(workspace),
          subtype: 'file_share',
          text,
          blocks,
          metadata: undefined,
          notified: notifiedBy(workspace, blocks, reading),
          files: files.map(({ file }) => fileWire(workspace, file)),
          ...(threadTs !== undefined && { threadTs }),
        });
        for (const { file } of files) file.shares.push({ channel: channel.id, ts: message.ts });
        void workspace.happen(messageEvent(workspace, channel, message));
      };
      const { sharingMs } = workspace.fileDelays;
      if (channel && sharingMs === 0) share(channel);
      else if (channel) {
        const dueMs = workspace.nowMs() + sharingMs;
        workspace.toShare = [...workspace.toShare, { dueMs, share: () => share(channel) }];
      }
      return { files: files.map(({ file }) => fileWire(workspace, file)) };
    },
  },
  'files.info': {
    scopes: ['files:read'],
    args: ['file', 'cursor', 'limit', 'page', 'count'],
    required: ['file'],
    run(args, workspace) {
      const file = workspace.files.get(args.need('file'));
      if (file?.readyAtMs === undefined) throw new SlackError('file_not_found');
      const isHidden = file.sharesHiddenFor > 0;
      if (isHidden) file.sharesHiddenFor -= 1;
      return { file: { ...fileWire(workspace, file), shares: isHidden ? {} : sharesWire(workspace, file) } };
    },
  },
  'files.list': {
    scopes: ['files:read'],
    args: ['channel', 'count', 'page', 'ts_from', 'ts_to', 'types', 'user'],
    run(args, workspace) {
      const count = args.count('count', 100, 1_000);
      const from = Number(args.text('ts_from') ?? 0);
      const user = args.text('user');
      const found = [...workspace.files.values()]
        .filter((file) => file.readyAtMs !== undefined && file.createdS >= from)
        .filter((file) => user === undefined || file.user === user)
        .reverse();
      const page = args.count('page', 1, 1_000);
      const shown = found.slice((page - 1) * count, page * count);
      return {
        files: shown.map((file) => fileWire(workspace, file)),
        paging: { count, total: found.length, page, pages: Math.max(1, Math.ceil(found.length / count)) },
      };
    },
  },
};

/** Shares the files whose time has come. */
export function shareDue(workspace: Workspace): void {
  const due = workspace.toShare.filter(({ dueMs }) => dueMs <= workspace.nowMs());
  workspace.toShare = workspace.toShare.filter((each) => !due.includes(each));
  for (const { share } of due) share();
}

/** Adds a file that has no bytes yet. Its shares are not told at the first look-up. */
export function addFile(workspace: Workspace, name: string, length: number, user: string): StoredFile {
  const id = workspace.nextId('F');
  const file: StoredFile = {
    id,
    name,
    length,
    title: name,
    user,
    createdS: Math.floor(workspace.nowMs() / 1000),
    bytes: undefined,
    type: undefined,
    alt: '',
    readyAtMs: undefined,
    shares: [],
    sharesHiddenFor: 1,
  };
  workspace.files.set(id, file);
  return file;
}

/** Adds a file that a person has uploaded whole. */
export function addUpload(workspace: Workspace, { name, type, bytes }: GivenFile, user: string): StoredFile {
  const file = addFile(workspace, name, bytes.length, user);
  file.bytes = bytes;
  file.type = type;
  file.readyAtMs = workspace.nowMs() + workspace.fileDelays.processingMs;
  return file;
}

/** A file as the Web API and messages show it; without its shares. */
export function fileWire({ baseUrl, nowMs, channels }: Workspace, file: StoredFile): Wire {
  const sharedIn = (kinds: readonly string[]) =>
    file.shares.flatMap(({ channel }) =>
      kinds.includes(channels.get(channel)?.kind ?? '') ? [channel] : [],
    );
  const isReady = file.readyAtMs !== undefined && file.readyAtMs <= nowMs();
  const url = `${baseUrl()}/files/${file.id}/${encodeURIComponent(file.name)}`;
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    user: file.user,
    created: file.createdS,
    size: file.length,
    filetype: isReady ? (/\.(\w+)$/.exec(file.name)?.[1] ?? 'binary') : '',
    mimetype: isReady ? (file.type ?? typeOf(file.name)) : '',
    url_private: url,
    url_private_download: url,
    permalink: url,
    channels: sharedIn(['channel']),
    groups: sharedIn(['group', 'mpim']),
    ims: sharedIn(['im']),
    shares: {},
  };
}

function typeOf(name: string): string {
  const picture = /\.(png|jpe?g|gif)$/i.exec(name)?.[1]?.toLowerCase();
  return picture === undefined ? 'text/plain' : `image/${picture.replace('jpg', 'jpeg')}`;
}

function sharesWire({ channels }: Workspace, { shares }: StoredFile): Wire {
  const of = (isPublic: boolean) =>
    Object.fromEntries(
      shares
        .filter(({ channel }) => (channels.get(channel)?.kind === 'channel') === isPublic)
        .map(({ channel, ts }) => [channel, [{ ts }]]),
    );
  return { public: of(true), private: of(false) };
}

function namedFiles(
  args: Args,
  { files }: Workspace,
): readonly { readonly file: StoredFile; readonly title: string | undefined }[] {
  const named = args.json('files');
  if (!Array.isArray(named) || named.length === 0) throw new SlackError('invalid_arguments');
  return named.map((each: unknown) => {
    const { id, title } = isWire(each) ? each : {};
    const file = typeof id === 'string' ? files.get(id) : undefined;
    if (file === undefined) throw new SlackError('file_not_found');
    if (file.bytes === undefined) throw new SlackError('file_upload_incomplete');
    return { file, title: typeof title === 'string' ? title : undefined };
  });
}

function sharable(workspace: Workspace, id: string): Channel {
  const channel = visibleChannel(workspace, id);
  if (!channel.members.has(workspace.botUserId)) throw new SlackError('not_in_channel');
  if (channel.archived) throw new SlackError('is_archived');
  return channel;
}
