import { describe, expect, onTestFinished, test } from 'vitest';
import { examineSlack } from '../../../src/adapters/slack/examine.ts';
import type { SlackSettings } from '../../../src/adapters/slack/index.ts';
import { events, scopes, slackManifest } from '../../../src/adapters/slack/manifest.ts';
import { createKeptLog } from '../../fakes/log.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { clockOf, createWorkspace } from './harness.ts';

async function workspace(): Promise<SlackStandIn> {
  const slack = await createWorkspace();
  onTestFinished(() => slack.close());
  slack.manifest = slackManifest({ command: '/flow' });
  return slack;
}

function examine(slack: SlackStandIn, settings: Partial<SlackSettings> = {}) {
  const given: SlackSettings = {
    botToken: slack.botToken,
    events: { kind: 'socket', appToken: slack.appToken },
    apiUrl: slack.apiUrl,
    configToken: slack.configToken,
    ...settings,
  };
  return examineSlack(given, { command: '/flow', clock: clockOf(slack), log: createKeptLog() });
}

const overHttp = (slack: SlackStandIn) => ({ kind: 'http', signingSecret: slack.signingSecret }) as const;

/** The manifest with some of its settings changed. */
function withSettings(slack: SlackStandIn, settings: Readonly<Record<string, unknown>>): void {
  const { settings: own } = slack.manifest;
  slack.manifest = { ...slack.manifest, settings: { ...(typeof own === 'object' ? own : {}), ...settings } };
}

describe('what doctor says about an installation', () => {
  test('trap 5: one that is as it should be has no faults: three tokens are each used for their own calls', async () => {
    const slack = await workspace();
    const findings = await examine(slack);
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(findings[0]?.text).toContain('Flowbot Test');
    expect(findings.map(({ text }) => text)).toContain('Socket Mode answers.');
  });

  test.each(scopes)('without $name the cost is told', async ({ name, cost }) => {
    const slack = await workspace();
    slack.scopes = slack.scopes.filter((scope) => scope !== name);
    const findings = await examine(slack);
    expect(findings).toContainEqual({
      level: 'warning',
      text: `The permission ${name} is missing. ${cost}`,
    });
  });

  test.each(events)('without the event $name the cost is told', async ({ name, cost }) => {
    const slack = await workspace();
    withSettings(slack, {
      event_subscriptions: {
        bot_events: events.map((event) => event.name).filter((event) => event !== name),
      },
    });
    expect(await examine(slack)).toContainEqual({
      level: 'warning',
      text: `The event ${name} is missing. ${cost}`,
    });
  });

  test('without a config token it says how the events can be compared', async () => {
    const slack = await workspace();
    const settings = { botToken: slack.botToken, events: overHttp(slack), apiUrl: slack.apiUrl };
    const findings = await examineSlack(settings, {
      command: '/flow',
      clock: clockOf(slack),
      log: createKeptLog(),
    });
    expect(findings.filter(({ level }) => level !== 'ok')).toMatchObject([
      { level: 'warning', text: expect.stringContaining('SLACK_CONFIG_TOKEN') },
    ]);
    expect(slack.calls().map(({ method }) => method)).toEqual(['auth.test']);
  });

  test('a wrong bot token is the only finding', async () => {
    const slack = await workspace();
    expect(await examine(slack, { botToken: 'xoxb-wrong' })).toEqual([
      { level: 'fault', text: expect.stringContaining('SLACK_BOT_TOKEN') },
    ]);
  });

  test('wrong app and config tokens are named, the rest is still looked at', async () => {
    const slack = await workspace();
    const findings = await examine(slack, {
      events: { kind: 'socket', appToken: 'xapp-wrong' },
      configToken: 'xoxe-wrong',
    });
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([
      { level: 'fault', text: expect.stringContaining('SLACK_APP_TOKEN') },
      { level: 'warning', text: expect.stringContaining('SLACK_CONFIG_TOKEN') },
    ]);
    expect(findings.map(({ text }) => text)).toContain('The permissions of the app are complete.');
  });

  test('another command, interactivity off and the other transport are faults', async () => {
    const slack = await workspace();
    slack.manifest = slackManifest({ command: '/robot' });
    withSettings(slack, { interactivity: { is_enabled: false }, socket_mode_enabled: false });
    const findings = (await examine(slack)).filter(({ level }) => level === 'fault');
    expect(findings.map(({ text }) => text)).toEqual([
      'The app has no slash command /flow: /robot.',
      'Interactivity is switched off: buttons and forms do not work.',
      'Socket Mode is switched off in the app: nothing arrives.',
    ]);
  });

  test('Socket Mode that is on while Flowbot listens over HTTP is a fault', async () => {
    const slack = await workspace();
    const findings = (await examine(slack, { events: overHttp(slack) })).filter(
      ({ level }) => level !== 'ok',
    );
    expect(findings).toEqual([
      { level: 'fault', text: 'Socket Mode is switched on in the app: nothing arrives over HTTP.' },
    ]);
  });

  test('a manifest of an app without anything is read', async () => {
    const slack = await workspace();
    slack.manifest = {};
    const texts = (await examine(slack)).map(({ text }) => text);
    expect(texts).toContain('The app has no slash command /flow: it has none.');
  });

  test('it only reads', async () => {
    const slack = await workspace();
    await examine(slack);
    expect(slack.calls().map(({ method }) => method)).toEqual([
      'auth.test',
      'apps.connections.open',
      'bots.info',
      'apps.manifest.export',
    ]);
  });
});
