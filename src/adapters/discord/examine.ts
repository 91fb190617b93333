import { ApplicationFlags, Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Finding, fault, ok, warning } from '../chat/finding.ts';
import { type Called, type Calls, createCalls } from './calls.ts';
import type { DiscordSettings } from './index.ts';
import { excessive, inviteLink, permissions } from './permissions.ts';

/** What people call something: on one line, whatever stands in it. */
const nameShape = z.string().transform((name) => name.replace(/\s+/g, ' '));
const applicationShape = z.object({
  id: z.string(),
  name: nameShape,
  flags: z.number().default(0),
  bot_public: z.boolean(),
  bot: z.object({ username: nameShape }),
});
const serversShape = z.array(
  z.object({ id: z.string(), name: nameShape, permissions: z.string().regex(/^\d+$/).transform(BigInt) }),
);
type Server = z.infer<typeof serversShape>[number];
const commandsShape = z.array(z.object({ type: z.number().default(1), name: nameShape }));
type Command = z.infer<typeof commandsShape>[number];
const gatewayShape = z.object({
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});

const messageContent = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
/** Fewer starts left than this are worth a warning: a supervisor that starts a failing process over and over uses them up. */
const fewStarts = 100;

/** Compares an installation with what Flowbot needs, and says what each missing permission costs. Only reads. */
export async function examineDiscord(
  settings: DiscordSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<readonly Finding[]> {
  const { token, apiUrl, guildId, command } = settings;
  const calls = createCalls({ token, apiUrl, clock, log, onDead: () => {} });
  const read = <T>(route: `/${string}`, shape: z.ZodType<T>) => calls.read({ method: 'GET', route }, shape);
  const asked = await read(Routes.currentApplication(), applicationShape);
  if (asked.kind !== 'ok') return [fault(`DISCORD_TOKEN: ${why(asked, calls)}`)];
  const application = asked.data;
  return [
    ok(`Discord knows the bot as ${application.bot.username}, of the application ${application.name}.`),
    intentOf(application),
    ...openness(application, guildId),
    ...(await examineGateway()),
    ...(await examineServers()),
    ok(`The link that invites the bot, with the permissions that it needs: ${inviteLink(application.id)}`),
  ];

  async function examineGateway(): Promise<readonly Finding[]> {
    const gateway = await read(Routes.gatewayBot(), gatewayShape);
    if (gateway.kind !== 'ok') return [fault(`The connection for events: ${why(gateway, calls)}`)];
    const { remaining, reset_after: resetMs } = gateway.data.session_start_limit;
    if (remaining >= fewStarts) return [ok('Discord lets the bot connect.')];
    return [
      warning(
        `Discord lets the bot connect ${remaining} more times within the next ${Math.ceil(resetMs / 60_000)} minutes: see in the log why it is started so often. Beyond that Discord resets the token.`,
      ),
    ];
  }

  async function examineServers(): Promise<readonly Finding[]> {
    const servers = await read(Routes.userGuilds(), serversShape);
    if (servers.kind !== 'ok') return [fault(`The servers of the bot can’t be read: ${why(servers, calls)}`)];
    const served = servers.data.filter(({ id }) => guildId === undefined || id === guildId);
    if (served.length === 0) return [nowhere(servers.data, guildId)];
    const others = servers.data.filter((server) => !served.includes(server));
    return [
      ok(`The bot is in ${namesOf(served)}.`),
      ...(others.length === 0
        ? []
        : [ok(`It is also in ${namesOf(others)}, where it does nothing: DISCORD_GUILD_ID is set.`)]),
      ...served.flatMap(permissionsOf),
      ...(await examineCommands(served)),
    ];
  }

  async function examineCommands(served: readonly Server[]): Promise<readonly Finding[]> {
    const everywhere = await read(Routes.applicationCommands(application.id), commandsShape);
    if (everywhere.kind !== 'ok') return [warning(`The commands can’t be read: ${why(everywhere, calls)}`)];
    const findings: Finding[] = [];
    if (guildId === undefined) findings.push(registered(everywhere.data, command, 'in all servers'));
    for (const server of served) {
      const own = await read(Routes.applicationGuildCommands(application.id, server.id), commandsShape);
      if (own.kind !== 'ok') {
        findings.push(
          warning(
            `The commands in ${server.name} can’t be read: ${why(own, calls)} If the bot was invited without commands, open the link below once more.`,
          ),
        );
        continue;
      }
      if (guildId !== undefined) findings.push(registered(own.data, command, `in ${server.name}`));
      findings.push(...twice(everywhere.data, own.data, server, guildId));
    }
    return findings;
  }
}

function intentOf({ flags }: z.infer<typeof applicationShape>): Finding {
  return (flags & messageContent) === 0
    ? warning(
        'The Message Content Intent is switched off: commands after a sign (!release) are not seen in servers. Mentions, slash commands, buttons, “Use this message” and direct messages work. Developer Portal, Bot, Message Content Intent; then start Flowbot again.',
      )
    : ok('The Message Content Intent is switched on.');
}

function openness(
  { bot_public: isPublic }: z.infer<typeof applicationShape>,
  guildId: string | undefined,
): readonly Finding[] {
  if (!isPublic || guildId !== undefined) return [];
  return [
    warning(
      'Anybody can invite the bot to a server of their own and start flows there: set DISCORD_GUILD_ID to your server, or switch Public Bot off (Developer Portal, Bot).',
    ),
  ];
}

function nowhere(servers: readonly Server[], guildId: string | undefined): Finding {
  if (guildId === undefined) return fault('The bot is in no server yet: open the link below.');
  const others = servers.length === 0 ? 'in none' : `in ${namesOf(servers)}`;
  return fault(
    `DISCORD_GUILD_ID: the bot is not in the server ${guildId}, but ${others}. Open the link below, or correct the id.`,
  );
}

/** What the bot may do in a server, where a channel does not say otherwise. */
function permissionsOf({ name: server, permissions: held }: Server): readonly Finding[] {
  const has = ({ bit }: { readonly bit: bigint }) => (held & bit) !== 0n;
  const [administrator] = excessive;
  const lacking = administrator && has(administrator) ? [] : permissions.filter((one) => !has(one));
  return [
    ...(lacking.length === 0 ? [ok(`The permissions in ${server} are complete.`)] : []),
    ...lacking.map(({ name, cost }) => warning(`The permission ${name} is missing in ${server}. ${cost}`)),
    ...excessive
      .filter(has)
      .map(({ name }) =>
        warning(
          `The bot has the permission ${name} in ${server}, which it does not need. Its posts mention nobody without being told to; take it away from its role, and from @everyone, so that nothing could.`,
        ),
      ),
  ];
}

function registered(commands: readonly Command[], command: string, where: string): Finding {
  return commands.some(({ type, name }) => type === 1 && `/${name}` === command)
    ? ok(`The command ${command} is known ${where}.`)
    : ok(`The command ${command} is not known ${where} yet: Flowbot makes it known when it starts.`);
}

/** Discord shows a command once for all servers and once more for one. */
function twice(
  everywhere: readonly Command[],
  own: readonly Command[],
  { id, name: server }: Server,
  guildId: string | undefined,
): readonly Finding[] {
  const both = own.filter((one) =>
    everywhere.some((other) => other.type === one.type && other.name === one.name),
  );
  if (both.length === 0) return [];
  const mend =
    guildId === undefined
      ? `Start Flowbot once with DISCORD_GUILD_ID=${id}, then without it`
      : 'Start Flowbot once without DISCORD_GUILD_ID, then with it';
  return [
    warning(
      `In ${server} these are shown twice, as they are known there and in all servers: ${both.map(({ name }) => name).join(', ')}. ${mend}: it takes back what it does not need.`,
    ),
  ];
}

function namesOf(servers: readonly Server[]): string {
  return servers.map(({ name }) => name).join(', ');
}

function why(called: Exclude<Called<unknown>, { kind: 'ok' }>, { down }: Calls): string {
  return down ?? (called.kind === 'later' ? 'Discord asks to wait.' : called.message);
}
