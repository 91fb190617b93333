import type { types } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fallbackText, readPart, type SlackPart, simplified } from '../../../../src/adapters/slack/part.ts';
import { renderPost } from '../../../../src/adapters/slack/render.ts';
import { escapeText } from '../../../../src/adapters/slack/typed.ts';
import type { Button } from '../../../../src/engine/post.ts';
import { md } from '../../../../src/engine/prose.ts';
import { anyText, documents } from '../../../render/markdown/arbitraries.ts';
import { hostile } from './hostile.ts';
import { shown } from './shown.ts';
import { expectTaken } from './slack-rules.ts';

const buttons: Button[] = [{ id: 'a', label: 'Go', style: 'primary' }];

function only(markdown: string): SlackPart {
  const [part, ...others] = renderPost({ prose: [md(markdown)], buttons, notify: ['U1AB'] });
  if (part === undefined || others.length > 0) throw new Error('Not one part.');
  return part;
}

const words = (text: string): types.KnownBlock[] => [
  { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
];

describe('a part', () => {
  test('is the same when it was kept and is read back', () => {
    const part = only('# a\n\n- b\n\n|c|\n|-|\n|d|');
    expect(readPart(JSON.parse(JSON.stringify(part)))).toEqual(part);
  });

  test.each([
    ['nothing', null],
    ['text', 'a'],
    ['without blocks', { text: 'a', notify: [] }],
    ['with blocks that are none', { text: 'a', blocks: [1], notify: [] }],
    ['that notifies numbers', { text: 'a', blocks: [], notify: [1] }],
  ])('that is %s is refused', (_, part) => expect(() => readPart(part)).toThrow());
});

describe('the text of notifications', () => {
  test('is escaped once, character by character', () =>
    expect(escapeText('<a> && &lt;')).toBe('&lt;a&gt; &amp;&amp; &amp;lt;'));

  test.each([
    ['a', 4_000],
    ['a', 4_001],
    ['&', 800],
    ['&', 801],
    ['<', 10_000],
    ['👩‍👩‍👧‍👦', 400],
    ['👩‍👩‍👧‍👦', 1_000],
  ])('of %j, %i times, is whole or shortened between visible characters', (character, count) => {
    const text = fallbackText(words(character.repeat(count)));
    const whole = escapeText(character).repeat(count);
    expect(text.length).toBeLessThanOrEqual(4_000);
    if (whole.length <= 4_000) expect(text).toBe(whole);
    else {
      const one = escapeText(character);
      expect(text).toBe(`${one.repeat((text.length - 1) / one.length)}…`);
      expect(text.length).toBeGreaterThan(3_950);
    }
  });

  test('of buttons alone is what they say', () =>
    expect(
      fallbackText([
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'a', text: { type: 'plain_text', text: '<Go>' } }],
        },
      ]),
    ).toBe('&lt;Go&gt;'));

  test('is never empty', () => expect(fallbackText([])).toBe('…'));
});

describe('the plain form of a part', () => {
  test('has the same words in sections, the same buttons, and notifies the same', () =>
    expect(simplified(only('# a\n\nb **c** [d](https://e.f)\n\n1. g\n   - h\n2. i'))).toEqual({
      text: 'a\n\nb c d (https://e.f)\n1. g\n  • h\n2. i',
      blocks: [
        {
          type: 'section',
          text: {
            type: 'plain_text',
            text: 'a\n\nb c d (https://e.f)\n1. g\n  • h\n2. i',
            emoji: false,
          },
        },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              action_id: 'a',
              value: 'a',
              text: { type: 'plain_text', text: 'Go', emoji: false },
              style: 'primary',
            },
          ],
        },
      ],
      notify: ['U1AB'],
    }));

  test.each([
    ['lines', `${'a'.repeat(99)}\n`.repeat(60)],
    ['one word', 'a'.repeat(9_000)],
    ['visible characters', '👩‍👩‍👧‍👦'.repeat(900)],
  ])('of long %s is several sections', (_, text) => {
    const plain = simplified(only(text));
    const texts = plain?.blocks.flatMap((block) =>
      block.type === 'section' ? (block.text?.text ?? '') : [],
    );
    expect(texts?.join('')).toBe(text.trimEnd());
    expect(texts?.length).toBeGreaterThan(1);
    for (const one of texts ?? []) expect(one).toMatch(text.includes('\n') ? /a\n?$/ : /^(a+|(👩‍👩‍👧‍👦)+)$/u);
  });

  test('is undefined when it does not fit in one message', () => {
    const blocks = Array.from({ length: 5 }, () => words('a'.repeat(3_000))).flat();
    expect(simplified({ text: 'a', blocks, notify: [] })).toBeUndefined();
  });

  test('of any part is taken by Slack, with nothing lost', () => {
    const text = fc.oneof(documents, anyText, fc.constantFrom(...hostile));
    fc.assert(
      fc.property(text, (markdown) => {
        for (const part of renderPost({ prose: [md(markdown)], buttons, notify: [] })) {
          const plain = simplified(part);
          if (plain === undefined) continue;
          expectTaken(plain);
          const read = (blocks: readonly types.KnownBlock[]) =>
            shown(blocks)
              .replace(/ \((?:https?:\/\/|mailto:)[^\s]*\)/g, '')
              .replace(/\[[x ]\]|[\s>|•☐☑—-]/g, '');
          expect(read(plain.blocks)).toBe(read(part.blocks));
        }
      }),
      { numRuns: 150 },
    );
  });
});
