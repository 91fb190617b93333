import { createServer } from 'node:http';
import type { Person } from '../../../src/engine/people.ts';
import type { ChatFault } from '../../contracts/chat-harness.ts';
import { createActivity } from '../activity.ts';
import type { DiscordStandIn, DiscordStandInOptions } from './discord-stand-in.ts';
import { createFaults, type RequestFault } from './faults.ts';
import { createForms } from './forms.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { createHands } from './hands.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createInteractions } from './interactions.ts';
import { messageWire } from './payloads.ts';
import { createPlaces } from './places.ts';
import { createRest, fileDownload } from './rest.ts';
import { isWire } from './wire.ts';
import { createWorld, fixedIds, type World } from './world.ts';
import { createWriting } from './writing.ts';

const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.GflowB.a-token-of-the-stand-in_0123456789';

/** How the faults of the contract look on Discord. */
const chatFaults: Readonly<Record<ChatFault, RequestFault>> = {
  refuse: { kind: 'error', status: 403, code: 50013, message: 'Missing Permissions' },
  later: { kind: '429', retryAfterS: 1 },
  'lost-answer': { kind: 'lost' },
  reset: { kind: 'reset' },
};

const posting: readonly string[] = [
  'POST /channels/:channel/messages',
  'PATCH /channels/:channel/messages/:message',
  'POST /channels/:channel/threads',
];

/** Starts a stand-in on 127.0.0.1. Its people are ana, bo, cy and the owner of the server. */
export async function createDiscordStandIn(options: DiscordStandInOptions = {}): Promise<DiscordStandIn> {
  const clock = options.clock ?? handClock();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const activity = createActivity();
  const faults = createFaults();
  let isRevoked = false;
  const hasToken = (given: string) => !isRevoked && given === token;

  const world: World = createWorld({
    nowMs: () => clock.now(),
    baseUrl,
    botName: options.botName ?? 'flowbot',
    happen: (happening) => gateway.tell(happening),
  });
  const gateway: Gateway = createGateway({ server, world: () => world, activity, hasToken });
  const rest = createRest({ world, tools: { gateway }, faults, activity, hasToken });
  server.on('request', (request, response) => {
    rest.handle(request, response).catch((error: unknown) => {
      // A fault of the stand-in itself must not look like one of Discord's.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(error instanceof Error ? error.stack : String(error));
    });
  });

  const places = createPlaces(world);
  const hands = createHands({ world, gateway, activity, answerMs: options.answerMs ?? 3000 });
  const person = (id: string): Person => ({ platform: 'discord', id, name: world.users.get(id)?.name ?? id });
  const placeOf = (id: string) => places.placeOf(places.channelOf({ platform: 'discord', conversation: id }));
  const pass = (ms: number) => {
    if (!clock.pass) throw new Error('this clock is not turned by hand');
    clock.pass(ms);
  };

  const housekeeping = createHousekeeping({ world, places, hands });
  return {
    ...housekeeping,
    ...createInteractions({ world, places, hands, command: options.command ?? 'flow' }),
    ...createForms({ world, places, hands }),
    ...createWriting({ world, places, hands }),
    troubles: hands.troubles,
    people: {
      ana: person(fixedIds.ana),
      bo: person(fixedIds.bo),
      cy: person(fixedIds.cy),
      owner: person(fixedIds.owner),
    },
    async outsiders() {
      const gone = person(fixedIds.cy);
      await housekeeping.leave(gone);
      return { self: person(fixedIds.bot), bot: person(fixedIds.otherBot), gone };
    },
    async roleOfBo() {
      const id = await housekeeping.createRole('helpers');
      await housekeeping.giveRole(person(fixedIds.bo), id);
      return { id, name: 'helpers' };
    },
    address: '#general',
    channel: placeOf('300000000000000001'),
    otherChannel: placeOf('300000000000000002'),
    apiUrl: `${baseUrl()}/api`,
    token,
    appId: world.appId,
    botId: world.botId,
    guildId: fixedIds.guild,
    gateway,
    portal: world.portal,
    revokeToken() {
      isRevoked = true;
    },
    get nonceWindowMs() {
      return world.nonceWindowMs;
    },
    set nonceWindowMs(ms) {
      world.nonceWindowMs = ms;
    },
    commands: (guildId = '') => world.commands.get(guildId) ?? [],
    raw: (ref) => messageWire(world, places.messageOf(ref)),
    failRequest: (route, fault, times = 1) =>
      faults.add((name) => (typeof route === 'string' ? name === route : route.test(name)), fault, times),
    failNext: (fault) => faults.add((route) => posting.includes(route), chatFaults[fault], 1),
    async removeFile(id) {
      world.attachments.delete(id);
    },
    loseFiles: () =>
      faults.add((route) => route === fileDownload, { kind: 'reset' }, Number.POSITIVE_INFINITY),
    calls: () => rest.calls,
    faults: () => rest.bodyFaults,
    async onceConnected(count = 1) {
      await activity.until(() => gateway.connections() >= count);
      await hands.settle();
    },
    until: activity.until,
    quiet: hands.settle,
    async sendEvent(t, d) {
      const guildId = typeof d.guild_id === 'string' ? d.guild_id : undefined;
      world.happen({ t, d, intents: 0, guildId });
      await hands.settle();
    },
    placeOf,
    async redeliver() {
      gateway.repeat(({ t, d }) => {
        const author = isWire(d.author) ? d.author.id : undefined;
        return t === 'INTERACTION_CREATE' || (t === 'MESSAGE_CREATE' && author !== world.botId);
      });
      await hands.settle();
    },
    async retry() {
      clock.pass?.(60_000);
      await hands.settle();
    },
    nowMs: () => clock.now(),
    pass,
    async close() {
      gateway.terminate();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function handClock(): { now(): number; pass(ms: number): void } {
  let nowMs = Date.now();
  return {
    now: () => nowMs,
    pass(ms) {
      nowMs += ms;
    },
  };
}
