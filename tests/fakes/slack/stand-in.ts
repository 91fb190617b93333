import { createServer } from 'node:http';
import type { Person } from '../../../src/engine/people.ts';
import type { ChatFault } from '../../contracts/chat-harness.ts';
import { createActivity } from '../activity.ts';
import { createDelivery } from './delivery.ts';
import { createFaults, type MethodFault } from './faults.ts';
import { createForms } from './forms.ts';
import { createHands } from './hands.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createHttpDelivery } from './http-delivery.ts';
import { createInteractions } from './interactions.ts';
import { createPlaces } from './places.ts';
import type { SlackStandIn, SlackStandInOptions } from './slack-stand-in.ts';
import { createSockets, type Sockets } from './socket.ts';
import { mentionOf } from './typed.ts';
import { createWebApi, fileDownload } from './web-api.ts';
import { createWorkspace, openDirect, type Workspace } from './workspace.ts';
import { createWriting } from './writing.ts';

const tokens = { 'xoxb-flowbot': 'bot', 'xapp-flowbot': 'app', 'xoxe-flowbot': 'config' } as const;
const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5';

/** How the faults of the contract look on Slack. */
const chatFaults: Readonly<Record<ChatFault, MethodFault>> = {
  refuse: { kind: 'error', code: 'restricted_action' },
  later: { kind: '429', retryAfterS: 1 },
  'lost-answer': { kind: 'lost' },
  reset: { kind: 'reset' },
};

const posting = ['chat.postMessage', 'chat.update', 'files.completeUploadExternal'];

/** Starts a stand-in on 127.0.0.1. Its people are ana, bo, cy, gro, dee (deactivated), a guest, and fay of another organisation. */
export async function createSlackStandIn(options: SlackStandInOptions = {}): Promise<SlackStandIn> {
  const clock = options.clock ?? handClock();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const activity = createActivity();
  const faults = createFaults();
  const settings: Pick<SlackStandIn, 'eventsUrl' | 'formContentType' | 'mentionEvents'> = {
    eventsUrl: undefined,
    formContentType: 'application/x-www-form-urlencoded',
    mentionEvents: 'both',
  };

  const workspace: Workspace = createWorkspace({
    nowMs: () => clock.now(),
    baseUrl,
    botName: options.botName ?? 'flowbot',
    happen: (event) => delivery.event(event),
  });
  const delivery = createDelivery({
    workspace: () => workspace,
    transport: () => (settings.eventsUrl === undefined ? sockets : http),
    activity,
    settleMs: options.settleMs ?? 300,
  });
  const sockets: Sockets = createSockets({
    server,
    baseUrl,
    appId: workspace.appId,
    activity,
    onOpen: () => void delivery.flush(),
    onAck: delivery.taken,
  });
  const http = createHttpDelivery({
    url: () => settings.eventsUrl ?? `${baseUrl()}/nowhere`,
    signingSecret,
    nowMs: () => clock.now(),
    formType: () => settings.formContentType,
  });
  const { calls, handle } = createWebApi({
    workspace,
    tokens,
    faults,
    activity,
    openConnection: sockets.issueUrl,
  });
  server.on('request', (request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A fault of the stand-in itself must not look like one of Slack's.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(error instanceof Error ? error.stack : String(error));
    });
  });

  const places = createPlaces(workspace, options.conversationId ?? ((_team, channel) => channel));
  const { placeOf } = places;
  const hands = createHands(workspace, delivery, activity);
  const person = (id: string): Person => ({
    platform: 'slack',
    id,
    name: workspace.users.get(id)?.name ?? id,
  });
  const pass = (ms: number) => {
    if (!clock.pass) throw new Error('this clock is not turned by hand');
    clock.pass(ms);
  };

  return {
    ...createHousekeeping(workspace, places, (event) => delivery.event(event)),
    ...createInteractions({ workspace, delivery, activity, places, hands }),
    ...createForms({ workspace, delivery, activity, hands }),
    troubles: hands.troubles,
    ...createWriting({ workspace, delivery, places, mentionEvents: () => settings.mentionEvents }),
    people: {
      ana: person('U0ANA'),
      bo: person('U0BO'),
      cy: person('U0CY'),
      dee: person('U0DEE'),
      guest: person('U0GUEST'),
      fay: person('U0FAY'),
      gro: person('W0GRID'),
    },
    outsiders: async () => ({
      self: person(workspace.botUserId),
      bot: person('U0OTHERBOT'),
      gone: person('U0DEE'),
      guest: person('U0GUEST'),
      foreign: person('U0FAY'),
    }),
    async roleOfBo() {
      const group = { id: 'S0HELP', handle: 'helpers', users: ['U0BO'], disabled: false };
      workspace.groups.set(group.id, group);
      return { id: group.id, name: group.handle };
    },
    address: '#general',
    channel: placeOf('C0GENERAL'),
    otherChannel: placeOf('C0RELEASES'),
    apiUrl: `${baseUrl()}/api/`,
    botToken: 'xoxb-flowbot',
    appToken: 'xapp-flowbot',
    configToken: 'xoxe-flowbot',
    signingSecret,
    botUserId: workspace.botUserId,
    botId: workspace.botId,
    appId: workspace.appId,
    teamId: workspace.teamId,
    get eventsUrl() {
      return settings.eventsUrl;
    },
    set eventsUrl(url) {
      settings.eventsUrl = url;
    },
    get formContentType() {
      return settings.formContentType;
    },
    set formContentType(type) {
      settings.formContentType = type;
    },
    get mentionEvents() {
      return settings.mentionEvents;
    },
    set mentionEvents(events) {
      settings.mentionEvents = events;
    },
    get scopes() {
      return workspace.scopes;
    },
    set scopes(scopes) {
      workspace.scopes = scopes;
    },
    get manifest() {
      return workspace.manifest;
    },
    set manifest(manifest) {
      workspace.manifest = manifest;
    },
    get fileDelays() {
      return workspace.fileDelays;
    },
    set fileDelays(delays) {
      workspace.fileDelays = delays;
    },
    get pageSizes() {
      return workspace.pageSizes;
    },
    set pageSizes(sizes) {
      workspace.pageSizes = sizes;
    },
    mention: (of) => mentionOf(typeof of === 'string' ? of : of.id),
    directPlace: ({ id }) => placeOf(openDirect(workspace, id).id),
    failMethod: (method, fault, times = 1) => faults.add([method], fault, times),
    failNext: (fault) => faults.add(posting, chatFaults[fault], 1),
    async removeFile(id) {
      workspace.files.delete(id);
    },
    loseFiles: () => faults.add([fileDownload], { kind: 'reset' }, Number.POSITIVE_INFINITY),
    refuseConnections: sockets.refuse,
    dropConnections: sockets.drop,
    refresh: (reason = 'refresh_requested') => sockets.disconnect(reason),
    connections: sockets.connections,
    onceConnected: (count) => activity.until(() => sockets.connections() >= count),
    until: activity.until,
    quiet: activity.quiet,
    delivered: () => delivery.delivered,
    undelivered: delivery.waiting,
    forget: delivery.forget,
    calls: () => calls,
    sendEvent: (event) => delivery.event({ event_ts: workspace.nextTs(), ...event }),
    sendSigned: http.sendSigned,
    urlVerification: (challenge) =>
      http.sendSigned({
        body: JSON.stringify({ type: 'url_verification', token: 'verification-token', challenge }),
      }),
    sslCheck: () =>
      http.sendSigned({
        body: 'ssl_check=1&token=verification-token',
        contentType: 'application/x-www-form-urlencoded',
        signature: '',
      }),
    redeliver: delivery.redeliver,
    async retry() {
      clock.pass?.(60_000);
      await delivery.flush();
    },
    nowMs: () => clock.now(),
    pass,
    async close() {
      sockets.drop();
      http.close();
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
