import { registered, withCommand } from '../commands.ts';
import { refusal } from '../errors.ts';
import { applicationFlags } from '../gateway.ts';
import { userOf } from '../payloads.ts';
import { noContent, ok, type Route } from '../route.ts';
import { isWire, type Wire } from '../wire.ts';
import type { World } from '../world.ts';

/** The bot itself, its way to the gateway and its commands. */
export const installationRoutes: readonly Route[] = [
  { name: 'GET /gateway', isOpen: true, run: (world) => ok({ url: gatewayUrl(world) }) },
  {
    name: 'GET /gateway/bot',
    run: (world, _, { gateway: { settings } }) =>
      ok({
        url: gatewayUrl(world),
        shards: settings.shards,
        session_start_limit: {
          total: 1000,
          remaining: settings.identifiesLeft,
          reset_after: 86_400_000,
          max_concurrency: 1,
        },
      }),
  },
  {
    name: 'GET /users/@me',
    run: (world) =>
      ok({ ...userOf(world, world.botId), verified: true, mfa_enabled: true, email: null, flags: 0 }),
  },
  { name: 'GET /oauth2/applications/@me', run: (world) => ok(application(world)) },
  { name: 'GET /applications/@me', run: (world) => ok(application(world)) },
  ...['', '/guilds/:guild'].flatMap((scope): readonly Route[] => {
    const path = `/applications/:application${scope}/commands`;
    const schema = () => (scope === '' ? ('commands' as const) : ('guild commands' as const));
    return [
      { name: `GET ${path}`, run: (world, { params }) => ok(commandsOf(world, params)) },
      {
        name: `PUT ${path}`,
        schema,
        run(world, { params, raw }) {
          const before = commandsOf(world, params);
          const now = registered(
            world,
            params.guild ?? '',
            Array.isArray(raw) ? raw.filter(isWire) : [],
            before,
          );
          world.commands.set(params.guild ?? '', now);
          return ok(now);
        },
      },
      {
        name: `POST ${path}`,
        schema,
        checked: ({ raw }) => [raw],
        run(world, { params, body }) {
          const before = commandsOf(world, params);
          const { commands, command, isNew } = withCommand(world, params.guild ?? '', body, before);
          world.commands.set(params.guild ?? '', commands);
          return ok(command, isNew ? 201 : 200);
        },
      },
      {
        name: `DELETE ${path}/:command`,
        run(world, { params }) {
          const before = commandsOf(world, params);
          const rest = before.filter(({ id }) => id !== params.command);
          if (rest.length === before.length) throw refusal('unknownCommand');
          world.commands.set(params.guild ?? '', rest);
          return noContent;
        },
      },
    ];
  }),
];

function commandsOf(
  world: World,
  { application: id, guild }: Readonly<Record<string, string>>,
): readonly Wire[] {
  if (id !== world.appId) throw refusal('unknownApplication');
  if (guild !== undefined && !world.guilds.has(guild)) throw refusal('unknownGuild');
  return world.commands.get(guild ?? '') ?? [];
}

function gatewayUrl(world: World): string {
  return `${world.baseUrl().replace('http', 'ws')}/gw`;
}

function application(world: World): Wire {
  return {
    id: world.appId,
    name: world.users.get(world.botId)?.name,
    description: '',
    icon: null,
    bot_public: world.portal.publicBot,
    bot_require_code_grant: false,
    flags: applicationFlags(world),
    verify_key: 'a'.repeat(64),
    team: null,
    summary: '',
    bot: userOf(world, world.botId),
    integration_types_config: { 0: {} },
    approximate_guild_count: world.guilds.size,
  };
}
