import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mentionNodes, readingOf, visibleText } from './reading.ts';

const ana = '400000000000000002';
const text = (content: string) => ({ type: 10, content });
const button = (custom_id: string, label: string, more = {}) => ({
  type: 2,
  style: 1,
  custom_id,
  label,
  ...more,
});
const row = (...components: object[]) => ({ type: 1, components });

describe('what a person reads', () => {
  test.each([
    ['signs of formatting are gone', '**a** *b* _c_ __d__ ~~e~~ ||f|| `g`', 'a b c d e f g'],
    ['formatting in formatting', '***a*** **b *c* d**', 'a b c d'],
    ['headings are lines', '# Title\n\n## Less\ntext', 'Title\n\nLess\ntext'],
    ['small print is a line', '-# small\ntext', 'small\ntext'],
    ['lists have dots', '- a\n* b\n  - **c**\n1. d', '• a\n• b\n  • c\n1. d'],
    ['numbers stay', '3. a\n3. b\n2.5', '3. a\n3. b\n2.5'],
    ['quotes are marked', '> a\n> **b**\n\nc', '> a\n> b\n\nc'],
    ['a quote to the end', '>>> a\n\nb', '> a\n> \n> b'],
    ['a heading in a quote', '> # a\n> - b', '> a\n> • b'],
    ['code without its fence', 'a\n\n```py\nx = "*"\n\n@here\n```\n\nb', 'a\n\nx = "*"\n\n@here\n\nb'],
    ['code in a line of its own', 'a ```b``` c', 'a \nb\n c'],
    ['an open fence is text', '```\na', '```\na'],
    ['a link and its address', '[**a**](https://a.example/x) b', 'a (https://a.example/x) b'],
    [
      'an address is no link twice',
      '<https://a.example/x> https://b.example',
      'https://a.example/x https://b.example',
    ],
    [
      'only the web is linked',
      '[a](slack://x) [b](@c) [d](javascript:e())',
      '[a](slack://x) [b](@c) [d](javascript:e())',
    ],
    ['what is escaped stands there', '\\*a\\* \\_b\\_ \\`c\\` \\# \\\\', '*a* _b_ `c` # \\'],
    ['no list where the mark is escaped', '\\- a\n\u200b- b\n1\\. c', '- a\n- b\n1. c'],
    [
      'invisible spaces are left out',
      '<\u200b@400000000000000002> @\u200beveryone',
      '<@400000000000000002> @everyone',
    ],
    ['entities are text', '&lt;b&gt; &amp;', '&lt;b&gt; &amp;'],
    ['lines stay lines', 'a\nb\n\n\nc  \nd', 'a\nb\n\n\nc  \nd'],
    ['emoji', '🚀 👩‍👩‍👧‍👦 🇩🇪 <:flow:123456789012345678>', '🚀 👩‍👩‍👧‍👦 🇩🇪 :flow:'],
    ['no names known', `<@${ana}> <@&${ana}> <#${ana}> @here`, `@${ana} @${ana} #${ana} @here`],
    [
      'dates and commands',
      '<t:0:R> </flow run:123456789012345678> <id:browse>',
      '1970-01-01T00:00:00.000Z /flow run browse',
    ],
  ])('%s', (_, given, read) => {
    expect(visibleText(given)).toBe(read);
  });

  test('names stand for ids', () => {
    const nameOf = (kind: string, id: string) => (id === ana ? `the ${kind}` : undefined);
    expect(visibleText(`<@!${ana}> <@&${ana}> <#${ana}>`, nameOf)).toBe('@the user @the role #the channel');
  });

  test('a text is read as it is when all its signs are escaped', () => {
    const crumb = fc.oneof(
      fc.constantFrom(
        '*',
        '_',
        '`',
        '~',
        '|',
        '>',
        '#',
        '-',
        '[',
        '](',
        ')',
        '<@',
        '\\',
        '\n',
        ' ',
        '1. ',
        'https://a',
      ),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(crumb), (crumbs) => {
        const typed = crumbs.join('').replaceAll(/[\t\f\r\u200b]/g, '');
        expect(visibleText(typed.replaceAll(/[^0-9A-Za-z\s]/g, '\\$&'))).toBe(typed);
      }),
    );
  });

  test('no text at all is too much for it', () => {
    const crumb = fc.constantFrom(
      ...[
        '*',
        '_',
        '`',
        '~~',
        '||',
        '> ',
        '>>> ',
        '# ',
        '-# ',
        '- ',
        '[a](https://b',
        ')',
        '<',
        '@here',
        '\\',
        '\n',
      ],
      ...[
        '<t:99999999999999:R>',
        '<:ab:123456789012345678>',
        '<id:guide>',
        `<@${ana}>`,
        '¯\\_(ツ)_/¯',
        '🚀',
        'a ',
        '\t',
      ],
    );
    fc.assert(
      fc.property(fc.array(crumb, { maxLength: 30 }), (crumbs) => {
        const typed = crumbs.join('');
        expect(visibleText(typed)).toBeTypeOf('string');
        expect(mentionNodes(typed)).toBeInstanceOf(Array);
      }),
    );
  });

  test('the texts of a message, in order', () => {
    const components = [
      text('**a**'),
      { type: 17, components: [text('b'), row(button('x', 'X'))] },
      text('c'),
    ];
    expect(readingOf({ components }).text).toBe('a\nb\nc');
    expect(readingOf({ content: '_old_', components: [] }).text).toBe('old');
  });

  test('who is notified in front is not part of it', () => {
    const names = text(`<@${ana}> <@&800000000000000001>`);
    expect(readingOf({ components: [names, text('Please look.')] }).text).toBe('Please look.');
    expect(readingOf({ components: [text('Please look.'), names] }).text).toContain('@');
    expect(readingOf({ components: [text(`<@${ana}> look`)] }).text).toBe(`@${ana} look`);
  });

  test('what can be pressed or chosen, in order', () => {
    const options = [
      { label: 'Two', value: 'b2' },
      { label: 'Three', value: 'b3' },
    ];
    const components = [
      text('?'),
      row(button('b1', 'One'), button('b0', 'Zero', { disabled: true })),
      row({ type: 3, custom_id: 'choose:0', options }),
      row({ type: 3, custom_id: 'choose:1', options, disabled: true }),
      { type: 9, components: [text('!')], accessory: button('b4', 'Four') },
    ];
    expect(readingOf({ components }).buttons).toEqual([
      { id: 'b1', label: 'One' },
      { id: 'b2', label: 'Two' },
      { id: 'b3', label: 'Three' },
      { id: 'b4', label: 'Four' },
    ]);
  });

  test('files that a component shows, and no others', () => {
    const attachments = [
      { filename: 'notes.md', text: '# Grüße' },
      { filename: 'chart.png', description: 'A chart', url: 'https://cdn.example/chart.png' },
      { filename: 'unseen.txt', text: 'x' },
    ];
    const components = [
      { type: 13, file: { url: 'attachment://notes.md' } },
      { type: 12, items: [{ media: { url: 'https://cdn.example/chart.png' } }] },
      { type: 12, items: [{ media: { url: 'attachment://chart.png' }, description: 'Another word' }] },
      { type: 13, file: { url: 'attachment://nowhere.md' } },
    ];
    expect(readingOf({ components, attachments }).files).toEqual([
      { name: 'notes.md', text: '# Grüße' },
      { name: 'chart.png', alt: 'A chart' },
      { name: 'chart.png', alt: 'Another word' },
    ]);
  });
});

describe('what is shown as a mention', () => {
  test.each([
    [`<@${ana}> <@!${ana}>`, [`user:${ana}`]],
    [`<@&${ana}> <#${ana}>`, [`role:${ana}`, `channel:${ana}`]],
    ['@everyone **@here**', ['everyone', 'here']],
    ['<t:0> <t:-1:R>', ['timestamp:0', 'timestamp:-1']],
    ['</flow:123456789012345678>', ['slashCommand:123456789012345678']],
    ['<id:customize> <id:linked-roles:123>', ['guildNavigation:customize', 'guildNavigation:linked-roles']],
    ['<a:xx:123456789012345678>', ['emoji:123456789012345678']],
    ['[a](@everyone)', ['everyone']],
    [`[<@${ana}>](https://a.example)`, [`user:${ana}`]],
    [`\\\\<@${ana}>`, [`user:${ana}`]],
    [`https://x/\\<@${ana}>`, [`user:${ana}`]],
    ['```\n@here', ['here']],
  ])('%j', (given, found) => {
    expect(mentionNodes(given)).toEqual(found);
  });

  test.each([
    '`@everyone` ```\n@here\n```',
    `<\u200b@${ana}> @\u200beveryone <\u200bid:guide>`,
    `\\<@${ana}> \\<id:guide>`,
    'https://a.example/@everyone [a](https://a.example/@here)',
    'ana@example.com @ana <@ana> <id:nowhere>',
  ])('nothing in %j', (given) => {
    expect(mentionNodes(given)).toEqual([]);
  });
});
