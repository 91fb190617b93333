import { z } from 'zod';
import type { MessageRef, Place } from '../../engine/people.ts';
import type { PostFile } from '../../engine/post.ts';
import { fileFault, isPicture } from '../../engine/post-file.ts';
import type { EditOutcome, FindOutcome, Part, PostOutcome } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createPace } from '../chat/pace.ts';
import { type ChannelRef, messageLink, messageRef, readConversationId, userIdPattern } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Directory } from './directory.ts';
import { contentMark, createFiles } from './files.ts';
import type { Identity } from './identity.ts';
import { createLookUp, isOurs, isSentWith, markerType, type ReadMessage, shownFile } from './look-up.ts';
import { fallbackText, isFilePart, readPart, type SlackPart, simplified } from './part.ts';
import { mentionBlock } from './render.ts';

/** Our messages in one workspace. */
export interface Posts {
  post(place: Place, part: Part, key: string): Promise<PostOutcome>;
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  find(place: Place, key: string, sinceMs: number): Promise<FindOutcome>;
}

/** Slack takes about one message a second in a channel, with short bursts. @see https://docs.slack.dev/apis/web-api/rate-limits */
const channelRate = { burst: 6, perMinute: 60, reserve: 2 };
/** And "several hundred" a minute in a workspace. */
const postRate = { burst: 40, perMinute: 240, reserve: 10 };
/** `chat.update` is tier 3: 50 a minute for all messages together. Ends and decisions come before progress. */
const editRate = { burst: 10, perMinute: 40, reserve: 4 };
/** Nothing says how soon a message is in the history, so a look-up that finds nothing is repeated after this time. */
const lookAgainMs = 2_000;
/** Wait after a look-up that could not be made, in milliseconds. */
const askAgainMs = 10_000;
/** Waits before the looks for a message that Slack makes of a shared file, in milliseconds. */
const shareWaitsMs = [0, 1_000, 2_000, 4_000];
/** These looks start this much before it was shared, because clocks differ. In milliseconds. */
const clockSkewMs = 60_000;
/** How long a shared file may take to be seen before people are asked, and how often it is looked for until then. */
const sharePatienceMs = 600_000;
const shareLookMs = 15_000;

const saidShape = z.object({ channel: z.string(), ts: z.string() });
type Said = z.infer<typeof saidShape>;

/** Where one message goes, with its marker. */
interface Target extends ChannelRef {
  readonly thread: string | undefined;
  readonly key: string;
}

/** Makes the part that posts, edits and looks up. */
export function createPosts(options: {
  readonly calls: Calls;
  /** Base address of the Web API, if it is not Slack's own. */
  readonly apiUrl: string | undefined;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Log;
  readonly whoAmI: () => Promise<Identity>;
}): Posts {
  const { calls, directory, clock, log, whoAmI } = options;
  const files = createFiles(options);
  const lookUp = createLookUp(calls);
  const channelPace = createPace(channelRate);
  const postPace = createPace(postRate);
  const editPace = createPace(editRate);

  async function post(place: Place, anyPart: Part, key: string): Promise<PostOutcome> {
    const at = channelOf(place.conversation);
    if (!at) return nowhere(place);
    const part = readPart(anyPart);
    const fault = isFilePart(part) ? fileFault(part.file) : undefined;
    if (fault !== undefined) return { kind: 'refused', message: fault };
    // Before anything is sent: the answer could not be understood without it.
    const { url } = await whoAmI();
    const joined = await join(at.channel);
    if (joined) return joined;
    const matters = isFilePart(part) || part.progress !== true;
    const waitMs =
      channelPace.take(at.channel, clock.now(), matters) || postPace.take('', clock.now(), matters);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const target = { ...at, thread: place.thread, key };
    const sent = isFilePart(part)
      ? await sendFile(part.file, target)
      : await orSimpler(part, (what) => say(what, target));
    switch (sent.kind) {
      case 'ok': {
        const message = messageRef({ team: at.team, channel: sent.data.channel }, sent.data.ts, place.thread);
        return { kind: 'posted', message, url: messageLink(url, at.channel, message) };
      }
      case 'later':
      case 'unknown':
        return sent;
      case 'refused':
        if (sent.refusal === 'moved' || sent.refusal === 'outside') directory.forget(at.channel);
        return { kind: 'refused', message: sent.message };
    }
  }

  async function say(
    part: SlackPart,
    { channel, thread, key }: Target,
    more: { readonly file?: string } = {},
  ): Promise<Called<Said>> {
    const said = await calls.call(
      'chat.postMessage',
      {
        channel,
        ...(thread !== undefined && { thread_ts: thread }),
        ...(await payloadOf(part)),
        metadata: { event_type: markerType, event_payload: { key, ...more } },
        unfurl_links: false,
        unfurl_media: false,
      },
      saidShape,
    );
    if (said.kind === 'later') channelPace.hold(channel, clock.now(), said.afterMs);
    return said;
  }

  /** A picture stands in a message like any other; of another file Slack makes the message, and does not tell which. */
  async function sendFile(file: PostFile, target: Target): Promise<Called<Said>> {
    if (isPicture(file)) {
      const picture = await files.picture(file);
      if (picture.kind !== 'ok') return picture;
      const blocks = [picture.data];
      return say({ text: fallbackText(blocks), blocks, notify: [] }, target, { file: contentMark(file) });
    }
    const atMs = clock.now();
    const done = await files.share(file, target.key, target);
    if (done.kind !== 'ok') return done;
    for (const waitMs of shareWaitsMs) {
      if (waitMs > 0) await calls.pause(waitMs);
      const seen = await look(target, atMs - clockSkewMs);
      if (seen.kind === 'ok' && seen.data) {
        return { kind: 'ok', data: { channel: target.channel, ts: seen.data.ts } };
      }
    }
    return { kind: 'unknown', message: `Slack has the file “${file.name}” but does not show it yet.` };
  }

  /** A post in a channel the bot has not joined could not be looked up afterwards. Undefined: it may be posted. */
  async function join(channel: string): Promise<PostOutcome | undefined> {
    // Where nobody can tell, posting says why not.
    const known = await directory.channel(channel).catch(() => undefined);
    if (!known || known.isMember || !known.isPublic || known.isArchived) return undefined;
    const joined = await calls.call('conversations.join', { channel }, z.object({}));
    directory.forget(channel);
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
    if (isFilePart(part)) return keepFile(at, message, part.file);
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

  /** A file can't be changed; the same one need not be. */
  async function keepFile(at: ChannelRef, message: MessageRef, file: PostFile): Promise<EditOutcome> {
    const me = await whoAmI();
    const window = { oldest: message.id, latest: message.id };
    const seen = await lookUp.first(at, message.thread, window, ({ ts }) => ts === message.id);
    switch (seen.kind) {
      case 'later':
      case 'unknown':
        return seen;
      case 'refused':
        return seen.refusal === 'gone' ? { kind: 'gone' } : { kind: 'refused', message: seen.message };
      case 'ok':
    }
    if (!seen.data) return { kind: 'gone' };
    if (isOurs(seen.data, me) && shownFile(seen.data) === contentMark(file)) return { kind: 'edited' };
    return { kind: 'refused', message: `A message can’t be changed into the file “${file.name}”.` };
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
    const people = await Promise.all(
      users.map(async (id) => ((await directory.isPerson(id)) ? id : undefined)),
    );
    const groups = await Promise.all(roles.map((role) => directory.group(role).catch(() => undefined)));
    const found = [people.filter(isKnown), groups.filter(isKnown)] as const;
    // Slack would refuse the whole message because of one that is not there.
    if (found.flat().length < users.length + roles.length) {
      log.warn('Somebody whom a message notifies is not known to Slack.', { notify: part.notify });
    }
    const mentions = found.flat().length === 0 ? [] : [mentionBlock(...found)];
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
    const target = { ...at, thread: place.thread, key };
    let seen = await look(target, sinceMs);
    if (seen.kind === 'ok' && !seen.data) {
      await calls.pause(lookAgainMs);
      // Cut short: nothing was found out.
      if (calls.isClosed) return { kind: 'later', afterMs: askAgainMs };
      seen = await look(target, sinceMs);
    }
    switch (seen.kind) {
      case 'later':
        return seen;
      case 'unknown':
        return { kind: 'later', afterMs: askAgainMs };
      case 'refused':
        return seen.refusal === 'gone' ? { kind: 'absent' } : { kind: 'unknowable', message: seen.message };
      case 'ok':
    }
    if (!seen.data) return absent(target, sinceMs);
    const message = messageRef(at, seen.data.ts, place.thread);
    return { kind: 'found', message, url: messageLink((await whoAmI()).url, at.channel, message) };
  }

  /** Slack shows shared files after a while, and sometimes never: what it took must not be sent again by itself. */
  async function absent({ channel, key }: Target, sinceMs: number): Promise<FindOutcome> {
    const shared = await files.sharedAt(key, (await whoAmI()).user, channel, sinceMs);
    switch (shared.kind) {
      case 'later':
        return shared;
      case 'unknown':
        return { kind: 'later', afterMs: askAgainMs };
      case 'refused':
        // Without the permission to look, what the history does not show counts as not there.
        return shared.code === 'too_many_files'
          ? { kind: 'unknowable', message: shared.message }
          : { kind: 'absent' };
      case 'ok':
    }
    if (shared.data === undefined) return { kind: 'absent' };
    if (clock.now() - shared.data < sharePatienceMs) return { kind: 'later', afterMs: shareLookMs };
    return { kind: 'unknowable', message: 'Slack took the file and does not show it.' };
  }

  async function look(target: Target, sinceMs: number): Promise<Called<ReadMessage | undefined>> {
    const me = await whoAmI();
    const window = { oldest: (sinceMs / 1_000).toFixed(6) };
    return lookUp.first(target, target.thread, window, (one) => isSentWith(one, target.key, me));
  }

  function channelOf(conversation: string): ChannelRef | undefined {
    const at = readConversationId(conversation);
    return at && { ...at, channel: directory.currentId(at.channel) };
  }

  return { post, edit, find };
}

function nowhere({ conversation }: Place): PostOutcome {
  return { kind: 'refused', message: `${conversation} is not a conversation of Slack.` };
}

function isKnown(id: string | undefined): id is string {
  return id !== undefined;
}
