import { describe, expect, it, test } from 'vitest';
import { checkSurroundings } from '../../../src/engine/flow/check-surroundings.ts';
import { destinationsOf } from '../../../src/engine/flow/destinations.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareSurroundings } from '../../fakes/outside.ts';
import { ask, get, planOf, post, read } from './faults.ts';

const here = {
  ...bareSurroundings,
  secrets: ['API_TOKEN', 'OTHER'],
  platforms: ['slack', 'discord'],
};
const faultsIn = (flow: JsonObject, surroundings = here) =>
  checkSurroundings(planOf(flow), surroundings).map(read);

describe('secrets', () => {
  const using = (name: string) => ({
    steps: { a: { ...get, headers: { Authorization: `Bearer {{secrets.${name}}}` } } },
  });

  it('that are set are fine', () => {
    expect(faultsIn(using('API_TOKEN'))).toEqual([]);
  });

  test.each([
    ['API_TOKN', here.secrets, 'Did you mean "API_TOKEN"? Or set FLOWBOT_SECRET_API_TOKN.'],
    ['API_TOKEN', [], 'Set FLOWBOT_SECRET_API_TOKEN.'],
  ])('that are not set are faults: %s', (name, secrets, fix) => {
    expect(faultsIn(using(name), { ...here, secrets })).toEqual([
      `unknown-secret at steps.a.headers.Authorization: {{secrets.${name}}}: the secret ${name} is not set. ${fix}`,
    ]);
  });
});

describe('the secret of a webhook', () => {
  const flow = (secret: string) => ({ triggers: [{ type: 'webhook', secret }], steps: { a: get } });

  test.each([
    ['API_TOKEN', here.secrets, []],
    [
      'API_TOKN',
      here.secrets,
      [
        'unknown-secret at triggers.0.secret: The secret API_TOKN is not set. Did you mean "API_TOKEN"? Or set FLOWBOT_SECRET_API_TOKN.',
      ],
    ],
    [
      'HOOK',
      [],
      ['unknown-secret at triggers.0.secret: The secret HOOK is not set. Set FLOWBOT_SECRET_HOOK.'],
    ],
  ])('%s of %j', (name, secrets, faults) => {
    expect(faultsIn(flow(name), { ...here, secrets })).toEqual(faults);
  });
});

describe('the chat command', () => {
  const flow = (slash: boolean): JsonObject => ({
    id: 'go',
    triggers: [{ type: 'command', command: 'bot', slash }],
    steps: { a: get },
  });

  it('is no slash command of a flow', () => {
    expect(checkSurroundings(planOf(flow(true)), { ...here, command: '/bot' }).map(read)).toEqual([
      'slash-command at triggers.0.command: /bot is the chat command itself, so that it can\'t start go. Choose another, such as "bot-it", or leave out slash:.',
    ]);
  });

  it('may be a word that is typed otherwise', () => {
    expect(checkSurroundings(planOf(flow(false)), { ...here, command: '/bot' })).toEqual([]);
    expect(checkSurroundings(planOf(flow(true)), { ...here, command: '/flow' })).toEqual([]);
    expect(checkSurroundings(planOf(flow(true)), here)).toEqual([]);
  });
});

describe('conversations', () => {
  const flow = (to: string, triggers: JsonObject[], more: JsonObject = {}): JsonObject => ({
    ...more,
    triggers,
    steps: { say: { ...post, to } },
  });
  const command: JsonObject = { type: 'command', command: 'go' };
  const manual: JsonObject = { type: 'manual' };

  it('are fine when their platform is connected', () => {
    expect(faultsIn(flow('slack:#news', [manual], { conversation: 'discord:Home/#log' }))).toEqual([]);
  });

  it('of a platform that is not connected are worth a warning, for the others still work', () => {
    expect(faultsIn(flow('matrix:#news', [manual]))).toEqual([
      "warning platform at steps.say.to: matrix:#news can't be reached: Flowbot is not connected to matrix. Connect it, or name another conversation.",
    ]);
    expect(faultsIn(flow('slakc:#news', [manual]))[0]).toContain('Did you mean slack?');
    expect(faultsIn({ ...flow('slack:#news', [{ ...command, in: ['slack:#a', 'discrod:#b'] }]) })).toEqual([
      "warning platform at triggers.0.in.1: discrod:#b can't be reached: Flowbot is not connected to discrod. Did you mean discord?",
    ]);
  });

  test.each<[string, JsonObject, string[], boolean]>([
    ['on the only platform', flow('#news', [manual]), ['slack'], true],
    ['where a command was typed', flow('#news', [command]), here.platforms, true],
    ['where a command works', flow('slack:#x', [{ ...command, in: ['#news'] }]), here.platforms, true],
    ['where a flow may start from elsewhere', flow('#news', [command, manual]), here.platforms, false],
    ['as the home of runs', flow('slack:#x', [command], { conversation: '#news' }), here.platforms, false],
  ])('may leave out their platform %s', (_, written, platforms, isFine) => {
    const faults = faultsIn(written, { ...here, platforms });
    if (isFine) expect(faults).toEqual([]);
    else {
      expect(faults).toEqual([
        expect.stringMatching(
          /^platform at (steps.say.to|conversation): #news may be on slack or discord: it is not certain where the flow will be started. Write slack:#news or discord:#news.$/,
        ),
      ]);
    }
  });

  it('are all known: the home of the flow and where its steps post', () => {
    const plan = planOf({
      conversation: '#home',
      steps: { a: post, b: ask, c: { ...post, to: 'discord:Home/#x' } },
    });
    expect(destinationsOf(plan)).toEqual([
      { address: '#home', path: ['conversation'] },
      { address: 'slack:#news', path: ['steps', 'a', 'to'] },
      { address: 'discord:Home/#x', path: ['steps', 'c', 'to'] },
    ]);
  });
});
