import { invalidForm, refusal } from '../errors.ts';
import { tellChannel } from '../messages.ts';
import { channelWire, guildChannels, guildWire, memberWire, rolesWire, userOf } from '../payloads.ts';
import { guildPermissions, may } from '../permissions.ts';
import { type Call, channelOf, guildOf, limitOf, need, ok, type Reply, type Route } from '../route.ts';
import { textOf, type Wire } from '../wire.ts';
import { type Member, openDirect, type World } from '../world.ts';

/** Channels, servers and who is there. */
export const placeRoutes: readonly Route[] = [
  {
    name: 'GET /channels/:channel',
    run(world, call) {
      const channel = channelOf(world, call);
      return ok(channelWire(world, channel));
    },
  },
  { name: 'PATCH /channels/:channel', schema: () => 'channel edit', run: changeChannel },
  {
    name: 'POST /users/@me/channels',
    schema: () => 'direct channel',
    run(world, { body }) {
      const user = world.users.get(textOf(body.recipient_id));
      if (user === undefined) throw refusal('unknownUser');
      // Bots have no direct messages with each other.
      if (user.isBot) throw refusal('refusesDms');
      return ok(channelWire(world, openDirect(world, user.id)));
    },
  },
  { name: 'GET /guilds/:guild', run: (world, call) => ok(guildWire(guildOf(world, call))) },
  {
    name: 'GET /guilds/:guild/channels',
    run: (world, call) =>
      ok(guildChannels(world, guildOf(world, call).id).map((channel) => channelWire(world, channel))),
  },
  { name: 'GET /guilds/:guild/roles', run: (world, call) => ok(rolesWire(guildOf(world, call))) },
  {
    name: 'GET /guilds/:guild/members/search',
    run(world, call) {
      const guild = guildOf(world, call);
      const query = (call.query.get('query') ?? '').toLowerCase();
      if (query === '') {
        const message = 'This field is required';
        throw invalidForm([{ path: ['query'], code: 'BASE_TYPE_REQUIRED', message }]);
      }
      const found = [...guild.members.values()].filter(({ userId, nick }) => {
        const { username, name } = world.users.get(userId) ?? { username: '', name: '' };
        return [username, name, nick ?? ''].some((each) => each.toLowerCase().startsWith(query));
      });
      return ok(found.slice(0, limitOf(call, 1, 1000)).map((member) => wholeMember(world, member)));
    },
  },
  {
    name: 'GET /guilds/:guild/members/:user',
    run(world, call) {
      const guild = guildOf(world, call);
      const id = call.params.user ?? '';
      const member = guild.members.get(id);
      if (member === undefined) throw refusal(world.users.has(id) ? 'unknownMember' : 'unknownUser');
      return ok(wholeMember(world, member));
    },
  },
  {
    name: 'GET /users/@me/guilds',
    run: (world) =>
      ok(
        [...world.guilds.values()]
          .filter(({ members }) => members.has(world.botId))
          .map((guild) => ({
            id: guild.id,
            name: guild.name,
            icon: null,
            owner: false,
            permissions: String(guildPermissions(guild, world.botId)),
            features: [],
          })),
      ),
  },
  {
    name: 'GET /users/:user',
    run(world, { params }) {
      if (!world.users.has(params.user ?? '')) throw refusal('unknownUser');
      return ok(userOf(world, params.user ?? ''));
    },
  },
];

function wholeMember(world: World, member: Member): Wire {
  return { ...memberWire(member), user: userOf(world, member.userId) };
}

/** Of a thread: opens or closes it, or gives it another name. */
function changeChannel(world: World, call: Call): Reply {
  const channel = channelOf(world, call);
  const { archived, locked, name } = call.body;
  if (channel.thread === undefined) {
    need(world, channel, 'MANAGE_CHANNELS');
    channel.name = textOf(name) || channel.name;
    tellChannel(world, 'CHANNEL_UPDATE', channel);
    return ok(channelWire(world, channel));
  }
  const { thread } = channel;
  const isManager = may(world, channel, world.botId, 'MANAGE_THREADS');
  const opensOnly = archived === false && locked === undefined && name === undefined;
  if (thread.locked && !isManager) throw refusal('missingPermissions');
  if (locked !== undefined && !isManager) throw refusal('missingPermissions');
  if (thread.archived && archived !== false) throw refusal('archived');
  if (opensOnly) need(world, channel, 'SEND_MESSAGES_IN_THREADS');
  else if (thread.ownerId !== world.botId && !isManager) throw refusal('missingPermissions');
  if (typeof archived === 'boolean' && archived !== thread.archived) {
    thread.archived = archived;
    thread.archiveChangedAtMs = world.nowMs();
  }
  if (typeof locked === 'boolean') thread.locked = locked;
  channel.name = textOf(name) || channel.name;
  tellChannel(world, 'THREAD_UPDATE', channel);
  return ok(channelWire(world, channel));
}
