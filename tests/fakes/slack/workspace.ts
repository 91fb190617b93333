import type { Block } from './blocks.ts';
import type { Known, View } from './check.ts';
import type { Wire } from './wire.ts';

/** A member of the workspace. */
export interface User {
  readonly id: string;
  /** What people type after `@`, in lower case. */
  readonly handle: string;
  readonly name: string;
  readonly email?: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  /** The workspace it comes from; of another organisation when that is not this one. */
  readonly teamId: string;
  /** What else Slack says of it. */
  readonly more?: Wire;
  deleted: boolean;
}

/** A channel, private channel (`group`), direct message or group direct message. */
export interface Channel {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  readonly createdS: number;
  readonly members: Set<string>;
  archived: boolean;
  /** By ts, oldest first. */
  readonly messages: Map<string, Message>;
  /** What stands for the first messages of threads that were deleted, by ts. */
  readonly tombstones: Map<string, Message>;
  /** First messages of threads, so that others need not be searched for replies. */
  readonly threads: Set<string>;
}

/** A message as it is stored. */
export interface Message {
  readonly ts: string;
  readonly threadTs?: string;
  /** Empty: an app wrote it without a user. */
  readonly user: string;
  /** Set when an app wrote it. */
  readonly botId?: string;
  readonly appId?: string;
  readonly subtype?: string;
  /** Also shown in the channel although it is a reply. */
  readonly isBroadcast?: boolean;
  readonly clientMsgId?: string;
  readonly files?: readonly Wire[];
  /** Whom it notified when it was posted. */
  readonly notified: readonly string[];
  /** Ids of those who reacted, by emoji. */
  readonly reactions: Map<string, readonly string[]>;
  text: string;
  blocks: readonly Block[];
  metadata: Metadata | undefined;
  edited: { readonly user: string; readonly ts: string } | undefined;
}

/** What an app attaches for itself. */
export interface Metadata {
  readonly event_type: string;
  readonly event_payload: Wire;
}

/** A message that only one person sees. */
export interface PrivateMessage {
  readonly ts: string;
  readonly channel: string;
  readonly threadTs?: string;
  text: string;
  blocks: readonly Block[];
}

/** A user group. */
export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  users: readonly string[];
  disabled: boolean;
}

/** An uploaded file. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  /** Who uploaded it. */
  readonly user: string;
  readonly createdS: number;
  bytes: Buffer | undefined;
  /** Its media type; undefined = told by its name. */
  type: string | undefined;
  title: string;
  /** What it shows, for people who can't see it. */
  alt: string;
  /** When Slack has looked at its bytes; undefined = its upload was not completed. */
  readyAtMs: number | undefined;
  /** Messages that show it, by channel. */
  readonly shares: { readonly channel: string; readonly ts: string }[];
  /** How many look-ups have not told the shares yet: sharing is asynchronous. */
  sharesHiddenFor: number;
}

/** How long Slack takes over a file: until its type is known, and until its message is there. `Infinity` = for ever. */
export interface FileDelays {
  readonly processingMs: number;
  readonly sharingMs: number;
}

/** A view that a person has open, or their Home. */
export interface OpenView {
  readonly id: string;
  hash: string;
  view: View;
  errors: Readonly<Record<string, string>>;
}

/** What a person did that lets the bot open a view. */
export interface Trigger {
  readonly person: string;
  readonly atMs: number;
  used: boolean;
}

/** Where the bot may answer what a person did. */
export interface ResponseUrl {
  readonly person: string;
  readonly channel: string;
  readonly threadTs?: string;
  /** The message whose button was pressed. */
  readonly sourceTs?: string;
  readonly atMs: number;
  uses: number;
}

/** Everything that Slack knows. */
export interface Workspace {
  readonly teamId: string;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  /** `http://127.0.0.1:port` */
  readonly baseUrl: () => string;
  readonly nowMs: () => number;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, UserGroup>;
  readonly files: Map<string, StoredFile>;
  readonly privates: Map<string, PrivateMessage[]>;
  /** Modals by person, the visible one last. */
  readonly modals: Map<string, OpenView[]>;
  readonly homes: Map<string, OpenView>;
  readonly triggers: Map<string, Trigger>;
  readonly responseUrls: Map<string, ResponseUrl>;
  /** How long Slack takes over files that are completed now, in milliseconds. */
  fileDelays: FileDelays;
  /** Files whose messages are still to come. */
  toShare: readonly { readonly dueMs: number; readonly share: () => void }[];
  /** What the bot's token may do. */
  scopes: readonly string[];
  /** Why the bot's token is refused. */
  revoked: 'token_revoked' | 'account_inactive' | undefined;
  manifest: Wire;
  /** Sizes of the first pages of every list; 0 = an empty page with a cursor. Later pages are as asked for. */
  pageSizes: readonly number[];
  /** Unique and increasing, made from the time. */
  nextTs(): string;
  /** `V` gives `V000001`. */
  nextId(prefix: string): string;
  /** Tells the bot what happened; resolves when it has taken it or failed to. */
  happen(event: Wire): Promise<void>;
}

/** Makes a workspace with people and channels. */
export function createWorkspace(
  options: Pick<Workspace, 'nowMs' | 'baseUrl' | 'happen'> & { readonly botName: string },
): Workspace {
  let lastMicros = 0;
  let made = 0;
  const workspace: Workspace = {
    teamId: 'T0TEAM',
    appId: 'A0FLOWBOT',
    botId: 'B0FLOWBOT',
    botUserId: 'U0FLOWBOT',
    baseUrl: options.baseUrl,
    nowMs: options.nowMs,
    happen: options.happen,
    users: new Map(),
    channels: new Map(),
    groups: new Map(),
    files: new Map(),
    privates: new Map(),
    modals: new Map(),
    homes: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    fileDelays: { processingMs: 0, sharingMs: 0 },
    toShare: [],
    scopes: allScopes,
    revoked: undefined,
    manifest: {},
    pageSizes: [],
    nextTs() {
      lastMicros = Math.max(options.nowMs() * 1000, lastMicros + 1);
      const digits = String(lastMicros).padStart(7, '0');
      return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
    },
    nextId(prefix) {
      made += 1;
      return `${prefix}${String(made).padStart(6, '0')}`;
    },
  };
  const user = (id: string, name: string, more: Partial<User> = {}) =>
    workspace.users.set(id, {
      id,
      name,
      handle: name.toLowerCase(),
      email: `${name.toLowerCase()}@example.com`,
      isBot: false,
      isGuest: false,
      teamId: workspace.teamId,
      deleted: false,
      ...more,
    });
  user('U0ANA', 'Ana');
  user('U0BO', 'Bo');
  user('U0CY', 'Cy');
  user('U0DEE', 'Dee', { deleted: true });
  user('U0GUEST', 'Gus', { isGuest: true });
  user('U0FAY', 'Fay', { teamId: 'T0OTHER' });
  const teams = ['T0SISTER', workspace.teamId];
  user('W0GRID', 'Gro', {
    teamId: 'T0SISTER',
    more: { enterprise_user: { id: 'W0GRID', enterprise_id: 'E0GRID', teams } },
  });
  user('W0SISTER', 'Sis', {
    teamId: 'T0SISTER',
    more: { enterprise_user: { id: 'W0SISTER', enterprise_id: 'E0GRID', teams: ['T0SISTER'] } },
  });
  user('U0SINGLE', 'Sid', { more: { is_ultra_restricted: true } });
  user('U0STRANGER', 'Stu', { more: { is_stranger: true } });
  user('U0WORKFLOW', 'workflow', { more: { is_workflow_bot: true } });
  user('USLACKBOT', 'slackbot');
  user(workspace.botUserId, options.botName, { isBot: true });
  user('U0OTHERBOT', 'otherbot', { isBot: true });
  for (const name of ['general', 'releases', 'announcements', 'ops']) {
    addChannel(workspace, { id: `C0${name.toUpperCase()}`, name, kind: 'channel' }, [
      'U0ANA',
      'U0BO',
      'U0CY',
      'U0GUEST',
      'U0FAY',
      'W0GRID',
      workspace.botUserId,
    ]);
  }
  return workspace;
}

/** Adds a conversation. */
export function addChannel(
  workspace: Workspace,
  channel: Pick<Channel, 'id' | 'name' | 'kind'>,
  members: readonly string[],
): Channel {
  const made: Channel = {
    ...channel,
    createdS: Math.floor(workspace.nowMs() / 1000),
    members: new Set(members),
    archived: false,
    messages: new Map(),
    tombstones: new Map(),
    threads: new Set(),
  };
  workspace.channels.set(made.id, made);
  return made;
}

/** The direct messages of the bot and a person, opened when they aren't yet. */
export function openDirect(workspace: Workspace, userId: string): Channel {
  const id = `D0${userId}`;
  const members = [userId, workspace.botUserId];
  return workspace.channels.get(id) ?? addChannel(workspace, { id, name: '', kind: 'im' }, members);
}

/** What blocks may name in a workspace. */
export function knownIn({ users, groups, channels, files, nowMs }: Workspace): Known {
  return {
    user: (id) => users.has(id),
    group: (id) => groups.has(id),
    channel: (id) => channels.has(id),
    picture: (id) => {
      const file = files.get(id);
      const isReady = file?.readyAtMs !== undefined && file.readyAtMs <= nowMs();
      return isReady && /\.(png|jpe?g|gif)$/i.test(file.name);
    },
  };
}

/** What the bot's token may do when it is installed as its manifest says. */
const allScopes: readonly string[] = [
  'app_mentions:read',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'chat:write.public',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'mpim:write',
  'team:read',
  'usergroups:read',
  'users:read',
  'users:read.email',
];
