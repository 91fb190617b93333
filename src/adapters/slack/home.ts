import type { types } from '@slack/bolt';
import type { HomeItem, HomePage, HomeSection } from '../../engine/post.ts';
import { cutProse, literal, md, type Prose } from '../../engine/prose.ts';
import { compose, parseMarkdown } from '../../render/markdown/index.ts';
import { buttonBlocks, plainText } from './buttons.ts';
import { limits } from './limits.ts';
import { richTextBlocks } from './rich-text.ts';

/** Longest item of the page, in UTF-16 units: it is a list to look over. */
const ITEM_MAX = 1_000;

/** A page about a person as the app's Home tab. What is beyond Slack's number of blocks is counted in a last line. */
export function renderHome(page: HomePage): types.HomeView {
  const blocks: types.KnownBlock[] = [];
  let left = 0;
  for (const group of page.sections.flatMap(groupsOf)) {
    // One block is kept for the last line. Once something is left out, nothing smaller may take its place.
    const hasRoom = left === 0 && blocks.length + group.blocks.length < limits.viewBlocks;
    if (hasRoom) blocks.push(...group.blocks);
    else left += group.items;
  }
  if (left > 0) blocks.push(...wordsOf([md(`… and ${left} more`)]));
  return { type: 'home', blocks };
}

/** Blocks that stand together, and how many items they are. */
interface Group {
  readonly blocks: readonly types.KnownBlock[];
  readonly items: number;
}

function groupsOf({ title, empty, items }: HomeSection): Group[] {
  const header: types.HeaderBlock = { type: 'header', text: plainText(title, limits.header, '…') };
  const [first, ...others] = items.map(itemBlocks);
  if (first === undefined) return [{ blocks: [header, ...wordsOf([literal(empty)])], items: 0 }];
  return [{ blocks: [header, ...first], items: 1 }, ...others.map((blocks) => ({ blocks, items: 1 }))];
}

function itemBlocks({ prose, buttons }: HomeItem): types.KnownBlock[] {
  return [...wordsOf(cutProse(prose, ITEM_MAX)), ...buttonBlocks(buttons)];
}

function wordsOf(prose: Prose): types.KnownBlock[] {
  return richTextBlocks(parseMarkdown(compose(prose)));
}
