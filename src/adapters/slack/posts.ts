import { z } from 'zod';
import type { MessageRef, Place } from '../../engine/people.ts';
import type { EditOutcome, FindOutcome, Part, PostOutcome } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ChannelRef, messageRef, readConversationId, userIdPattern } from './addresses.ts';
import { type Called, type Calls, wait } from './calls.ts';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import { createPace } from './pace.ts';
import { readPart, type SlackPart, simplified } from './part.ts';
import { mentionBlock } from './render.ts';

/** Our messages in one workspace. */
export interface Posts {
  post(place: Place, part: Part, key: string): Promise<PostOutcome>;
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  find(place: Place, key: string, sinceMs: number): Promise<FindOutcome>;
}

/** Slack takes about one message a second in a channel, with short bursts. @see https://docs.slack.dev/apis/web-api/rate-limits */
const channelRate = { burst: 4, perMinute: 60, reserve: 1 };
/** And "several hundred" a minute in a workspace. */
const postRate = { burst: 40, perMinute: 240, reserve: 10 };
/** `chat.update` is tier 3: 50 a minute for all messages together. Ends and decisions come before progress. */
const editRate = { burst: 10, perMinute: 40, reserve: 4 };
/** Nothing says how soon a message is in the history, so a look-up that finds nothing is repeated after this time. */
const lookAgainMs = 2_000;
/** Messages read by one look-up step, and steps at most. */
const historyPage = 200;
const historyPagesMax = 50;

const markerType = 'flowbot_post';

const historyShape = z.object({
  messages: z
    .array(
      z.object({
        ts: z.string(),
        thread_ts: z.string().optional(),
        app_id: z.string().optional(),
        bot_id: z.string().optional(),
        metadata: z
          .object({ event_type: z.string(), event_payload: z.object({ key: z.unknown() }).loose() })
          .optional()
          .catch(undefined),
      }),
    )
    .default([]),
  response_metadata: z.object({ next_cursor: z.string().default('') }).default({ next_cursor: '' }),
});

/** Makes the part that posts, edits and looks up. */
export function createPosts(options: {
  readonly calls: Calls;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
}): Posts {
  const { calls, directory, clock, whoAmI } = options;
  const channelPace = createPace(channelRate);
  const postPace = createPace(postRate);
  const editPace = createPace(editRate);

  async function post(place: Place, anyPart: Part, key: string): Promise<PostOutcome> {
    const at = channelOf(place.conversation);
    if (!at) return nowhere(place);
    const part = readPart(anyPart);
    // Before anything is sent: the answer could not be understood without it.
    const { url } = await whoAmI();
    const joined = await join(at.channel);
    if (joined) return joined;
    const matters = part.progress !== true;
    const waitMs =
      channelPace.take(at.channel, clock.now(), matters) || postPace.take('', clock.now(), matters);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const send = async (what: SlackPart) =>
      calls.call(
        'chat.postMessage',
        {
          channel: at.channel,
          ...(place.thread !== undefined && { thread_ts: place.thread }),
          ...(await payloadOf(what)),
          metadata: { event_type: markerType, event_payload: { key } },
          unfurl_links: false,
          unfurl_media: false,
        },
        z.object({ channel: z.string(), ts: z.string() }),
      );
    const sent = await orSimpler(part, send);
    switch (sent.kind) {
      case 'ok': {
        const message = messageRef({ team: at.team, channel: sent.data.channel }, sent.data.ts, place.thread);
        return { kind: 'posted', message, url: linkTo(url, at.channel, message) };
      }
      case 'later':
        channelPace.hold(at.channel, clock.now(), sent.afterMs);
        return sent;
      case 'unknown':
        return sent;
      case 'refused':
        if (sent.refusal === 'moved' || sent.refusal === 'outside') directory.changed(at.channel);
        return { kind: 'refused', message: sent.message };
    }
  }

  /** A post in a channel the bot has not joined could not be looked up afterwards. Undefined: it may be posted. */
  async function join(channel: string): Promise<PostOutcome | undefined> {
    const known = await directory.channel(channel);
    if (!known || known.isMember || !known.isPublic || known.isArchived) return undefined;
    const joined = await calls.call('conversations.join', { channel }, z.object({}));
    directory.changed(channel);
    switch (joined.kind) {
      case 'later':
        return joined;
      case 'unknown':
        // Joining twice is harmless, and nothing was posted.
        return { kind: 'later', afterMs: lookAgainMs };
      default:
        // If it may not join, posting says why.
        return undefined;
    }
  }

  async function edit(message: MessageRef, anyPart: Part): Promise<EditOutcome> {
    const at = channelOf(message.conversation);
    if (!at) return { kind: 'gone' };
    const part = readPart(anyPart);
    const waitMs = editPace.take('', clock.now(), part.progress !== true);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const send = async (what: SlackPart) =>
      calls.call(
        'chat.update',
        { channel: at.channel, ts: message.id, ...(await payloadOf(what)) },
        z.object({ ts: z.string() }),
      );
    const sent = await orSimpler(part, send);
    switch (sent.kind) {
      case 'ok':
        return { kind: 'edited' };
      case 'later':
        editPace.hold('', clock.now(), sent.afterMs);
        return sent;
      case 'unknown':
        return sent;
      case 'refused':
        if (sent.refusal === 'gone' || sent.refusal === 'moved') return { kind: 'gone' };
        return { kind: 'refused', message: sent.message };
    }
  }

  /** Slack may know a rule about blocks that we don't: then the same words go out in the plainest form. */
  async function orSimpler<T>(
    part: SlackPart,
    send: (what: SlackPart) => Promise<Called<T>>,
  ): Promise<Called<T>> {
    const sent = await send(part);
    if (sent.kind !== 'refused' || sent.refusal !== 'payload') return sent;
    const plain = simplified(part);
    return plain === undefined ? sent : send(plain);
  }

  async function payloadOf(part: SlackPart): Promise<object> {
    const users = part.notify.filter((id) => userIdPattern.test(id));
    const roles = part.notify.flatMap((id) => (id.startsWith('@') ? [id.slice(1)] : []));
    const groups = await Promise.all(roles.map((role) => directory.group(role)));
    const known = groups.filter((id) => id !== undefined);
    const mentions = users.length + known.length === 0 ? [] : [mentionBlock(users, known)];
    return {
      text: part.text,
      blocks: [...mentions, ...part.blocks],
      parse: 'none',
      link_names: false,
    };
  }

  async function find(place: Place, key: string, sinceMs: number): Promise<FindOutcome> {
    const at = channelOf(place.conversation);
    if (!at) return { kind: 'absent' };
    const first = await look(place, at, key, sinceMs);
    if (first.kind !== 'absent') return first;
    await wait(clock, lookAgainMs);
    return look(place, at, key, sinceMs);
  }

  async function look(place: Place, at: ChannelRef, key: string, sinceMs: number): Promise<FindOutcome> {
    const me = await whoAmI();
    const oldest = (sinceMs / 1_000).toFixed(6);
    const { thread } = place;
    const [method, args] =
      thread === undefined
        ? ['conversations.history', { channel: at.channel }]
        : ['conversations.replies', { channel: at.channel, ts: thread }];
    let cursor = '';
    for (let page = 0; page < historyPagesMax; page += 1) {
      const read = await calls.read(
        method,
        {
          ...args,
          oldest,
          inclusive: true,
          include_all_metadata: true,
          limit: historyPage,
          ...(cursor !== '' && { cursor }),
        },
        historyShape,
      );
      switch (read.kind) {
        case 'later':
          return read;
        case 'unknown':
          return { kind: 'later', afterMs: 10_000 };
        case 'refused':
          return read.refusal === 'gone' ? { kind: 'absent' } : { kind: 'unknowable', message: read.message };
        case 'ok':
      }
      const found = read.data.messages.find((one) => isOurs(one, key, me));
      if (found) {
        const message = messageRef(at, found.ts, thread);
        return { kind: 'found', message, url: linkTo(me.url, at.channel, message) };
      }
      cursor = read.data.response_metadata.next_cursor;
      if (cursor === '') return { kind: 'absent' };
    }
    return { kind: 'unknowable', message: 'There are too many newer messages to look through.' };
  }

  function channelOf(conversation: string): ChannelRef | undefined {
    const at = readConversationId(conversation);
    return at && { ...at, channel: directory.currentId(at.channel) };
  }

  return { post, edit, find };
}

/** Anybody may write metadata, so the author counts as well. */
function isOurs(
  { metadata, bot_id }: z.infer<typeof historyShape>['messages'][number],
  key: string,
  me: Identity,
): boolean {
  return metadata?.event_type === markerType && metadata.event_payload.key === key && bot_id === me.botId;
}

/** The address under which people open a message. */
function linkTo(workspace: string, channel: string, { id, thread }: MessageRef): string {
  const link = new URL(`archives/${channel}/p${id.replace('.', '')}`, workspace);
  if (thread !== undefined) {
    link.searchParams.set('thread_ts', thread);
    link.searchParams.set('cid', channel);
  }
  return link.href;
}

function nowhere({ conversation }: Place): PostOutcome {
  return { kind: 'refused', message: `${conversation} is not a conversation of Slack.` };
}
