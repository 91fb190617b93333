import { describe, expect, it } from 'vitest';
import { tested } from './tested.ts';

const flow = `
conversation: "#ops"
steps:
  draft: { type: template, text: "One\\nTwo\\nThree" }
  facts: { type: template, data: { name: Ana, count: 3, tags: [a, b] } }
  ask: { type: approval }
  post: { type: message, to: "#news", text: "{{draft.text}}" }
  again: { type: message, to: "#ops", text: Done }
  never: { type: template, text: Never }
edges: [draft -> facts -> ask, ask.approved -> post -> again, ask.rejected -> never]
output: { post: "{{post.json.messageId}}", list: [1, 2] }
`;

/** What people read when this is expected. */
const read = (wanted: string, acts = '[{ answer: approve }]'): string =>
  tested(flow, `acts: ${acts}\nexpect: ${wanted}`).join('\n');

describe('what is other than expected is shown line by line', () => {
  it('where the run is, and why', () => {
    expect(read('{ status: succeeded, reason: No reason. }', '[{ cancel: true }]')).toMatchInlineSnapshot(`
      "status
        - succeeded
        + cancelled
      reason
        - No reason.
        + Cancelled by bo."
    `);
  });

  it('the path', () => {
    expect(read('{ path: [draft, ask, post, post, again] }')).toMatchInlineSnapshot(`
      "path
          draft
        + facts
          ask
          post
        - post
          again"
    `);
  });

  it('steps that are skipped or asked about', () => {
    expect(read('{ skipped: [post], asked: [] }')).toMatchInlineSnapshot(`
      "skipped
        - post
        + never
      asked
        + ask"
    `);
  });

  it('the text of a post, and where it goes', () => {
    const posts = '[{ to: "#new", text: "One\\nZwei\\nThree" }, { contains: Finished }]';
    expect(read(`{ posts: ${posts} }`)).toMatchInlineSnapshot(`
      "posts 1 to
        - #new
        + #news
      posts 1 text
          One
        - Zwei
        + Two
          Three
      posts 2
        - … Finished …
        + Done"
    `);
  });

  it('too few posts', () => {
    expect(read('{ posts: [{ to: "#news", contains: Two }] }')).toMatchInlineSnapshot(`
      "posts: 1 expected, 2 came
        - #news: … Two …
        + #news: One
        + Two
        + Three
        + #ops: Done"
    `);
  });

  it('what steps leave: a text, or those fields that are expected', () => {
    const outputs = '{ draft: "One\\nThree", facts: { count: 4, tags: [a, b], size: 1 }, never: x }';
    expect(read(`{ outputs: ${outputs} }`)).toMatchInlineSnapshot(`
      "outputs draft
          One
        + Two
          Three
      outputs facts
          {
        -   "count": 4,
        -   "size": 1,
        +   "count": 3,
            "tags": [
              "a",
              "b"
            ]
          }
      outputs never
        - x
        + (it left nothing)"
    `);
  });

  it('what the run gives back, whatever the order of its fields', () => {
    expect(read('{ output: { list: [1, 2], post: m1 } }')).toBe('');
    expect(read('{ output: { list: [1, 3], post: m1 } }')).toMatchInlineSnapshot(`
      "output
          {
            "list": [
              1,
        -     3
        +     2
            ],
            "post": "m1"
          }"
    `);
  });

  it('long texts that have nothing in common one after the other, without looking for it for minutes', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`);
    const long = 'steps: { a: { type: script, run: build } }';
    const [came, wanted] = [lines('came'), lines('wanted')].map((all) => JSON.stringify(all.join('\n')));
    const shown = tested(long, `fakes: { a: { stdout: ${came} } }\nexpect: { outputs: { a: ${wanted} } }`);
    expect(shown).toHaveLength(1 + 40_000);
    expect(shown.slice(0, 2)).toEqual(['outputs a', '  - wanted 0']);
    expect(shown.at(-1)).toBe('  + came 19999');
  });
});
