import { describe, expect, onTestFinished, test } from 'vitest';
import { createDiscordStandIn } from '../../fakes/discord/index.ts';
import {
  answersIn,
  begin,
  cardOf,
  onceAcknowledged,
  oncePrivate,
  outputOf,
  release,
  runOf,
} from '../chat/approvals.ts';
import { decidingOn } from '../chat/approvals-deciding.ts';
import { onceAsked, onceShown } from '../chat/waiting.ts';
import { onDiscord } from './approvals.ts';
import { goLive } from './live.ts';

decidingOn(onDiscord);

const bo = 'discord:400000000000000002';

async function asking(...keys: readonly string[]) {
  return { ...(await begin(await onDiscord.open({ release: release(...keys) }))) };
}

describe('C61: people who have left the server', () => {
  test('do not count any more, in their direct messages either, although the flow names them', async () => {
    const stage = await onDiscord.open({ release: release(`approvers: { users: ["${bo}"] }`) });
    const asked = await begin(stage);
    const { discord } = stage;
    const person = discord.people.bo;
    const direct = discord.directPlace(person);
    await discord.leave(person);
    discord.pass(60_000);
    await discord.command(person, direct, `approve ${(await runOf(asked)).id}`);
    expect((await oncePrivate(discord, person)).text).toContain('has left');
    expect(await answersIn(asked)).toEqual([]);
  });

  test('nor do those who had the role', async () => {
    const stage = await onDiscord.open({ release: release('approvers: { roles: [keepers] }') });
    await stage.group('keepers', [onDiscord.people.bo]);
    const asked = await begin(stage);
    const { discord } = stage;
    const person = discord.people.bo;
    await discord.leave(person);
    discord.pass(60_000);
    await discord.command(person, discord.directPlace(person), `approve ${(await runOf(asked)).id}`);
    expect((await oncePrivate(discord, person)).text).toMatch(/keepers may answer this/);
    expect(await answersIn(asked)).toEqual([]);
  });
});

describe('a form with the answer', () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  const seven = `form: { type: object, required: [one, seven], properties: { ${names
    .map((name) => `${name}: { type: ${name === 'seven' ? 'integer, minimum: 1' : 'string'} }`)
    .join(', ')} } }`;

  test('of more than five fields comes in pages, and what is wrong is mended where it is', async () => {
    const stage = await onDiscord.open({ release: release(seven) });
    const { discord } = stage;
    const asked = await begin(stage);
    const person = discord.people.bo;
    await discord.click(person, asked.message, asked.button);
    expect(await discord.form(person)).toMatchObject({ title: 'Approve (1/2)' });
    await discord.submit(person, discord.channel, '', { field_one: 'a', field_two: 'b' });
    const next = await oncePrivate(discord, person);
    expect(next.buttons).toMatchObject([{ label: 'Continue' }]);
    expect(await answersIn(asked)).toEqual([]);
    await discord.clickPrivate(person, next.buttons[0]?.id ?? '');
    await discord.submit(person, discord.channel, '', { field_seven: 'many' });
    await discord.until(async () => (await discord.privates(person)).at(-1)?.buttons[0]?.label === 'Edit');
    const wrong = await oncePrivate(discord, person);
    expect(wrong.text).toMatch(/^seven /);
    await discord.clickPrivate(person, wrong.buttons[0]?.id ?? '');
    await discord.submit(person, discord.channel, '', { field_seven: '7' });
    await onceShown(discord, asked.thread, 'has succeeded');
    expect(await outputOf(asked)).toMatchObject({ values: { one: 'a', two: 'b', seven: 7 } });
    expect((await cardOf(asked)).text).toContain('seven: 7');
    expect(await answersIn(asked)).toHaveLength(1);
    expect(asked.complaints()).toEqual([]);
  });
});

describe('files behind a form of several pages', () => {
  const five = `form: { type: object, properties: { ${['one', 'two', 'three', 'four', 'five']
    .map((name) => `${name}: { type: string }`)
    .join(', ')} } }`;
  const keys = [
    five,
    'attachFiles: { maxFiles: 1, maxBytes: 10, types: [.csv] }',
    'actions: [{ id: approve, comment: optional }]',
  ];
  const csv = (text: string) => [{ name: 'r.csv', type: 'text/csv', bytes: Buffer.from(text) }];

  test('are kept; too large, all that was typed comes back', async () => {
    const stage = await onDiscord.open({ release: release(...keys) });
    const { discord } = stage;
    const asked = await begin(stage);
    const person = discord.people.bo;
    await discord.click(person, asked.message, asked.button);
    await discord.submit(person, discord.channel, '', { field_one: 'First words' });
    const next = await oncePrivate(discord, person);
    await discord.clickPrivate(person, next.buttons[0]?.id ?? '');
    expect((await discord.form(person))?.fields.map(({ id }) => id)).toEqual(['attachments', 'feedback']);
    await discord.submit(
      person,
      discord.channel,
      '',
      { feedback: 'Last words' },
      { attachments: csv('x'.repeat(11)) },
    );
    await discord.until(async () =>
      (await discord.privates(person)).some(({ text }) => text.includes('r.csv')),
    );
    const refused = await oncePrivate(discord, person);
    expect(refused.text).toContain('First words');
    expect(refused.text).toContain('Last words');
    expect(await answersIn(asked)).toEqual([]);
    await discord.click(person, asked.message, asked.button);
    await discord.submit(person, discord.channel, '', { field_one: 'Again' });
    const on = await oncePrivate(discord, person, 1);
    await discord.clickPrivate(person, on.buttons[0]?.id ?? '');
    await discord.submit(person, discord.channel, '', { feedback: '' }, { attachments: csv('a,b') });
    await onceShown(discord, asked.thread, 'has succeeded');
    expect(await outputOf(asked)).toMatchObject({ values: { one: 'Again' }, files: [{ name: 'r.csv' }] });
    const [answer] = await answersIn(asked);
    const kept = await asked.live.flowbot.bot.store.file(answer?.files?.[0]?.id ?? '');
    expect(Buffer.from(kept?.data ?? '').toString()).toBe('a,b');
    expect(asked.complaints()).toEqual([]);
  });
});

describe('C28: where the question stands', () => {
  test('a thread that was archived is opened again: the card becomes true', async () => {
    const stage = await onDiscord.open({ release: release() });
    const { discord } = stage;
    const asked = await begin(stage);
    await discord.archiveThread(asked.thread);
    await discord.click(discord.people.bo, asked.message, asked.button);
    await onceShown(discord, asked.thread, 'has succeeded');
    expect((await cardOf(asked)).buttons).toEqual([]);
    expect((await cardOf(asked)).text).toContain('Approved by Bo');
    expect(asked.complaints()).toEqual([]);
  });

  test('a thread that was locked: the answer counts, and what became of it is said beside the thread', async () => {
    const stage = await onDiscord.open({ release: release() });
    const { discord } = stage;
    const asked = await begin(stage);
    await discord.lockThread(asked.thread);
    await discord.archiveThread(asked.thread);
    const before = discord.calls().length;
    await discord.click(discord.people.bo, asked.message, asked.button);
    await onceShown(discord, discord.otherChannel, 'Published by Bo');
    await onceShown(discord, discord.channel, 'has succeeded');
    expect((await runOf(asked)).status).toBe('succeeded');
    expect(discord.calls().length - before).toBeLessThan(25);
    await discord.click(discord.people.cy, asked.message, asked.button);
    expect((await oncePrivate(discord, discord.people.cy)).text).toContain('Bo has already answered');
  });

  test.each(['thread', 'channel'])(
    'a %s that was deleted: a command still answers it, and nothing loops',
    async (what) => {
      const stage = await onDiscord.open({ release: release(`approvers: { users: ["${bo}"] }`) });
      const { discord } = stage;
      const place = await discord.createChannel({ name: 'board' });
      const root = await discord.say(discord.people.ana, place, '!release');
      const thread = { ...place, thread: root.id };
      await onceAsked(discord, thread, 'Approve');
      await discord.quiet();
      await discord.deleteChannel(what === 'thread' ? thread : place);
      const before = discord.calls().length;
      await discord.command(discord.people.bo, discord.channel, `approve ${(await runOf(stage)).id}`);
      await onceShown(discord, discord.otherChannel, 'Published by Bo');
      await discord.quiet();
      expect((await runOf(stage)).status).toBe('succeeded');
      expect(discord.calls().length - before).toBeLessThan(25);
      expect(stage.complaints()).toEqual([]);
    },
  );
});

test('C23: handled after the quarter of an hour in which Discord takes an answer: it counts, and the card is true', async () => {
  const asked = await begin(await onDiscord.open({ release: release() }));
  const { desk, live, message, button, thread } = asked;
  const { store } = live.flowbot.bot;
  const { questionRun } = store;
  let pressed = 0;
  store.questionRun = async (question) => {
    pressed += 1;
    await onceAcknowledged(asked, pressed);
    desk.pass(16 * 60_000);
    return questionRun(question);
  };
  await desk.click(onDiscord.people.bo, message, button);
  await onceShown(desk, thread, 'has succeeded');
  expect((await cardOf(asked)).text).toContain('✅ Approved by Bo');
  await desk.click(onDiscord.people.cy, message, button);
  await desk.until(() => live.log.lines.some(({ level }) => level === 'warn'));
  expect(live.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'An answer did not reach its person.' },
  ]);
  expect(await answersIn(asked)).toHaveLength(1);
});

test('without the right to read messages “approved” in the thread is nothing, and buttons work', async () => {
  const discord = await createDiscordStandIn();
  discord.portal.messageContent = false;
  const live = await goLive(discord, { release: release() });
  onTestFinished(async () => {
    await live.close();
    await discord.close();
  });
  await discord.command(discord.people.ana, discord.channel, 'run release');
  await discord.quiet();
  const [thread] = discord.threadsOf(discord.channel);
  if (!thread) throw new Error('there is no thread');
  const { message, button } = await onceAsked(discord, thread.place, 'Approve');
  await discord.say(discord.people.bo, thread.place, 'approved');
  await discord.quiet();
  const texts = (await discord.messages(thread.place)).map(({ text }) => text);
  expect(texts.at(-1)).toBe('approved');
  expect(await answersIn({ live })).toEqual([]);
  await discord.click(discord.people.bo, message, button);
  await onceShown(discord, discord.otherChannel, 'Published by Bo');
  expect(live.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('C62: an interaction reaches us by the gateway only: posted to our server it decides nothing', async () => {
  const asked = await asking();
  const body = JSON.stringify({
    type: 3,
    id: '1',
    token: 'x',
    data: { custom_id: asked.button, component_type: 2 },
    member: { user: { id: '400000000000000002' } },
  });
  for (const path of ['/discord', '/discord/interactions', '/interactions', '/slack/events']) {
    const answer = await fetch(`${asked.live.flowbot.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([403, 404]).toContain(answer.status);
  }
  expect(await answersIn(asked)).toEqual([]);
});
