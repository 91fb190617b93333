import type { Person } from '../../../src/engine/people.ts';
import type { RequestFault } from '../../fakes/discord/faults.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import type { EditFault, Platform, Stage } from '../chat/approvals.ts';
import { openLive } from './live.ts';

const edit = 'PATCH /channels/:channel/messages/:message';

const faults: Readonly<Record<EditFault, RequestFault>> = {
  fails: { kind: 'status', status: 503 },
  'asks to wait': { kind: '429', retryAfterS: 2 },
  'breaks off': { kind: 'reset' },
  'is done, and nobody hears of it': { kind: 'lost' },
};

const person = (id: string, name: string): Person => ({ platform: 'discord', id, name });

/** When something was made, by its id: real time where the platform's clock is real. */
const madeAtMs = (id: string) => Number(BigInt(id) >> 22n) + 1_420_070_400_000;

/** A Discord with a Flowbot, as the tests of approvals know it. */
export interface DiscordStage extends Stage {
  readonly discord: DiscordStandIn;
}

/** Makes it. */
function discordStage(discord: DiscordStandIn, live: Stage['live']): DiscordStage {
  return {
    discord,
    desk: discord,
    live,
    async group(name, people) {
      const role = await discord.createRole(name, { isMentionable: true });
      for (const one of people) await discord.giveRole(one, role);
    },
    async reply(by, message, text) {
      const thread = await discord.openThread(by, message, 'About this');
      await discord.say(by, thread, text);
      return thread;
    },
    failEdits: (fault, times) => discord.failRequest(edit, faults[fault], times),
    addPeople: discord.addPeople,
    waits: () =>
      discord
        .calls()
        .filter(({ route }) => route === 'POST /interactions/:interaction/:token/callback')
        .map(({ params, atMs }) => atMs - madeAtMs(params.interaction ?? '')),
    sent: () => JSON.stringify(discord.calls().map(({ body }) => body)),
    complaints: () => [
      ...discord.faults(),
      ...Object.values(discord.people).flatMap((one) => discord.troubles(one)),
    ],
  };
}

/** Discord. */
export const onDiscord: Platform<DiscordStage> = {
  name: 'discord',
  people: {
    ana: person('400000000000000001', 'Ana'),
    bo: person('400000000000000002', 'Bo'),
    cy: person('400000000000000003', 'Cy'),
  },
  readerTime: (atMs) => `<t:${Math.floor(atMs / 1000)}:f>`,
  async open(flows, env = {}, clock) {
    const { discord, live } = await openLive(flows, { env, ...(clock && { clock, speed: 1 }) });
    return discordStage(discord, live);
  },
};
