import { describe, expect, test } from 'vitest';
import { checkBody } from './check.ts';
import { button, many, message, option, quiet, row, select, text } from './check-samples.ts';

const ana = '400000000000000002';
const ops = '800000000000000001';
const rows = (count: number) => many(count, (n) => row(button(`${n}`)));
/** A message as they were before components v2. */
const legacy = (more: object) => ({ content: 'x', allowed_mentions: quiet, ...more });
const mentions = (more: object) => message({ allowed_mentions: { ...quiet, ...more } });

describe('messages', () => {
  test.each([
    [
      '4,000 characters in two texts',
      message({ components: [text('x'.repeat(2000)), text('y'.repeat(2000))] }),
    ],
    ['an invisible text', message({ components: [text('\u200b')] })],
    ['somebody notified', mentions({ users: [ana], roles: [ops] })],
    ['everybody of a kind', message({ allowed_mentions: { parse: ['users'], users: [] } })],
    ['a nonce', message({ nonce: 'x'.repeat(25), enforce_nonce: true })],
    [
      'a file',
      message({
        components: [{ type: 13, file: { url: 'attachment://a.md' } }],
        attachments: [{ id: '0', filename: 'a.md' }],
      }),
    ],
    [
      'a file numbered by a number',
      message({ attachments: [{ id: 0, filename: 'a.md', description: 'A' }] }),
    ],
    [
      '2,000 characters and 5 rows of the old kind',
      legacy({ content: 'x'.repeat(2000), components: rows(5) }),
    ],
  ])('%s: accepted', (_, body) => {
    expect(checkBody('message', body)).toEqual([]);
  });

  test.each([
    ['2,001 characters', legacy({ content: 'x'.repeat(2001) }), 'content'],
    [
      '4,001 characters in two texts',
      message({ components: [text('x'.repeat(4000)), text('y')] }),
      'components',
    ],
    ['4,001 units, fewer characters', message({ components: [text(`x${'🚀'.repeat(2000)}`)] }), 'components'],
    ['a blank text', message({ components: [text(' \n ')] }), 'components.0.content'],
    ['no components', message({ components: [] }), ''],
    ['blank content', legacy({ content: ' ' }), ''],
    ['6 rows of the old kind', legacy({ components: rows(6) }), 'components'],
    ['a text without the flag', message({ flags: 0 }), 'components.0.type'],
    ['content beside components', message({ content: 'x' }), 'content'],
    ['empty content beside components', message({ content: '' }), 'content'],
    ['embeds beside components', message({ embeds: [{ title: 'x' }] }), 'embeds'],
    ['a nonce of 26', message({ nonce: 'x'.repeat(26) }), 'nonce'],
    ['all users and some', mentions({ parse: ['users'], users: [ana] }), 'allowed_mentions.parse'],
    ['all roles and some', mentions({ parse: ['roles'], roles: [ops] }), 'allowed_mentions.parse'],
    [
      '101 people',
      mentions({ users: many(101, (n) => `${4n * 10n ** 17n + BigInt(n)}`) }),
      'allowed_mentions.users',
    ],
    ['somebody twice', mentions({ users: [ana, ana] }), 'allowed_mentions.users.1'],
    ['a name in place of an id', mentions({ users: ['ana'] }), 'allowed_mentions.users.0'],
    ['a short id', mentions({ roles: ['1'] }), 'allowed_mentions.roles.0'],
    ['a made-up kind', mentions({ parse: ['here'] }), 'allowed_mentions.parse.0'],
    ['null in place of mentions', message({ allowed_mentions: null }), 'allowed_mentions'],
  ])('%s: refused', (_, body, path) => {
    expect(pathsOf(checkBody('message', body))).toContain(path);
  });

  test.each([
    ['the flags are left', { allowed_mentions: quiet, components: [text('x')] }],
    ['what was before is emptied', message({ content: null, embeds: [] })],
    ['nothing but mentions is said', { allowed_mentions: quiet }],
  ])('an edit where %s: accepted', (_, body) => {
    expect(checkBody('message edit', body)).toEqual([]);
  });

  test.each([
    ['takes the flag away', message({ flags: 0 }), 'components.0.type'],
    ['adds content', message({ content: 'x' }), 'content'],
    ['adds blank texts', message({ components: [text(' ')] }), 'components.0.content'],
  ])('an edit that %s: refused', (_, body, path) => {
    expect(pathsOf(checkBody('message edit', body))).toContain(path);
  });
});

describe('components of messages', () => {
  const check = (...components: unknown[]) => checkBody('message', message({ components }));
  const inRow = 'components.0.components.0';

  test.each([
    ['5 buttons', [row(...many(5, (n) => button(`b${n}`)))]],
    ['25 options', [row(select(many(25, (n) => option(`o${n}`))))]],
    ['a link', [row({ type: 2, style: 5, label: 'See', url: 'https://a.example/' })]],
    ['40', many(40, () => text('x'))],
    ['numbers of ours', [text('x', { id: 2 ** 31 - 1 }), text('y', { id: 2 ** 30 })]],
    ['numbers of Discord', [text('x', { id: 0 }), text('y', { id: 0 })]],
  ])('%s: accepted', (_, components) => {
    expect(check(...components)).toEqual([]);
  });

  test.each([
    ['41', many(41, () => text('x')), 'components'],
    ['41, one around the others', [{ type: 17, components: many(40, () => text('x')) }], 'components'],
    ['one of no kind', [{ type: 99 }], 'components.0.type'],
    ['6 buttons', [row(...many(6, (n) => button(`b${n}`)))], 'components.0.components'],
    ['a button beside a select', [row(select([option('a')]), button('b'))], 'components.0.components'],
    ['a row of nothing', [row()], 'components.0.components'],
    ['a custom_id twice', [row(button('b')), row(button('b'))], 'components.1.components.0.custom_id'],
    [
      'a select like a button',
      [row(button('s')), row(select([option('a')]))],
      'components.1.components.0.custom_id',
    ],
    ['an id twice', [text('x', { id: 7 }), text('y', { id: 7 })], 'components.1.id'],
    ['an id beyond int32', [text('x', { id: 2 ** 31 })], 'components.0.id'],
    ['trap 12: a custom_id of 101', [row(button('x'.repeat(101)))], `${inRow}.custom_id`],
    ['an empty custom_id', [row(button(''))], `${inRow}.custom_id`],
    ['no custom_id', [row({ type: 2, style: 1, label: 'Go' })], `${inRow}.custom_id`],
    [
      'a link with a custom_id',
      [row(button('b', { style: 5, url: 'https://a.example/' }))],
      `${inRow}.custom_id`,
    ],
    ['a link to nowhere', [row({ type: 2, style: 5, label: 'See' })], `${inRow}.url`],
    ['a label of 81', [row(button('b', { label: 'x'.repeat(81) }))], `${inRow}.label`],
    ['a blank label', [row(button('b', { label: ' ' }))], `${inRow}.label`],
    ['a made-up property', [text('x', { text: 'x' })], 'components.0.text'],
    ['26 options', [row(select(many(26, (n) => option(`o${n}`))))], `${inRow}.options`],
    ['no options', [row(select([]))], `${inRow}.options`],
    [
      'a long option label',
      [row(select([option('a', { label: 'x'.repeat(101) })]))],
      `${inRow}.options.0.label`,
    ],
    ['a long option value', [row(select([option('x'.repeat(101))]))], `${inRow}.options.0.value`],
    [
      'a long option description',
      [row(select([option('a', { description: 'x'.repeat(101) })]))],
      `${inRow}.options.0.description`,
    ],
    ['an option twice', [row(select([option('a'), option('a')]))], `${inRow}.options.1.value`],
    ['more values than options', [row(select([option('a')], { max_values: 2 }))], `${inRow}.max_values`],
    ['more at least than at most', [row(select([option('a')], { min_values: 2 }))], `${inRow}.min_values`],
  ])('%s: refused', (_, components, path) => {
    expect(pathsOf(check(...components))).toContain(path);
  });
});

function pathsOf(faults: readonly { readonly path: string }[]): readonly string[] {
  return faults.map(({ path }) => path);
}
