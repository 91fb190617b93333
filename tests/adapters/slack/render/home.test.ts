import { describe, expect, test } from 'vitest';
import { renderHome } from '../../../../src/adapters/slack/home.ts';
import type { HomeItem, HomePage } from '../../../../src/engine/post.ts';
import { literal, md } from '../../../../src/engine/prose.ts';
import { hostile } from './hostile.ts';
import { expectView } from './slack-rules.ts';

function render(page: HomePage) {
  const view = renderHome(page);
  expectView(view);
  return view;
}

const words = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const text = (all: string, style?: object) => ({ type: 'text', text: all, ...(style ? { style } : {}) });
const header = (all: string) => ({ type: 'header', text: { type: 'plain_text', text: all, emoji: false } });

test('a page has its sections with their items and buttons', () => {
  const item: HomeItem = {
    prose: [md('**Release** '), literal('<!here>')],
    buttons: [{ id: 'run:1', label: 'Open', style: 'primary' }],
  };
  const page: HomePage = {
    sections: [
      { title: 'Waiting for you', empty: 'Nothing waits.', items: [item] },
      { title: 'Running', empty: 'Nothing *runs*.', items: [] },
    ],
  };
  expect(render(page)).toEqual({
    type: 'home',
    blocks: [
      header('Waiting for you'),
      words(text('Release', { bold: true }), text(' <!here>')),
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'run:1',
            value: 'run:1',
            text: { type: 'plain_text', text: 'Open', emoji: false },
            style: 'primary',
          },
        ],
      },
      header('Running'),
      words(text('Nothing *runs*.')),
    ],
  });
});

describe('more than Slack shows', () => {
  const items = (count: number): HomeItem[] =>
    Array.from({ length: count }, (_, index) => ({
      prose: [md(`run ${index}`)],
      buttons: [{ id: `b${index}`, label: 'Show', style: 'plain' }],
    }));

  test.each([
    [49, undefined],
    [50, '… and 1 more'],
    [200, '… and 151 more'],
  ])('%i items end with %j', (count, last) => {
    const { blocks } = render({ sections: [{ title: 'Runs', empty: '-', items: items(count) }] });
    expect(blocks.length).toBeLessThanOrEqual(100);
    if (last === undefined) expect(blocks.at(-1)?.type).toBe('actions');
    else expect(blocks.at(-1)).toEqual(words(text(last)));
  });

  test('later sections are counted, not mixed in', () => {
    const { blocks } = render({
      sections: [
        { title: 'A', empty: '-', items: items(48) },
        { title: 'B', empty: '-', items: items(5) },
        { title: 'C', empty: '-', items: [] },
      ],
    });
    expect(blocks.filter(({ type }) => type === 'header')).toEqual([header('A')]);
    expect(blocks.at(-1)).toEqual(words(text('… and 5 more')));
  });
});

test.each(hostile)('%j in a title or an item calls nobody', (token) => {
  const page = { title: token, empty: token, items: [{ prose: [md(token)], buttons: [] }] };
  render({ sections: [page, { ...page, items: [] }] });
});

test('tables, rules and headings of an item are rich text', () =>
  render({
    sections: [
      { title: ' ', empty: '', items: [{ prose: [md('# a\n\n---\n\n|b|\n|-|\n|c|')], buttons: [] }] },
    ],
  }));
