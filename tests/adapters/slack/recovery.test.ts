import { afterEach, describe, expect, test } from 'vitest';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { createWorkspace } from './harness.ts';
import { goLive, type Live } from './live.ts';

const flows = {
  hello: `
name: Hello
triggers: [{ type: command, command: hello }]
steps: { say: { type: template, text: "{{start.json.prompt}}" } }
`,
};

let slack: SlackStandIn;
let live: Live | undefined;
afterEach(async () => {
  await live?.close();
  await slack.close();
});

const prompts = async () =>
  Promise.all(
    ((await live?.flowbot.bot.store.runs({ limit: 50 })) ?? []).map(
      async ({ id }) => (await live?.flowbot.bot.store.run(id))?.state.start.prompt,
    ),
  );

describe('what Slack never delivered', () => {
  test('while the bot was away is found in the history at the next start, and starts its run once', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    await slack.say(slack.people.ana, slack.channel, '!hello before');
    await slack.until(async () => (await prompts()).length === 1);
    await live.stop();
    const root = await slack.say(slack.people.bo, slack.channel, 'a topic');
    await slack.say(slack.people.ana, slack.channel, '!hello away');
    await slack.say(slack.people.bo, { ...slack.channel, thread: root.id }, '!hello thread');
    await slack.say(slack.people.bo, slack.directPlace(slack.people.bo), 'hello direct');
    slack.forget();
    await live.start();
    await slack.until(async () => (await prompts()).length === 4);
    expect((await prompts()).toSorted()).toEqual(['away', 'before', 'direct', 'thread']);
    await live.restart();
    await slack.quiet();
    expect(await prompts()).toHaveLength(4);
  });

  test('in a thread that began long before is found too', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    const root = await slack.say(slack.people.bo, slack.channel, 'a topic');
    slack.pass(5 * 3_600_000);
    await live.restart();
    await live.stop();
    await slack.say(slack.people.ana, { ...slack.channel, thread: root.id }, '!hello thread');
    slack.forget();
    await live.start();
    await slack.until(async () => (await prompts()).length === 1);
    expect(await prompts()).toEqual(['thread']);
  });

  test('but was heard before, and was not for the bot then, is left alone', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', {});
    await slack.say(slack.people.ana, slack.channel, '!hello early');
    slack.pass(10 * 60_000);
    await live.stop();
    live.write('hello', flows.hello);
    await live.start();
    await slack.until(() => slack.calls().some(({ method }) => method === 'conversations.history'));
    await slack.quiet();
    expect(await prompts()).toEqual([]);
  });

  test.each([
    ['fails', 'users.conversations', { kind: 'status', status: 503 }, 5],
    ['asks to wait for long', 'conversations.history', { kind: '429', retryAfterS: 61 }, 1],
  ] as const)('is looked for again when Slack %s meanwhile', async (_, method, fault, times) => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    await live.stop();
    await slack.say(slack.people.ana, slack.channel, '!hello missed');
    slack.forget();
    slack.failMethod(method, fault, times);
    await live.start();
    await slack.until(async () => (await prompts()).length === 1);
    expect(await prompts()).toEqual(['missed']);
  });

  test('is looked for at the next start when the look was not whole', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    await live.stop();
    await slack.say(slack.people.ana, slack.channel, '!hello missed');
    slack.forget();
    slack.failMethod('users.conversations', { kind: '429', retryAfterS: 3_000 }, 1);
    await live.start();
    await slack.until(
      () => slack.calls().filter(({ method }) => method === 'users.conversations').length > 0,
    );
    slack.pass(5 * 60_000);
    await live.restart();
    await slack.until(async () => (await prompts()).length === 1);
  });

  test('and was edited since counts as it stands now', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    await live.stop();
    const message = await slack.say(slack.people.ana, slack.channel, '!hello frist');
    await slack.editAs(slack.people.ana, message, '!hello first');
    slack.forget();
    await live.start();
    await slack.until(async () => (await prompts()).length === 1);
    expect(await prompts()).toEqual(['first']);
  });

  test('more than two hours ago is left alone', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    await slack.say(slack.people.ana, slack.channel, '!hello before');
    await slack.until(async () => (await prompts()).length === 1);
    await live.stop();
    await slack.say(slack.people.ana, slack.channel, '!hello early');
    slack.forget();
    slack.pass(2 * 3_600_000 + 1_000);
    await live.start();
    await slack.until(() => slack.calls().some(({ method }) => method === 'conversations.history'));
    await slack.quiet();
    expect(await prompts()).toEqual(['before']);
  });

  test('while no connection was open is found when one is', async () => {
    slack = await createWorkspace();
    live = await goLive(slack, 'socket', flows);
    slack.refuseConnections(2);
    slack.dropConnections();
    await slack.until(() => slack.connections() === 0);
    await slack.say(slack.people.ana, slack.channel, '!hello gap');
    slack.forget();
    await slack.until(async () => (await prompts()).length === 1);
    expect(await prompts()).toEqual(['gap']);
  });
});
