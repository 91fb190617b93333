import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestInWords, digestOf, type Past, type PastMessage } from '../../src/engine/digest.ts';
import { compose, parseMarkdown, plainText } from '../../src/render/markdown/index.ts';

const nine = Date.UTC(2026, 0, 5, 9);
let made = 0;

function message(text: string, more: Partial<PastMessage> & { readonly by?: string } = {}): PastMessage {
  made += 1;
  const { by = 'Ana', ...rest } = more;
  return {
    id: `m${made}`,
    atMs: nine + made * 1_000,
    author: { id: `U-${by}`, name: by },
    text,
    reactions: 0,
    files: 0,
    ...rest,
  };
}

const past = (messages: readonly PastMessage[], more: Partial<Past> = {}): Past => ({
  name: '#support',
  sinceMs: nine,
  untilMs: nine + 86_400_000,
  messages,
  isCut: false,
  ...more,
});

const read = (one: Past) => plainText(compose(digestInWords(one, digestOf(one), 'Europe/Berlin'))).trim();

describe('a digest', () => {
  test('counts, names what was discussed most, and what nobody has answered', () => {
    const cache = message('How do I reset the cache?', { url: 'https://chat.example/m1', reactions: 2 });
    const disk = message('Is the *disk* [full](https://evil.example)? <@U1> @everyone', { by: 'Bo' });
    const idle = message('Lunch?', { by: 'Cy' });
    const text = read(
      past([
        cache,
        disk,
        idle,
        message('a link https://x.example/?q=1', { by: 'Cy' }),
        message('like this', { by: 'Bo', thread: cache.id }),
        message('thanks', { thread: cache.id }),
        message('anybody?', { by: 'Bo', thread: disk.id }),
      ]),
    );
    expect(text).toBe(
      [
        '#support: 7 messages by 3 people from Mon 5 Jan 2026, 10:00 to Tue 6 Jan 2026, 10:00 (Europe/Berlin).',
        '',
        'Most discussed',
        '',
        '- How do I reset the cache? (https://chat.example/m1), by Ana: 2 answers, 2 reactions',
        '- Is the *disk* [full](https://evil.example)? <@U1> @everyone, by Bo: 1 answer',
        '',
        'Questions without an answer',
        '',
        '- Is the *disk* [full](https://evil.example)? <@U1> @everyone, by Bo',
        '- Lunch?, by Cy',
      ].join('\n'),
    );
  });

  test('an answer to something older counts, and shows what it answers', () => {
    const old = message('Who has the keys?', { isOlder: true, by: 'Bo' });
    const text = read(past([old, message('me', { thread: old.id })]));
    expect(text).toContain('1 message by 1 person');
    expect(text).toContain('- Who has the keys?, by Bo: 1 answer');
    expect(text).not.toContain('without an answer');
  });

  test('says that nobody wrote, and that there was more', () => {
    expect(read(past([]))).toBe(
      'Nobody wrote in #support from Mon 5 Jan 2026, 10:00 to Tue 6 Jan 2026, 10:00 (Europe/Berlin).',
    );
    expect(read(past([message('hi')], { isCut: true }))).toContain(
      '#support: the newest 1 message by 1 person',
    );
  });

  test('long and odd messages are shown by their beginning', () => {
    const text = read(
      past([
        message(`why\n\n${'so '.repeat(100)}?`),
        message('', { files: 2, thread: 'gone' }),
        message('  '),
      ]),
    );
    expect(text).toMatch(/- why so so .*…, by Ana$/);
    expect(text).toContain('3 messages');
  });

  test('only what ends like a question is one', () => {
    const questions = [
      'really?',
      '真的吗？',
      '動きますか？教えて',
      'هل هذا؟',
      'γιατί\u037E',
      '(why?)',
      '**Is it down?** I see errors',
    ];
    const others = ['see x?y=1', 'what ?! no', 'no', 'done; merged', 'int x = 1;', 'x; y'];
    const asked = [...questions, ...others];
    expect(digestOf(past(asked.map((text) => message(text)))).unanswered.map(({ text }) => text)).toEqual(
      questions,
    );
  });

  test('whatever people write or are called stays words in one line of its list', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const hostile = fc.oneof(
      text,
      fc.constantFrom('](https://evil.example)', '**', '`', '\n\n# x', '- ', '<@U1>', '@everyone', '\u202E'),
    );
    fc.assert(
      fc.property(hostile, hostile, fc.webUrl(), (said, by, url) => {
        const asked = message(`${said}?`, { by, url: `${url}/(a_b)` });
        const shown = compose(digestInWords(past([asked]), digestOf(past([asked])), 'UTC'));
        const tree = parseMarkdown(shown);
        const list = tree.children.find(({ type }) => type === 'list');
        expect(tree.children.map(({ type }) => type)).toEqual(['paragraph', 'paragraph', 'list']);
        expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
        expect(list && 'children' in list ? list.children.length : 0).toBe(1);
      }),
    );
  });

  test('who wrote most comes first', () => {
    const { authors } = digestOf(past([message('a', { by: 'Bo' }), message('b'), message('c')]));
    expect(authors).toEqual([
      { id: 'U-Ana', name: 'Ana', messages: 2 },
      { id: 'U-Bo', name: 'Bo', messages: 1 },
    ]);
  });
});
