import type { PostContent, PostFile } from '../../engine/post.ts';
import { literal } from '../../engine/prose.ts';

/** Stands where a picture of an answer can't be shown. */
export function unshown({ name, alt }: PostFile): PostContent {
  const words = alt.trim() === '' ? '' : ` What it shows: ${alt}`;
  return {
    prose: [literal(`The picture “${name}” could not be shown.${words}`)],
    buttons: [],
    notify: [],
  };
}
