import { platformOf, withoutPlatform } from '../engine/flow/address.ts';
import type { PostContent } from '../engine/post.ts';
import { literal, type Prose, type ProsePiece } from '../engine/prose.ts';
import type { Chat } from '../ports/chat.ts';

/** A text with the people in it as a platform knows them; those of other platforms by their address. */
async function withNames(chat: Chat, prose: Prose): Promise<Prose> {
  return Promise.all(
    prose.map(async (piece): Promise<ProsePiece> => {
      if (piece.kind !== 'person') return piece;
      const platform = platformOf(piece.text);
      const isHere = platform === undefined || platform === chat.platform;
      return literal(isHere ? await chat.nameOf(withoutPlatform(piece.text)) : piece.text);
    }),
  );
}

/** The same for all that a post says. */
export async function contentWithNames(chat: Chat, content: PostContent): Promise<PostContent> {
  return { ...content, prose: await withNames(chat, content.prose) };
}
