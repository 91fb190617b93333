import { notifiedOn } from '../../engine/named.ts';
import type { Person, Place } from '../../engine/people.ts';
import type { PostContent } from '../../engine/post.ts';
import { textFile } from '../../engine/post-file.ts';
import { md } from '../../engine/prose.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { Chat } from '../../ports/chat.ts';
import type { Commit, Store } from '../../ports/store.ts';
import { compose } from '../../render/markdown/index.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';
import type { Outbox, Sent } from '../outbox.ts';
import { namedConversation } from './named-conversation.ts';

/** A place with its name. */
interface Destination {
  readonly place: Place;
  readonly name: string;
  /** Why it goes there and not where it should, in a sentence for its reader. */
  readonly why?: string;
}

type NewPost = NonNullable<Commit['posts']>[number];
type MessageEffect = Extract<CallEffect, { kind: 'message' }>;

/** Posts a `message` step's text. The same effect never posts twice, however often it is carried out. */
export function messageHandler(deps: {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly chats: ReadonlyMap<string, Chat>;
}): CallHandler<MessageEffect> {
  const { store, outbox, chats } = deps;

  async function send(post: NewPost): Promise<Sent> {
    await store.commit({ posts: [post] });
    return outbox.send(post.key);
  }

  /**
   * Edits what an earlier round posted. Where that can't be edited (it was deleted, it is a file) it is posted anew, under
   * a key that follows from the first one, so that the next round, or another process, finds it.
   */
  async function postOrEdit(post: (key: string) => NewPost, key: string): Promise<Sent> {
    const isEarlier = ((await store.post(key))?.shown ?? 0) > 0;
    const sent = await send(post(key));
    return sent.kind === 'refused' && isEarlier ? postOrEdit(post, `${key}/anew`) : sent;
  }

  /**
   * Adds the file of a message whose text was cut: a post of its own, because the message may be edited later and no
   * platform edits a file. Another text in a later round is another file. The message stays the step's post.
   */
  async function withFile(
    words: Sent,
    { post, step, whole }: MessageEffect,
    where: Pick<NewPost, 'run' | 'target'>,
  ): Promise<Sent> {
    if (words.kind !== 'shown' || whole === undefined) return words;
    const content = wholeText(step, whole);
    const sent = await postOrEdit((key) => ({ key, ...where, content }), `${post}/file`);
    return sent.kind === 'shown' ? words : sent;
  }

  /** Where the message goes, or why it goes nowhere. Rejects when nobody can tell now. */
  async function destination(
    home: Place | undefined,
    starter: Person | undefined,
    to: string | undefined,
  ): Promise<Destination | string> {
    if (to === undefined) {
      if (!home) return 'The run lives in no conversation: name one under to:.';
      const found = await chats.get(home.platform)?.conversation(home.conversation);
      return found ? { place: home, name: found.name } : insteadOf(home, starter);
    }
    const named = await namedConversation(chats, to, home);
    if (typeof named === 'string') return named;
    const { platform, id, name } = named.found;
    return { place: { platform, conversation: id }, name };
  }

  /** What a run makes reaches whoever started it, also when its conversation is gone. */
  async function insteadOf(home: Place, starter: Person | undefined): Promise<Destination | string> {
    const { platform } = home;
    const direct =
      starter?.platform === platform ? await chats.get(platform)?.conversation(starter.id) : undefined;
    return direct
      ? { place: { platform, conversation: direct.id }, name: direct.name, why: homeIsGone }
      : 'the conversation of the run is not there any more, or Flowbot is not a member of it.';
  }

  return async (run, effect) => {
    const row = (await store.run(run))?.row;
    const where = await destination(row?.home, row?.startedBy, effect.to);
    if (typeof where === 'string') return refused(where);
    const { place: target, name, why } = where;
    const text = compose(effect.prose);
    const notify = notifiedOn(target.platform, effect.mention ?? []);
    const prose = [...(why === undefined ? [] : [md(`*${why}*\n\n`)]), md(text)];
    const content = { prose, buttons: [], notify };
    const post = (key: string) => ({ key, run, target, content });
    const words = effect.edits ? await postOrEdit(post, effect.post) : await send(post(effect.post));
    const sent = await withFile(words, effect, { run, target });
    switch (sent.kind) {
      case 'shown':
        return {
          kind: 'done',
          output: {
            text,
            json: {
              messageId: sent.message.id,
              conversationName: name,
              ...(sent.url !== undefined && { url: sent.url }),
            },
          },
        };
      case 'refused':
        return refused(sent.message);
      case 'unknown':
        return sent;
    }
  };
}

const homeIsGone = 'The conversation of this run is not there any more, so this comes to you.';

/** A post of the file with the whole of a text that was cut. */
function wholeText(step: string, whole: string): PostContent {
  return { prose: [], buttons: [], notify: [], files: [textFile(`${step}.md`, whole)] };
}

function refused(message: string): CallResult {
  return { kind: 'failed', failure: { code: 'post-refused', message, retry: 'never' } };
}
