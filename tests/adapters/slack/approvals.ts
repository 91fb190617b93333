import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import type { MethodFault } from '../../fakes/slack/faults.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import type { EditFault, Platform, Stage } from '../chat/approvals.ts';
import { createWorkspace } from './harness.ts';
import { goLive } from './live.ts';

const faults: Readonly<Record<EditFault, MethodFault>> = {
  fails: { kind: 'status', status: 503 },
  'asks to wait': { kind: '429', retryAfterS: 2 },
  'breaks off': { kind: 'reset' },
  'is done, and nobody hears of it': { kind: 'lost' },
};

const person = (id: string, name: string): Person => ({ platform: 'slack', id, name });

/** A workspace with a Flowbot, as the tests of approvals know it. */
export interface SlackStage extends Stage {
  readonly slack: SlackStandIn;
}

/** Makes it. */
function slackStage(slack: SlackStandIn, live: Stage['live']): SlackStage {
  return {
    slack,
    desk: slack,
    live,
    async group(name, people) {
      const id = `S0${name.toUpperCase()}`;
      slack.createGroup({ id, handle: name, users: people.map((one) => one.id) });
    },
    async reply(by, { id, thread = id, ...place }, text) {
      await slack.say(by, { ...place, thread }, text);
      return { ...place, thread };
    },
    failEdits: (fault, times) => slack.failMethod('chat.update', faults[fault], times),
    addPeople: slack.addPeople,
    waits: () =>
      slack
        .delivered()
        .filter(({ what }) => what === 'block_actions')
        .map(({ sentAtMs, ackedAtMs = Number.POSITIVE_INFINITY }) => ackedAtMs - sentAtMs),
    sent: () => JSON.stringify(slack.calls().map(({ args }) => args)),
    complaints: () => Object.values(slack.people).flatMap((one) => slack.troubles(one)),
  };
}

/** Slack, over HTTP. */
export const onSlack: Platform<SlackStage> = {
  name: 'slack',
  people: { ana: person('U0ANA', 'Ana'), bo: person('U0BO', 'Bo'), cy: person('U0CY', 'Cy') },
  readerTime: (atMs) => `"type":"date","timestamp":${Math.floor(atMs / 1000)}`,
  async open(flows, env, clock) {
    const slack = await createWorkspace(clock ? { clock } : {});
    const live = await goLive(slack, 'http', flows, env, clock && 1);
    onTestFinished(async () => {
      await live.close();
      await slack.close();
    });
    return slackStage(slack, live);
  },
};
