import { ComponentType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import {
  componentsOf,
  type DiscordPart,
  fileComponents,
  isFilePart,
  readPart,
  titleOf,
} from '../../../../src/adapters/discord/part.ts';
import { renderParts, renderPost } from '../../../../src/adapters/discord/render.ts';
import type { PostFile } from '../../../../src/engine/post.ts';
import { md } from '../../../../src/engine/prose.ts';
import { checkMessage } from '../../../fakes/discord/check-message.ts';
import { readingOf } from '../../../fakes/discord/reading.ts';

const picture: PostFile = { name: 'a.png', mediaType: 'image/png', alt: 'A cat', data: 'AA==' };
const notes: PostFile = { name: 'a.md', mediaType: 'text/markdown', alt: '', data: 'AA==' };
const flags = (1 << 15) | (1 << 2);
const nobody = { users: [], roles: [] };

function expectTaken(components: readonly object[]): void {
  const message = { components, flags, allowed_mentions: { parse: [] } };
  expect(checkMessage(message, { makes: true, flags })).toEqual([]);
}

function only(): DiscordPart {
  const [part, ...others] = renderPost({
    prose: [md('# a\n\n- b\n\n|c|\n|-|\n|d|')],
    buttons: [{ id: 'go', label: 'Go', style: 'primary' }],
    notify: ['100000000000000002'],
  });
  if (part === undefined || others.length > 0) throw new Error('Not one part.');
  return part;
}

describe('a part', () => {
  test('is the same when it was kept and is read back', () => {
    expect(readPart(JSON.parse(JSON.stringify(only())))).toEqual(only());
    const [file = null] = renderParts({ prose: [], buttons: [], notify: [], files: [picture] });
    expect(readPart(JSON.parse(JSON.stringify(file)))).toEqual({ file: picture });
    expect([readPart(file), only()].map(isFilePart)).toEqual([true, false]);
  });

  test('that begins a thread gives it a name', () =>
    expect([only(), { file: notes }].map(titleOf)).toEqual(['a', 'a.md']));

  test.each([
    ['nothing', null],
    ['text', 'a'],
    ['without rows', { text: 'a', title: 'a', notify: [] }],
    ['with rows that are none', { text: 'a', title: 'a', rows: [{ type: 2 }], notify: [] }],
    ['that notifies numbers', { text: 'a', title: 'a', rows: [], notify: [1] }],
  ])('that is %s is refused', (_, part) => expect(() => readPart(part)).toThrow());
});

describe('the components of a message', () => {
  test('are its marked text and its buttons', () => {
    const part = only();
    const components = componentsOf(part, { mark: 2 ** 30 + 1, mentions: nobody });
    expect(components).toEqual([
      { type: ComponentType.TextDisplay, content: part.text, id: 2 ** 30 + 1 },
      ...part.rows,
    ]);
    expectTaken(components);
  });

  test('mention in front those whom it notifies', () => {
    const mentions = { users: ['100000000000000002'], roles: ['200000000000000003'] };
    const components = componentsOf(only(), { mark: 2 ** 30 + 1, mentions });
    expect(components[0]).toEqual({
      type: ComponentType.TextDisplay,
      content: '<@100000000000000002> <@&200000000000000003>',
    });
    expect(components[1]).toMatchObject({ id: 2 ** 30 + 1 });
    expect(readingOf({ components }).text).toBe(readingOf({ components: components.slice(1) }).text);
    expectTaken(components);
  });

  test.each([
    [picture, { name: 'a.png', alt: 'A cat' }],
    [notes, { name: 'a.md' }],
  ])('of a file show it, with two marks', (file, seen) => {
    const components = fileComponents(file, { mark: 2 ** 30 + 1, contentMark: 2 ** 30 + 2 });
    expect(components.map(({ id }) => id)).toEqual([2 ** 30 + 1, 2 ** 30 + 2]);
    expect(readingOf({ components, attachments: [{ filename: file.name }] }).files).toEqual([seen]);
    expectTaken(components);
  });
});
