import { describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import { content, postAll } from '../../contracts/chat-posting.ts';
import { begin, release } from '../chat/approvals.ts';
import { cardsOf, deletedCardsOn, onceBack } from '../chat/deleted-cards.ts';
import { onDiscord } from './approvals.ts';
import { openDiscord } from './harness.ts';

deletedCardsOn(onDiscord);

test('a card that is deleted together with all else is there again, and nothing else is', async () => {
  const stage = await onDiscord.open({ release: release() });
  const asked = await begin(stage);
  const { desk, thread } = asked;
  await desk.say(desk.people.bo, thread, 'Let me see');
  const all = (await desk.messages(thread)).map(({ ref }) => ref);
  await stage.discord.deleteTogether(thread, all);
  const back = await onceBack(asked);
  expect(await desk.messages(thread)).toEqual(await cardsOf(back));
  expect(asked.complaints()).toEqual([]);
});

test('a card in a thread that fell asleep meanwhile is there again', async () => {
  const stage = await onDiscord.open({ release: release() });
  const asked = await begin(stage);
  await stage.discord.archiveThread(asked.thread);
  await asked.live.restart();
  await asked.desk.deleteMessage(asked.message);
  expect(await cardsOf(await onceBack(asked))).toHaveLength(1);
  expect(asked.complaints()).toEqual([]);
});

describe('what is told of deleted messages', () => {
  const ids = ['900000000000000001', '900000000000000002'];

  test('is each of them when they go together', async () => {
    const h = await openDiscord();
    const posted = await postAll(h, h.channel, content([md('a'), md('b'.repeat(9_000))]), 'key');
    await h.deleteTogether(h.channel, posted);
    expect(h.inbox.gone).toEqual(posted);
  });

  test('is nothing of other servers, when one is served', async () => {
    const h = await openDiscord({ guildId: '100000000000000009' });
    await h.sendEvent('MESSAGE_DELETE', {
      id: ids[0],
      channel_id: h.channel.conversation,
      guild_id: h.guildId,
    });
    expect(h.inbox.gone).toEqual([]);
  });

  test('is nothing when it is not as it should be', async () => {
    const h = await openDiscord();
    const channel_id = h.channel.conversation;
    await h.sendEvent('MESSAGE_DELETE', { id: 1, channel_id, guild_id: h.guildId });
    await h.sendEvent('MESSAGE_DELETE_BULK', { ids: 'all', channel_id, guild_id: h.guildId });
    await h.sendEvent('MESSAGE_DELETE_BULK', { ids, channel_id, guild_id: h.guildId });
    await h.quiet();
    expect(h.inbox.gone.map(({ id }) => id)).toEqual(ids);
    expect(h.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
