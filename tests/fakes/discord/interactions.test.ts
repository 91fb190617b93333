import { Events, type Interaction } from 'discord.js';
import { expect, test } from 'vitest';
import { type LittleBot, openLittleBot, v2, words } from './little-bot.ts';

const flow = {
  name: 'flow',
  description: 'Runs flows',
  options: [
    {
      type: 1,
      name: 'run',
      description: 'Starts a flow',
      options: [
        { type: 3, name: 'flow', description: 'Which', required: true, autocomplete: true },
        { type: 3, name: 'input', description: 'Its input' },
      ],
    },
  ],
};
const release = {
  name: 'release',
  description: 'Releases',
  options: [{ type: 4, name: 'version', description: 'Which', required: true }],
};
const card = words('Publish?', {
  components: [
    { type: 10, content: 'Publish?' },
    { type: 1, components: [{ type: 2, style: 3, custom_id: 'q1:yes', label: 'Yes' }] },
    { type: 1, components: [{ type: 3, custom_id: 'choose:0', options: [{ label: 'No', value: 'q1:no' }] }] },
  ],
});
const modal = {
  custom_id: 'form:1',
  title: 'Why?',
  components: [
    { type: 18, label: 'Reason', component: { type: 4, custom_id: 'reason', style: 2 } },
    {
      type: 18,
      label: 'When',
      component: {
        type: 3,
        custom_id: 'when',
        required: false,
        options: [
          { label: 'Now', value: 'now' },
          { label: 'Later', value: 'later' },
        ],
      },
    },
  ],
};
const ephemeral = (content: string) => words(content, { flags: v2 | 64 });

/** Answers each interaction by what `answer` gives: type and data; keeps the interactions and what came of it. */
async function openAnswering(
  answer: (interaction: Interaction) => { readonly type: number; readonly data?: unknown } | undefined,
): Promise<LittleBot & { readonly done: Interaction[]; readonly outcomes: unknown[] }> {
  const bot = await openLittleBot();
  const done: Interaction[] = [];
  const outcomes: unknown[] = [];
  await bot.ask('put', `/applications/${bot.discord.appId}/commands`, [
    flow,
    release,
    { name: 'Use this message', type: 3 },
  ]);
  bot.client.on(Events.InteractionCreate, async (interaction) => {
    done.push(interaction);
    const body = answer(interaction);
    if (body) outcomes.push(await bot.ask('post', callbackOf(interaction), body));
  });
  return { ...bot, done, outcomes };
}

const callbackOf = ({ id, token }: Pick<Interaction, 'id' | 'token'>) =>
  `/interactions/${id}/${token}/callback` as const;

test('a command is answered once, and only who gave it sees a private answer', async () => {
  const { discord, done, ask } = await openAnswering(() => ({ type: 4, data: ephemeral('started') }));
  const { ana, bo } = discord.people;
  await discord.command(ana, discord.channel, 'run release version=1 and more');
  const [given] = done;
  if (!given?.isChatInputCommand()) throw new Error('no command');
  expect(given.options.getSubcommand()).toBe('run');
  expect(given.options.getString('flow')).toBe('release');
  expect(given.options.getString('input')).toBe('version=1 and more');
  expect(await discord.privates(ana)).toEqual([{ text: 'started', buttons: [], files: [] }]);
  expect(await discord.privates(bo)).toEqual([]);
  expect(await discord.messages(discord.channel)).toEqual([]);
  expect(await ask('post', callbackOf(given), { type: 5 })).toBe(40060);
  expect(discord.troubles(ana)).toEqual([]);
});

test('after 3 s there is no answering any more', async () => {
  let late = () => {};
  const { discord, outcomes } = await openAnswering(() => {
    late();
    return { type: 4, data: words('too late') };
  });
  late = () => discord.pass(3001);
  await discord.command(discord.people.ana, discord.channel, 'run release');
  expect(outcomes).toEqual([10062]);
  expect(discord.troubles(discord.people.ana)).toEqual(['The application did not respond']);
}, 10_000);

test('"thinking" is replaced through the token, which lives for 15 minutes', async () => {
  const { discord, ask, done } = await openAnswering(() => ({ type: 5, data: { flags: 64 } }));
  const { ana } = discord.people;
  const running = discord.command(ana, discord.channel, 'run release');
  await discord.until(() => discord.answersOf(ana)[0]?.type === 5);
  const original = `/webhooks/${discord.appId}/${done[0]?.token}/messages/@original` as const;
  await ask('patch', original, words('done'));
  await running;
  expect(await discord.privates(ana)).toEqual([{ text: 'done', buttons: [], files: [] }]);
  discord.pass(15 * 60_000 + 1);
  expect(await ask('patch', original, words('again'))).toBe(50027);
});

test('a press of a button and a choice from a list tell the message; one that is gone is told too', async () => {
  const { discord, ask, done } = await openAnswering(() => ({ type: 6 }));
  const { ana } = discord.people;
  await ask('post', `/channels/${discord.channel.conversation}/messages`, card);
  const [seen] = await discord.messages(discord.channel);
  if (!seen) throw new Error('no message');
  expect(seen.buttons).toEqual([
    { id: 'q1:yes', label: 'Yes' },
    { id: 'q1:no', label: 'No' },
  ]);
  for (const { id } of seen.buttons) await discord.click(ana, seen.ref, id);
  await ask(
    'patch',
    `/channels/${discord.channel.conversation}/messages/${seen.ref.id}`,
    words('Published.'),
  );
  await discord.click(ana, seen.ref, 'q1:yes');
  expect(
    done.map((each) =>
      each.isMessageComponent()
        ? [each.customId, each.isStringSelectMenu() ? each.values : [], each.message.id]
        : [],
    ),
  ).toEqual([
    ['q1:yes', [], seen.ref.id],
    ['choose:0', ['q1:no'], seen.ref.id],
    ['q1:yes', [], seen.ref.id],
  ]);
});

test('a form opens as the first answer, is sent once with its values, and no form opens on it', async () => {
  const { discord, done, outcomes } = await openAnswering(() => ({ type: 9, data: modal }));
  const { ana, bo } = discord.people;
  await discord.command(ana, discord.channel, 'run release');
  expect(await discord.form(ana)).toEqual({
    id: 'form:1',
    title: 'Why?',
    fields: [
      { id: 'reason', label: 'Reason', required: true },
      { id: 'when', label: 'When', required: false },
    ],
    errors: {},
  });
  expect(await discord.form(bo)).toBeUndefined();
  await discord.submit(ana, discord.channel, 'form:1', { when: 'Later' });
  expect(discord.troubles(ana)).toEqual(['Reason: This field is required']);
  await discord.submit(ana, discord.channel, 'form:1', { reason: 'a < b\nnext', when: 'Later' });
  const sent = done.at(-1);
  if (!sent?.isModalSubmit()) throw new Error('nothing was sent');
  expect(sent.fields.getTextInputValue('reason')).toBe('a < b\nnext');
  expect(sent.fields.getStringSelectValues('when')).toEqual(['later']);
  expect(await discord.form(ana)).toBeUndefined();
  expect(outcomes.at(-1)).toBe(50035);
}, 10_000);

test('choices are offered while somebody types', async () => {
  const { discord, done } = await openAnswering((interaction) =>
    interaction.isAutocomplete()
      ? { type: 8, data: { choices: [{ name: 'Release', value: 'release' }] } }
      : undefined,
  );
  const offered = await discord.autocomplete(discord.people.ana, discord.channel, 'run rel');
  expect(offered).toEqual([{ name: 'Release', value: 'release' }]);
  const [typing] = done;
  expect(typing?.isAutocomplete() && typing.options.getFocused(true)).toMatchObject({
    name: 'flow',
    value: 'rel',
  });
});

test('a flow’s own command and the menu of a message are used', async () => {
  const { discord, done } = await openAnswering(() => ({ type: 4, data: words('ok') }));
  const { ana } = discord.people;
  await discord.slash(ana, discord.channel, 'release', { version: 3 });
  await expect(discord.slash(ana, discord.channel, 'release', {})).rejects.toThrow('/release needs version');
  const message = await discord.say(ana, discord.channel, 'look at this');
  await discord.useMessage(ana, message);
  const [slash, menu] = done;
  expect(slash?.isChatInputCommand() && slash.options.getInteger('version')).toBe(3);
  expect(menu?.isMessageContextMenuCommand() && menu.targetMessage.content).toBe('look at this');
  expect(await discord.messages(discord.channel)).toMatchObject([
    { text: 'ok' },
    { text: 'look at this' },
    { text: 'ok' },
  ]);
});

test('who pressed has the roles that they have now', async () => {
  let id = '';
  const had: boolean[] = [];
  const { discord } = await openAnswering((interaction) => {
    if (interaction.inCachedGuild()) had.push(interaction.member.roles.cache.has(id));
    return { type: 4, data: ephemeral('ok') };
  });
  const { ana } = discord.people;
  id = await discord.createRole('release-managers');
  await discord.giveRole(ana, id);
  await discord.command(ana, discord.channel, 'run release');
  await discord.takeRole(ana, id);
  await discord.command(ana, discord.channel, 'run release');
  expect(had).toEqual([true, false]);
});
