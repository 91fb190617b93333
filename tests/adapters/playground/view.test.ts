import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFile } from '../../../src/adapters/playground/database.ts';
import { createIdMaker } from '../../../src/adapters/playground/ids.ts';
import { createTables, type Tables } from '../../../src/adapters/playground/tables.ts';
import { createViews } from '../../../src/adapters/playground/view.ts';
import * as markdown from '../../../src/render/markdown/index.ts';

vi.mock(import('../../../src/render/markdown/index.ts'), { spy: true });
const parse = vi.mocked(markdown.parseMarkdown);

const { db, tag } = openFile(':memory:', { next: () => 'tag' });
let tables: Tables;
let view: ReturnType<typeof createViews>;
beforeEach(() => {
  parse.mockClear();
  tables = createTables(db);
  view = createViews(tables, createIdMaker(tag));
});
afterEach(() => {
  db.exec('DELETE FROM messages');
});

function add(text: string): number {
  const body = JSON.stringify({ kind: 'post', part: { markdown: text, buttons: [], notify: [] } });
  return tables.addMessage({ conversation: 'ops', thread: null, author: 'flowbot', body, at_ms: 0 }, null);
}

test('a message is read once for all who see it, and again when it has changed', () => {
  const [seq] = [add('[a](https://a.example)')];
  for (const person of ['ana', 'bo', 'cy']) tables.changes(person, 0, 9).flatMap(view.change);
  expect(parse).toHaveBeenCalledTimes(1);
  tables.setBody(seq, JSON.stringify({ kind: 'post', part: { markdown: 'b', buttons: [], notify: [] } }), 1);
  const [seen] = tables.changes('ana', 0, 9).flatMap(view.change);
  expect(parse).toHaveBeenCalledTimes(2);
  expect(seen).toMatchObject({ message: { body: { tree: { children: [{ children: [{ value: 'b' }] }] } } } });
});

test('what was read long ago is forgotten', () => {
  for (let n = 0; n < 501; n += 1) add(`${n}`);
  const show = () => tables.history('ops', 10_000, 600).reverse().map(view.message);
  show();
  parse.mockClear();
  tables.history('ops', 10_000, 1).map(view.message);
  expect(parse).toHaveBeenCalledTimes(0);
  tables.history('ops', 10_000, 600).slice(-1).map(view.message);
  expect(parse).toHaveBeenCalledTimes(1);
});
