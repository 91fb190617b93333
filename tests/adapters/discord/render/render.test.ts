import { ButtonStyle, ComponentType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { renderParts, renderPost } from '../../../../src/adapters/discord/render.ts';
import type { Button, PostContent } from '../../../../src/engine/post.ts';
import { literal, md, type Prose, value } from '../../../../src/engine/prose.ts';
import { visibleText } from '../../../fakes/discord/reading.ts';
import { render, textOf, wordsOf } from './shown.ts';

const gap = '\u200b';

test('C02 what would call people or be a link is text', () =>
  expect(
    textOf([
      literal(
        '@everyone deploy done, thanks <@&900000000000000001> and <@900000000000000002>, </flow:1> <t:0:R>',
      ),
    ]),
  ).toBe(
    `@${gap}everyone deploy done, thanks \\<${gap}@&900000000000000001> and \\<${gap}@900000000000000002>, \\<${gap}/flow:1> \\<${gap}t:0:R>`,
  ));

test('C04 handles in links, mail addresses and code stay what they are', () =>
  expect(
    textOf([
      value(
        'see https://example.com/@ana/post?user=@bo, mail ana@example.com, run `npm i @acme/db`, already <@100000000000000002>\n\n```\n@here\n@ana\n```',
      ),
    ]),
  ).toBe(
    `see <https://example.com/@ana/post?user=@bo>, mail ana@example.com, run \`npm i @acme/db\`, already \\<${gap}@100000000000000002>\n\`\`\`\n@here\n@ana\n\`\`\``,
  ));

describe('C07 a code block over the limit of a message', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}: ${'x'.repeat(50)}`);
  const parts = render([
    md(`Here is the code.\nIt is long:\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nThat is all.`),
  ]);

  test('is a code block in each message, and nothing of it is lost', () => {
    expect(parts.length).toBeGreaterThan(1);
    const blocks = parts.flatMap(({ text }) =>
      [...text.matchAll(/```py\n([\s\S]*?)\n```/g)].map(([, code]) => code),
    );
    expect(blocks).toHaveLength(parts.length);
    expect(blocks.join('\n')).toBe(lines.join('\n'));
  });

  test('the words around it are around it', () => {
    expect(parts[0]?.text).toMatch(/^Here is the code\.\nIt is long:\n```py\n/);
    expect(parts.at(-1)?.text).toMatch(/\n```\nThat is all\.$/);
  });
});

describe('C08 a message that is exactly as long as it may be', () => {
  test.each([
    ['no language', ''],
    ['an ordinary language', 'typescript'],
    ['a language of 300 characters', 'x'.repeat(300)],
  ])('and ends inside of a code block with %s', (_, language) => {
    const shown = language.slice(0, 20);
    for (const length of [3_996, 3_997, 3_998, 3_999, 4_000, 4_001]) {
      const code = 'x = 1\n'
        .repeat(1_000)
        .slice(0, length - shown.length - 8)
        .replace(/\n$/, 'y');
      const parts = render([md(`\`\`\`${language}\n${code}\n\`\`\``)]);
      expect(parts.map(({ text }) => text.length)).toEqual(
        length <= 4_000 ? [length] : [expect.any(Number), expect.any(Number)],
      );
      for (const { text } of parts) expect(text).toMatch(new RegExp(`^\`\`\`${shown}\n[^\`]+\n\`\`\`$`));
      expect(parts.map(({ text }) => visibleText(text)).join('\n')).toBe(code);
    }
  });

  test('and goes on inside of a code block', () => {
    for (const before of [3_900, 3_970, 3_980, 3_981, 3_982, 3_983, 3_984, 3_985, 3_990, 3_999, 4_000]) {
      const text = `${'a'.repeat(before)}\n\n\`\`\`ts\n${'let b;\n'.repeat(30)}\`\`\``;
      expect(wordsOf([md(text)]).replace(/\s/g, '')).toBe(text.replace(/```(?:ts)?|\s/g, ''));
    }
  });
});

describe('C10 text without a good place to cut', () => {
  test.each(['x', '👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '*_`<&', '\\', '@everyone', ']('])(
    '%s, often',
    (character) => {
      const text = character.repeat(20_000 / character.length);
      const parts = render([literal(text)]);
      expect(parts.map((part) => visibleText(part.text)).join('')).toBe(text);
      if (!/[*@\]]/.test(character)) {
        for (const part of parts) expect(visibleText(part.text).length % character.length).toBe(0);
      }
    },
  );
});

describe('buttons', () => {
  const button = (id: string, style: Button['style'] = 'plain', label = id): Button => ({ id, label, style });
  const many = (count: number) => Array.from({ length: count }, (_, index) => button(`id${index}`));

  test('stand under the last message', () => {
    const parts = render([md(`${'word '.repeat(2_000)}\n\n`)], { buttons: [button('a'), button('b')] });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ rows }) => rows.length)).toEqual([...parts.slice(1).map(() => 0), 1]);
  });

  test('come back with their id', () =>
    expect(
      render([md('x')], { buttons: [button('a', 'primary'), button('b', 'danger'), button('c')] })[0]?.rows,
    ).toEqual([
      {
        type: ComponentType.ActionRow,
        components: [
          { type: ComponentType.Button, custom_id: 'a', label: 'a', style: ButtonStyle.Primary },
          { type: ComponentType.Button, custom_id: 'b', label: 'b', style: ButtonStyle.Danger },
          { type: ComponentType.Button, custom_id: 'c', label: 'c', style: ButtonStyle.Secondary },
        ],
      },
    ]));

  test('more than five are a list to choose from', () =>
    expect(render([md('x')], { buttons: many(6) })[0]?.rows).toEqual([
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.StringSelect,
            custom_id: 'choose:0',
            placeholder: 'Choose …',
            options: many(6).map(({ id, label }) => ({ label, value: id })),
          },
        ],
      },
    ]));

  test.each([5, 25, 26, 125, 126, 300])('%i are all there, once and in order', (count) => {
    const parts = render([md('x')], { buttons: many(count) });
    for (const { rows } of parts) expect(rows.length).toBeLessThanOrEqual(5);
    const components = parts.flatMap(({ rows }) => rows).flatMap((row) => row.components);
    const ids = components.flatMap((one) =>
      one.type === ComponentType.Button ? [one.custom_id] : one.options.map((option) => option.value),
    );
    expect(ids).toEqual(many(count).map(({ id }) => id));
    expect(new Set(components.map((one) => one.custom_id)).size).toBe(components.length);
  });

  test('have labels shortened between visible characters, and never blank ones', () => {
    const labels = ['👩‍👩‍👧‍👦'.repeat(20), ' ', gap].map((label, index) =>
      button(`${index}`, 'plain', label),
    );
    const [part] = render([md('x')], { buttons: labels });
    expect(part?.rows[0]?.components).toMatchObject([
      { label: `${'👩‍👩‍👧‍👦'.repeat(7)}…` },
      { label: '…' },
      { label: '…' },
    ]);
  });

  test('of one id are one', () =>
    expect(
      render([md('x')], { buttons: [button('a'), button('a', 'plain', 'again')] })[0]?.rows[0]?.components,
    ).toMatchObject([{ custom_id: 'a', label: 'a' }]));
});

describe('whom a post notifies', () => {
  test('is said with the first message, and only ids and names of roles count', () => {
    const notify = ['100000000000000002', '@maintainers', '100000000000000002', '@200000000000000003'];
    const strange = ['here', 'everyone', '&1', '<@100000000000000002>', '@', 'bob', '1', '1|x> <@2'];
    const parts = render([md('word '.repeat(4_000))], { notify: [...notify, ...strange] });
    expect(parts[0]?.notify).toEqual(['100000000000000002', '@maintainers', '@200000000000000003']);
    for (const part of parts.slice(1)) expect(part.notify).toEqual([]);
  });

  test('has room in the message for 50 of them', () => {
    const notify = Array.from(
      { length: 60 },
      (_, index) => `1000000000000000${String(index).padStart(4, '0')}`,
    );
    const [part] = render([md('word '.repeat(4_000))], { notify });
    expect(part?.notify).toHaveLength(50);
  });
});

test.each([
  ['nothing', []],
  ['white space', [value(' \n')]],
  ['an invisible character', [literal(gap)]],
  ['an empty code block', [md('```\n```')]],
])('%s is said to be nothing', (_, prose: Prose) => expect(textOf(prose)).toBe('*(empty)*'));

test.each([
  ['# Release *1.2*\n\nIs it good?', 'Release 1.2'],
  ['> - <@100000000000000002>', '<@100000000000000002>'],
  ['word '.repeat(30), `${'word '.repeat(20).trim().slice(0, 99)}…`],
])('a thread is called as what begins it: %j', (markdown, title) =>
  expect(render([md(markdown)])[0]?.title).toBe(title),
);

describe('files', () => {
  const file = { name: 'a.png', mediaType: 'image/png', alt: 'A cat', data: 'AA==' };

  test('come behind the words', () =>
    expect(renderParts({ prose: [md('x')], buttons: [], notify: [], files: [file, file] })).toMatchObject([
      { text: 'x' },
      { file },
      { file },
    ]));

  test('need no words', () =>
    expect(renderParts({ prose: [], buttons: [], notify: [], files: [file] })).toEqual([{ file }]));
});

test('progress stays progress', () => {
  expect(render([md('a')], { progress: true })[0]).toMatchObject({ progress: true });
  expect(render([md('a')])[0]).not.toHaveProperty('progress');
});

test('the same content gives the same messages', () => {
  const content: PostContent = {
    prose: [md('word '.repeat(6_000))],
    buttons: [],
    notify: ['100000000000000002'],
  };
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
    ['looks', '*a **b** ~~c~~* '.repeat(3_750)],
  ])('60,000 characters of %s', (_, text) => {
    const before = process.cpuUsage().user;
    renderPost({ prose: [md(text)], buttons: [], notify: [] });
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
  });
});
