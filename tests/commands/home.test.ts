import { beforeEach, expect, test } from 'vitest';
import type { Person } from '../../src/engine/people.ts';
import type { HomeItem } from '../../src/engine/post.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import { compose, plainText } from '../../src/render/markdown/index.ts';
import { createDesk, type Desk, type Side } from './desk.ts';
import { nap } from './flows.ts';

const asking = `
name: Release notes
triggers: [{ type: command, command: ask }]
steps:
  empty: { type: template, text: " " }
  draft: { type: template, text: "{{start.json.prompt}}" }
  review:
    { type: approval, title: Publish?, show: [empty, draft], approvers: { users: ["red:U0BO", "red:U0ANA"] } }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ asking, nap });
});

/** The page's items of a section, as people read them. */
async function items(person: Person, section: string): Promise<readonly string[]> {
  const page = await desk.inbound.home(person, { platform: 'red', conversation: `D-${person.id}` });
  const shown = page.sections.find(({ title }) => title === section)?.items ?? [];
  return shown.map(({ prose }: HomeItem) => plainText(compose(prose)).trim());
}

/** The platform gives its posts addresses from now on. */
function withLinks({ platform: { chat } }: Side, url: string): void {
  const { post } = chat;
  chat.post = async (place, part, key) => {
    const outcome = await post(place, part, key);
    return outcome.kind === 'posted' ? { ...outcome, url } : outcome;
  };
}

test('a question shows who asks, where, what it is about, and leads to its card', async () => {
  const { red } = desk;
  withLinks(red, 'https://chat.example/p1?a=b');
  await red.say(red.ana, '!ask **Faster** than before');
  expect(await items(red.bo, 'Waiting for you')).toEqual([
    [
      'Publish?',
      'Release notes, started by Ana in #releases, run k000000001',
      'Open (https://chat.example/p1?a=b)',
      '',
      'Faster than before',
    ].join('\n'),
  ]);
});

test('what hides in a question is shown here, too', async () => {
  const { red } = desk;
  await red.say(red.ana, '!ask safe\u202Eevil');
  expect((await items(red.bo, 'Waiting for you')).join()).toContain('safe⟦U+202E⟧evil');
});

test('a question whose post has no address shows no link, and only the beginning of a long text', async () => {
  const { red } = desk;
  await red.say(red.ana, `!ask ${'x'.repeat(299)}👍🏽${'y'.repeat(100)}`);
  expect(await items(red.bo, 'Waiting for you')).toEqual([
    `Publish?\nRelease notes, started by Ana in #releases, run k000000001\n\n${'x'.repeat(299)}…`,
  ]);
});

test('an address that is none leads nowhere', async () => {
  const { red } = desk;
  withLinks(red, 'javascript:alert(1)');
  await red.say(red.ana, '!ask now');
  const [item = ''] = await items(red.bo, 'Waiting for you');
  expect(item).not.toMatch(/\(javascript:/);
});

test('a run shows its flow, since when and where', async () => {
  const { red } = desk;
  await red.say(red.ana, '!nap');
  expect(await items(red.ana, 'Your runs')).toEqual([
    'Nap is waiting, started 2026-01-05 09:00 UTC in #releases, run k000000001',
  ]);
});

test('a run whose flow is gone shows the id of the flow', async () => {
  const { red } = desk;
  await red.say(red.ana, '!nap');
  desk.load({});
  expect(await items(red.ana, 'Your runs')).toEqual([expect.stringMatching(/^nap is waiting/)]);
});

test('a platform that gives no answer leaves out names of conversations, not the page', async () => {
  const { red } = desk;
  await red.say(red.ana, '!nap');
  await red.say(red.ana, '!ask now');
  red.platform.chat.conversation = async () => {
    throw new ChatUnavailable('Red gives no answer.');
  };
  expect(await items(red.ana, 'Your runs')).toContain(
    'Nap is waiting, started 2026-01-05 09:00 UTC, run k000000001',
  );
  expect(await items(red.bo, 'Waiting for you')).toEqual([
    'Publish?\nRelease notes, started by Ana, run k000000002\n\nnow',
  ]);
});
