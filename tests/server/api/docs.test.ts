import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/engine/json.ts';
import { tokenNames } from '../../config-tokens.ts';
import { desk, open, send, tokens } from './serving.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/api.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

/** What is shown as `…` is different each time. */
function shown(example: Json): unknown {
  if (example === '…') return expect.any(String);
  if (Array.isArray(example)) return example.map(shown);
  if (typeof example !== 'object' || example === null) return example;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(example).map(([key, value]) => [key, shown(value)])),
  );
}

test('the requests of the page, sent one after the other, are answered as it says', async () => {
  const [flow = ''] = blocks('yaml');
  await open({ release: flow.replace('"#releases"', '"red:#releases"') });
  const answers = blocks('json');
  for (const [index, text] of blocks('http').entries()) {
    const [head = '', body] = text.trimEnd().split('\n\n');
    const [first = '', ...lines] = head.split('\n');
    const [method = '', path = ''] = first.split(' ');
    const headers = Object.fromEntries(
      lines.map((line) => line.replace('$TOKEN', tokens[3]?.secret ?? '').split(': ', 2)),
    );
    const heard = await send(method, path, headers, body);
    expect(heard.body, first).toEqual(shown(JSON.parse(answers[index] ?? '')));
    await desk.settle();
  }
});

test('the tokens of the page can be read', () => {
  const lines = /```\n(ci[\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(tokenNames(lines)).toEqual(['ci runner', 'board viewer', 'ana approver slack:U0ANA']);
});
