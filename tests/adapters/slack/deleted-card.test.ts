import { describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import { content, postOne } from '../../contracts/chat-posting.ts';
import { deletedCardsOn } from '../chat/deleted-cards.ts';
import { onceAsked, onceShown } from '../chat/waiting.ts';
import { onSlack } from './approvals.ts';
import { asking } from './asking.ts';
import { openSlack, type Transport } from './harness.ts';

deletedCardsOn(onSlack);

test('over Socket Mode a card that was deleted is there again, too', async () => {
  const { slack, thread, message } = await asking('socket');
  await slack.deleteMessage(message);
  const back = await onceAsked(slack, thread, 'Approve');
  expect(back.message.id).not.toBe(message.id);
  await slack.click(slack.people.bo, back.message, back.button);
  await onceShown(slack, thread, 'has succeeded');
});

describe.each<Transport>(['socket', 'http'])('what is told of deleted messages over %s', (transport) => {
  test('is nothing of what others wrote, also when answers to it stay or go later', async () => {
    const h = await openSlack(transport);
    const topic = await h.say(h.people.ana, h.channel, 'a topic');
    const reply = await h.say(h.people.bo, { ...h.channel, thread: topic.id }, 'about it');
    for (const message of [
      topic,
      reply,
      await h.say(h.people.ana, h.channel, 'alone'),
      await h.sayAsBot(h.channel, 'of another bot'),
      await h.slack.sayAsBot(h.channel, 'of another bot, as if of a person', true),
    ]) {
      await h.deleteMessage(message);
    }
    expect(h.inbox.gone).toEqual([]);
  });

  test('is said once when answers go after it', async () => {
    const h = await openSlack(transport);
    const message = await postOne(h, h.channel, content([md('Publish?')]), 'key');
    const reply = await h.say(h.people.bo, { ...h.channel, thread: message.id }, 'why?');
    await h.deleteMessage(message);
    await h.deleteMessage(reply);
    expect(h.inbox.gone).toEqual([message]);
  });

  test('is taken when Slack does not say who had written it, and left when it is not as it should be', async () => {
    const h = await openSlack(transport);
    const gone = { type: 'message', subtype: 'message_deleted', hidden: true, channel: 'C0GENERAL' };
    await h.slack.sendEvent({ ...gone, deleted_ts: '1764520000.000100' });
    await h.slack.sendEvent({ ...gone, deleted_ts: 'yesterday' });
    await h.slack.sendEvent({ ...gone, deleted_ts: '1764520000.000200', previous_message: 'hello' });
    await h.slack.sendEvent({ ...gone, subtype: 'message_changed', message: { ts: '1764520000.000300' } });
    expect(h.inbox.gone).toEqual([{ ...h.channel, id: '1764520000.000100' }]);
    expect(h.slack.undelivered()).toEqual([]);
  });
});
