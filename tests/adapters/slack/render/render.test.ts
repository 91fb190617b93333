import type { types } from '@slack/bolt';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { simplified } from '../../../../src/adapters/slack/part.ts';
import { mentionBlock, renderPost } from '../../../../src/adapters/slack/render.ts';
import type { Button, PostContent } from '../../../../src/engine/post.ts';
import { literal, md, type Prose, type ProsePiece, time, value } from '../../../../src/engine/prose.ts';
import { compose, parseMarkdown, plainText } from '../../../../src/render/markdown/index.ts';
import { anyText, documents } from '../../../render/markdown/arbitraries.ts';
import { hostile } from './hostile.ts';
import { shown } from './shown.ts';
import { expectTaken } from './slack-rules.ts';

function render(prose: Prose, more: Partial<PostContent> = {}) {
  const parts = renderPost({ prose, buttons: [], notify: [], ...more });
  for (const part of parts) expectTaken(part);
  return parts;
}

function wordsOf(prose: Prose): string {
  return render(prose)
    .map(({ blocks }) => shown(blocks))
    .join('\n');
}

function onlyElement(prose: Prose): types.RichTextBlockElement {
  const [part, ...others] = render(prose);
  const [block] = part?.blocks ?? [];
  expect(others).toEqual([]);
  if (block?.type !== 'rich_text' || block.elements[0] === undefined) throw new Error('No rich text.');
  return block.elements[0];
}

describe('C01 control tokens of Slack', () => {
  const typed = 'if a < b && b > c then <!channel> and <@U0ANA>';

  test('are shown as they were typed and notify nobody', () => {
    const [part] = render([md('Got: '), value(typed)]);
    expect(part?.blocks).toEqual([
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: `Got: ${typed}` }] }],
      },
    ]);
    expect(part?.notify).toEqual([]);
  });

  test('are escaped once in the text of notifications', () =>
    expect(render([value(typed)])[0]?.text).toBe(
      'if a &lt; b &amp;&amp; b &gt; c then &lt;!channel&gt; and &lt;@U0ANA&gt;',
    ));

  test('stand in headings and button labels as they are', () => {
    const buttons: Button[] = [{ id: 'x', label: '<!here> & go', style: 'plain' }];
    const [part] = render([md('# '), literal('<!here> & go')], { buttons });
    expect(JSON.stringify(part?.blocks).match(/<!here> & go/g)).toHaveLength(2);
  });
});

describe('times', () => {
  const at = time(1_796_032_800_999);
  const date = {
    type: 'date',
    timestamp: 1_796_032_800,
    format: '{date_short_pretty} {time}',
    fallback: '2026-11-30 10:00 UTC',
  };

  test('are shown in the time zone of the reader, and in UTC in notifications and in plainer blocks', () => {
    const [part] = renderPost({ prose: [md('Until **'), at, md('**.')], buttons: [], notify: [] });
    expect(part?.blocks).toEqual([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Until ' },
              { ...date, style: { bold: true } },
              { type: 'text', text: '.' },
            ],
          },
        ],
      },
    ]);
    expect(part?.text).toBe('Until 2026-11-30 10:00 UTC.');
    expect(part && simplified(part)?.blocks).toMatchObject([
      { text: { text: 'Until 2026-11-30 10:00 UTC.' } },
    ]);
  });

  test('are words in code and in labels, and in tables that are too large for Slack', () => {
    expect(wordsOf([md('`'), at, md('`')])).toBe('2026-11-30 10:00 UTC');
    expect(wordsOf([md('['), at, md('](https://a.b)')])).toBe('2026-11-30 10:00 UTC (https://a.b)');
    const wide = `|${' a |'.repeat(21)}`;
    const rule = `|${'-|'.repeat(21)}`;
    expect(wordsOf([md(`${wide}\n${rule}\n| `), at, md(' |')])).toContain('2026-11-30 10:00 UTC');
  });
});

test('C04 handles in links, mail addresses and code stay what they are', () => {
  const text =
    'see https://example.com/@ana/post?user=@bo, mail ana@example.com, run `npm i @acme/db`, already <@U0ANA>\n\n```\n@here\n@ana\n```';
  const [part] = render([value(text)]);
  const link = (url: string) => ({ type: 'link', url });
  expect(part?.blocks).toEqual([
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'see ' },
            link('https://example.com/@ana/post?user=@bo'),
            { type: 'text', text: ', mail ' },
            { ...link('mailto:ana@example.com'), text: 'ana@example.com' },
            { type: 'text', text: ', run ' },
            { type: 'text', text: 'npm i @acme/db', style: { code: true } },
            { type: 'text', text: ', already <@U0ANA>\n' },
          ],
        },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: '@here\n@ana' }] },
      ],
    },
  ]);
});

test('C05 a link keeps both parameters, and its label is the literal text', () => {
  const label = value('Q1 <live> & co');
  expect(onlyElement([md('['), label, md('](https://example.com/r?a=1&b=2#x)')])).toEqual({
    type: 'rich_text_section',
    elements: [{ type: 'link', url: 'https://example.com/r?a=1&b=2#x', text: 'Q1 <live> & co' }],
  });
});

test('C05 a label cannot hide another target', () =>
  expect(wordsOf([md('['), value('https://bank.example'), md('](https://evil.example/)')])).toBe(
    'https://bank.example (https://evil.example/)',
  ));

describe('C07 a code block over the limit of a message', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}: ${'x'.repeat(50)}`);
  const parts = render([
    md(`Here is the code.\nIt is long:\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nThat is all.`),
  ]);
  const elements = parts.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'rich_text' ? block.elements : [])),
  );

  test('is a code block in each message, and nothing of it is lost', () => {
    expect(parts.length).toBeGreaterThan(1);
    const code = elements.filter(({ type }) => type === 'rich_text_preformatted');
    expect(code).toHaveLength(parts.length);
    const text = code.map((one) => shown([{ type: 'rich_text', elements: [one] }])).join('\n');
    expect(text).toBe(lines.join('\n'));
  });

  test('the words around it are around it', () => {
    expect(elements[0]?.type).toBe('rich_text_section');
    expect(elements.at(-1)?.type).toBe('rich_text_section');
  });

  test('no fence and no language are shown', () => expect(JSON.stringify(parts)).not.toMatch(/```|"py/));
});

test('a table over several messages has each row once and its head in each', () => {
  const rows = Array.from({ length: 600 }, (_, index) => `row ${index}`);
  const parts = render([
    md(`|name|n|\n|-|-|\n${rows.map((row) => `|${row}|${'x'.repeat(20)}|`).join('\n')}`),
  ]);
  const lines = parts.map(({ blocks }) =>
    shown(blocks)
      .split('\n')
      .filter((line) => !/^[-|]+$/.test(line)),
  );
  expect(lines.length).toBeGreaterThan(1);
  for (const [head] of lines) expect(head).toMatch(/^name *\| *n$/);
  const shownRows = lines.flatMap(([, ...body]) => body.map((line) => line.split('|')[0]?.trim()));
  expect(shownRows).toEqual(rows);
});

/** What a reader could miss: words without white space and without the marks that platforms draw differently. */
function squeezed(text: string, urls: readonly string[]): string {
  // A label of several styles is several links with one address.
  const labels = urls.reduce((rest, url) => rest.replaceAll(` (${url})`, ''), text);
  return labels.replace(/[\s>|—-]/g, '');
}

function urlsOf(node: Nodes): string[] {
  const inside = 'children' in node ? node.children.flatMap(urlsOf) : [];
  return node.type === 'link' ? [node.url, ...inside] : inside;
}

function checkComplete(
  prose: Prose,
  numbers: 'numbers count' | 'numbers may differ' = 'numbers count',
): void {
  const markdown = compose(prose);
  const urls = urlsOf(parseMarkdown(markdown));
  const look = (text: string) =>
    squeezed(numbers === 'numbers count' ? text : text.replace(/\d+\.(?=\s|$)/g, ''), urls);
  const expected = look(plainText(markdown));
  const read = look(wordsOf(prose));
  // Marks without words, such as a lone bullet, are shown as they are.
  expect(read === '(empty)' && expected === '' ? '' : read).toBe(expected);
}

const tokens = fc.constantFrom(...hostile);
const smallTables = fc
  .tuple(
    tokens.filter((token) => !/[|\n]/.test(token)),
    fc.constantFrom('a', '*b*', ''),
  )
  .map(([token, word]) => `|${token}|x|\n|-|:-:|\n|${word}|${token}|`);
const tasks = tokens.map((token) => `- [x] ${token}\n- [ ] a`);
const anything = fc.oneof(
  { weight: 3, arbitrary: documents },
  { weight: 2, arbitrary: fc.array(tokens, { maxLength: 30 }).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: smallTables },
  { weight: 1, arbitrary: tasks },
);
const pieces: fc.Arbitrary<ProsePiece> = fc
  .tuple(fc.constantFrom(md, value, literal), fc.oneof(anything, anyText))
  .map(([piece, text]) => piece(text));

describe('whatever is said comes out whole, in order, within the limits, and calls nobody', () => {
  test('traps 12 and 13: tokens of Slack in every syntax', () => {
    for (const token of hostile) {
      for (const place of [
        '%',
        '# %',
        '- %',
        '> %',
        '**%**',
        '[%](https://x.y)',
        '| % | b |\n|---|---|\n| % | c |',
      ]) {
        const [before = '', ...after] = place.split('%');
        checkComplete(after.flatMap((text) => [literal(token), md(text)]).toSpliced(0, 0, md(before)));
        if (!/[\n|]/.test(token)) checkComplete([md(place.replaceAll('%', token))]);
      }
    }
  });

  test('trap 13: quotes, lists and code keep their meaning beside characters that are escaped', () =>
    expect(render([md('> a < b && `x > y`\n\n- <b>')])[0]?.blocks).toEqual([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_quote',
            elements: [
              { type: 'text', text: 'a < b && ' },
              { type: 'text', text: 'x > y', style: { code: true } },
            ],
          },
          { type: 'rich_text_section', elements: [{ type: 'text', text: '\n' }] },
          {
            type: 'rich_text_list',
            style: 'bullet',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '<b>' }] }],
          },
        ],
      },
    ]));

  test('short posts of any pieces', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 4 }), (prose) => {
        const [first, ...others] = render(prose);
        // Text of several messages can be cut inside of what had to stay whole.
        if (others.length === 0 && first !== undefined) checkComplete(prose);
      }),
      { numRuns: 150 },
    );
  });

  // Where a text is cut, two lists that stood in each other can become one, which numbers on.
  test('trap 14: texts of up to 60,000 characters', () => {
    const long = fc
      .tuple(fc.array(anything, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1_000, max: 60_000 }))
      .map(([all, length]) => {
        const once = `${all.join('\n\n')}\n\n`;
        return once.repeat(Math.max(1, Math.floor(length / once.length))).slice(0, 60_000);
      })
      // A text of very many bars is read differently as a whole than in parts: as a whole it has no tables.
      .filter((text) => text.split('|').length <= 2_000);
    fc.assert(
      fc.property(long, (text) => checkComplete([md(text)], 'numbers may differ')),
      { numRuns: 6, endOnFailure: true },
    );
  });
});

describe('buttons', () => {
  const button = (id: string, style: Button['style'] = 'plain', label = id): Button => ({ id, label, style });
  const actionsOf = (blocks: readonly types.KnownBlock[]) => blocks.filter(({ type }) => type === 'actions');

  test('stand under the last message', () => {
    const parts = render([md(`${'word '.repeat(2_000)}\n\n`.repeat(3))], {
      buttons: [button('a'), button('b')],
    });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ blocks }) => actionsOf(blocks).length)).toEqual([...parts.slice(1).map(() => 0), 1]);
    expect(parts.at(-1)?.blocks.at(-1)?.type).toBe('actions');
  });

  test('have their id as action and value, and one of them is primary', () =>
    expect(
      render([md('x')], {
        buttons: [button('a', 'primary'), button('b', 'danger'), button('c', 'primary')],
      })[0]?.blocks[1],
    ).toEqual({
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'a', value: 'a', text: plain('a'), style: 'primary' },
        { type: 'button', action_id: 'b', value: 'b', text: plain('b'), style: 'danger' },
        { type: 'button', action_id: 'c', value: 'c', text: plain('c') },
      ],
    }));

  test('have labels shortened between visible characters', () => {
    const [part] = render([md('x')], {
      buttons: [button('a', 'plain', '👩‍👩‍👧‍👦'.repeat(20)), button('b', 'plain', ' ')],
    });
    expect(JSON.stringify(part?.blocks[1])).toContain(`"${'👩‍👩‍👧‍👦'.repeat(6)}…"`);
  });

  test.each([25, 26, 60])('%i long ones are all there, once and in order', (count) => {
    const ids = Array.from({ length: count }, (_, index) => `${'"'.repeat(90)}${index}`);
    const parts = render([md('word '.repeat(3_000))], {
      buttons: ids.map((id) => button(id, 'plain', 'x'.repeat(80))),
    });
    const given = parts.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'actions' ? block.elements : [])),
    );
    expect(given.map(({ action_id }) => action_id)).toEqual(ids);
  });

  function plain(text: string) {
    return { type: 'plain_text', text, emoji: false };
  }
});

describe('whom a post notifies', () => {
  test('is said with the first message, and only ids and names of groups count', () => {
    const notify = [
      'U0ANA',
      'W123',
      'U0ANA',
      '@maintainers',
      '@S0GROUP',
      'here',
      '!here',
      '<@U1>',
      '@',
      'bob',
      'U0<!here>',
    ];
    const parts = render([md('word '.repeat(4_000))], { notify });
    expect(parts[0]?.notify).toEqual(['U0ANA', 'W123', '@maintainers', '@S0GROUP']);
    for (const part of parts.slice(1)) expect(part.notify).toEqual([]);
  });

  test('has room in the message for 50 of them', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `U${String(index).padStart(12, '0')}`);
    const [part] = render([md('word '.repeat(4_000))], { notify: ids });
    expect(part?.notify).toHaveLength(50);
    const blocks = [mentionBlock([], part?.notify ?? []), ...(part?.blocks ?? [])];
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(12_000);
    expect(blocks.length).toBeLessThanOrEqual(50);
  });

  test('is a block of mentions', () =>
    expect(mentionBlock(['U1'], ['S1'])).toEqual({
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'user', user_id: 'U1' },
            { type: 'text', text: ' ' },
            { type: 'usergroup', usergroup_id: 'S1' },
          ],
        },
      ],
    }));
});

test.each([
  ['nothing', []],
  ['white space', [value(' \n')]],
  ['an empty code block', [md('```\n```')]],
])('%s is said to be nothing', (_, prose: Prose) => expect(wordsOf(prose)).toBe('(empty)'));

test('progress stays progress', () => {
  expect(render([md('a')], { progress: true })[0]).toMatchObject({ progress: true });
  expect(render([md('a')])[0]).not.toHaveProperty('progress');
});

test('the same content gives the same messages', () => {
  const content: PostContent = { prose: [md('word '.repeat(6_000))], buttons: [], notify: ['U1'] };
  expect(renderPost(content)).toEqual(renderPost(content));
});

describe('is quick', () => {
  const sentence = 'The **quick** brown [fox](http://x.y) jumps `over` the _lazy_ dog. ';
  // The processor time of this process: other processes must not make a test fail.
  test.each([
    ['paragraphs', `${sentence.repeat(8)}\n\n`.repeat(110)],
    ['list items', `- ${sentence}\n`.repeat(850)],
    ['code', `\`\`\`py\n${'x = 1\n'.repeat(10_000)}\`\`\``],
    ['a table', `|a|b|\n|-|-|\n${'|foo bar baz|quux zorp|\n'.repeat(2_400)}`],
  ])('60,000 characters of %s', (_, text) => {
    const before = process.cpuUsage().user;
    renderPost({ prose: [md(text)], buttons: [], notify: [] });
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
  });
});
