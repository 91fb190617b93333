import { expect, test } from 'vitest';
import { openLittleBot, words } from './little-bot.ts';

const general = '300000000000000001';
const messages = `/channels/${general}/messages` as const;
const idIn = (answer: unknown) =>
  typeof answer === 'object' && answer && 'id' in answer ? String(answer.id) : '';

test('a bot writes, changes and deletes its message', async () => {
  const { discord, ask } = await openLittleBot();
  const id = idIn(await ask('post', messages, words('Hello **all**')));
  expect(await discord.messages(discord.channel)).toEqual([
    {
      ref: { ...discord.channel, id },
      author: 'bot',
      text: 'Hello all',
      buttons: [],
      files: [],
      edited: false,
    },
  ]);
  await ask('patch', `${messages}/${id}`, words('Bye'));
  expect(await discord.messages(discord.channel)).toMatchObject([{ text: 'Bye', edited: true }]);
  await ask('delete', `${messages}/${id}`);
  expect(await discord.messages(discord.channel)).toEqual([]);
  expect(await ask('patch', `${messages}/${id}`, words('Bye'))).toBe(10008);
  expect(discord.faults()).toEqual([]);
});

test('a body with something wrong is refused, and kept for the test to see', async () => {
  const { discord, ask } = await openLittleBot();
  expect(await ask('post', messages, words('x'.repeat(4001)))).toBe(50035);
  expect(new Set(discord.faults().map(({ route }) => route))).toEqual(
    new Set(['POST /channels/:channel/messages']),
  );
  expect(discord.calls().at(-1)).toMatchObject({ status: 400, code: 50035 });
});

test('messages of others can neither be changed nor deleted', async () => {
  const { discord, ask } = await openLittleBot();
  const { id } = await discord.say(discord.people.ana, discord.channel, 'mine');
  expect(await ask('patch', `${messages}/${id}`, words('yours'))).toBe(50005);
  expect(await ask('delete', `${messages}/${id}`)).toBe(50013);
});

test('a nonce makes a message once while it counts; a deleted one is not written again', async () => {
  const { discord, ask } = await openLittleBot();
  const once = words('once', { nonce: 'n1', enforce_nonce: true });
  const first = idIn(await ask('post', messages, once));
  expect(idIn(await ask('post', messages, once))).toBe(first);
  await ask('delete', `${messages}/${first}`);
  expect(await ask('post', messages, once)).toBe(10008);
  discord.pass(discord.nonceWindowMs);
  expect(idIn(await ask('post', messages, once))).toMatch(/^\d+$/);
  discord.nonceWindowMs = 0;
  await ask('post', messages, once);
  expect(await discord.messages(discord.channel)).toHaveLength(2);
});

test('history comes newest first; after an id: the nearest ones; without the permission: nothing', async () => {
  const { discord, ask } = await openLittleBot();
  const refs = await discord.burst(
    Array.from({ length: 5 }, (_, n) => ({
      person: discord.people.ana,
      place: discord.channel,
      text: `${n}`,
    })),
  );
  const read = async (query: string) => {
    const page = await ask('get', `${messages}?${query}`);
    return Array.isArray(page) ? page.map(({ content }) => content) : page;
  };
  const at = (index: number) => refs[index]?.id;
  expect(await read('')).toEqual(['4', '3', '2', '1', '0']);
  expect(await read('limit=2')).toEqual(['4', '3']);
  expect(await read(`limit=2&before=${at(2)}`)).toEqual(['1', '0']);
  expect(await read(`limit=2&after=${at(1)}`)).toEqual(['3', '2']);
  expect(await read(`limit=3&around=${at(2)}`)).toEqual(['3', '2', '1']);
  discord.portal.messageContent = false;
  expect(await read('limit=1')).toEqual(['']);
  await discord.deny(discord.channel, 'READ_MESSAGE_HISTORY');
  expect(await read('')).toEqual([]);
  await discord.deny(discord.channel, 'VIEW_CHANNEL');
  expect(await read('')).toBe(50001);
});

test.each([
  ['VIEW_CHANNEL', 50001],
  ['SEND_MESSAGES', 50013],
] as const)('without %s nothing can be written', async (permission, code) => {
  const { discord, ask } = await openLittleBot();
  await discord.deny(discord.channel, permission);
  expect(await ask('post', messages, words('x'))).toBe(code);
  await discord.allow(discord.channel, permission);
  expect(idIn(await ask('post', messages, words('x')))).toMatch(/^\d+$/);
});

test('a thread has the id of its message, once; archived ones open when somebody writes, locked ones do not', async () => {
  const { discord, ask } = await openLittleBot();
  const { id } = await discord.say(discord.people.ana, discord.channel, 'a topic');
  const thread = { ...discord.channel, thread: id };
  expect(await ask('post', `${messages}/${id}/threads`, { name: 'A topic' })).toMatchObject({ id, type: 11 });
  expect(await ask('post', `${messages}/${id}/threads`, { name: 'A topic' })).toBe(160004);
  const own = idIn(await ask('post', `/channels/${id}/messages`, words('about it')));
  await discord.archiveThread(thread);
  expect(await ask('patch', `/channels/${id}/messages/${own}`, words('changed'))).toBe(50083);
  await ask('post', `/channels/${id}/messages`, words('more'));
  expect(await ask('get', `/channels/${id}`)).toMatchObject({ thread_metadata: { archived: false } });
  await discord.lockThread(thread);
  expect(await ask('post', `/channels/${id}/messages`, words('more'))).toBe(160005);
  await discord.archiveThread(thread);
  expect(await ask('post', `/channels/${id}/messages`, words('more'))).toBe(50083);
  expect((await discord.messages(thread)).map(({ text }) => text)).toEqual(['about it', 'more']);
});

test('a forum takes posts, with a tag where one is required, and no messages', async () => {
  const { discord, ask } = await openLittleBot();
  const forum = await discord.createForum({ name: 'ideas', tags: ['bug'], requiresTag: true });
  const { conversation: id } = forum;
  expect(await ask('post', `/channels/${id}/messages`, words('x'))).toBe(40058);
  const post = { name: 'An idea', message: words('x') };
  expect(await ask('post', `/channels/${id}/threads`, post)).toBe(40067);
  const channel = await ask('get', `/channels/${id}`);
  const [tag] = JSON.stringify(channel).match(/(?<="available_tags":\[\{"id":")\d+/) ?? [];
  const made = await ask('post', `/channels/${id}/threads`, { ...post, applied_tags: [tag] });
  expect(await discord.messages({ ...forum, thread: idIn(made) })).toMatchObject([
    { ref: { id: idIn(made) }, text: 'x' },
  ]);
});

test('somebody who takes no direct messages is found out when one is sent', async () => {
  const { discord, ask } = await openLittleBot();
  const { ana } = discord.people;
  discord.refuseDms(ana);
  const id = idIn(await ask('post', '/users/@me/channels', { recipient_id: ana.id }));
  expect(await ask('post', `/channels/${id}/messages`, words('x'))).toBe(50007);
});

test('commands are replaced as a whole, and keep their ids', async () => {
  const { discord, ask } = await openLittleBot();
  const path = `/applications/${discord.appId}/commands` as const;
  const flow = { name: 'flow', description: 'Runs flows' };
  await ask('put', path, [flow, { name: 'Use this message', type: 3 }]);
  const [before] = discord.commands();
  await ask('put', path, [{ ...flow, description: 'Does more' }]);
  const [after, ...others] = discord.commands();
  expect(others).toEqual([]);
  expect(after).toMatchObject({ id: before?.id, description: 'Does more' });
  expect(after?.version).not.toBe(before?.version);
  expect(await ask('put', path, [{ ...flow, name: 'Not A Name' }])).toBe(50035);
});

test('requests fail as told', async () => {
  const { discord, ask } = await openLittleBot();
  const route = 'POST /channels/:channel/messages';
  discord.failRequest(route, { kind: 'error', status: 403, code: 50013, message: 'Missing Permissions' });
  expect(await ask('post', messages, words('x'))).toBe(50013);
  discord.failRequest(route, { kind: 'status', status: 500, isDone: true });
  await expect(ask('post', messages, words('stored'))).rejects.toThrow();
  discord.failRequest(/messages$/, { kind: 'reset' });
  await ask('post', messages, words('x'));
  expect(await discord.messages(discord.channel)).toMatchObject([{ text: 'stored' }]);
});
