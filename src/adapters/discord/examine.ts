import { ApplicationFlags, Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Finding, fault, ok, warning } from '../chat/finding.ts';
import { type Called, createCalls } from './calls.ts';
import { examineChannels, type PostedTo, type Reader } from './examine-channels.ts';
import type { DiscordSettings } from './index.ts';
import { allows, excessive, inviteLink, permissions } from './permissions.ts';

/** What people call something: on one line, whatever stands in it. */
const nameShape = z.string().transform((name) => name.replace(/\s+/g, ' '));
const applicationShape = z.object({
  id: z.string(),
  name: nameShape,
  flags: z.number().default(0),
  bot_public: z.boolean(),
  bot: z.object({ id: z.string(), username: nameShape }).optional(),
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

/**
 * Compares an installation with what Flowbot needs, and says what each missing permission costs. Only reads.
 * @param postedTo the conversations of Discord that flows post to
 */
export async function examineDiscord(
  settings: DiscordSettings,
  {
    clock,
    log,
    postedTo,
  }: { readonly clock: Clock; readonly log: Log; readonly postedTo: readonly PostedTo[] },
): Promise<readonly Finding[]> {
  const { token, apiUrl, guildId, command } = settings;
  let isRefused = false;
  const onDead = () => {
    isRefused = true;
  };
  const calls = createCalls({ token, apiUrl, clock, log, onDead });
  const reader: Reader = {
    read: (route, shape) => calls.read({ method: 'GET', route }, shape),
    why: (failed) => calls.down ?? (failed.kind === 'later' ? 'Discord asks to wait.' : failed.message),
  };
  const { read, why } = reader;
  const asked = await read(Routes.currentApplication(), applicationShape);
  if (isRefused) return [fault(tokenRefused)];
  if (asked.kind !== 'ok') return [fault(`Discord can’t be asked: ${why(asked)}`)];
  const application = asked.data;
  return [
    ok(
      `Discord knows the bot as ${application.bot?.username ?? application.name}, of the application ${application.name}.`,
    ),
    intentOf(application),
    ...openness(application, guildId),
    ...(await examineGateway()),
    ...(await examineServers()),
    ok(`The link that invites the bot, with the permissions that it needs: ${inviteLink(application.id)}`),
  ];

  async function examineGateway(): Promise<readonly Finding[]> {
    const gateway = await read(Routes.gatewayBot(), gatewayShape);
    if (gateway.kind !== 'ok') return [fault(`The connection for events: ${why(gateway)}`)];
    const { remaining, reset_after: resetMs } = gateway.data.session_start_limit;
    if (remaining >= fewStarts) return [ok('Discord lets the bot connect.')];
    const inMinutes = Math.ceil(resetMs / 60_000);
    const often = 'See in the log why it is started so often.';
    return remaining === 0
      ? [fault(`Discord lets the bot connect again in ${inMinutes} minutes only. ${often}`)]
      : [
          warning(
            `Connections that Discord lets the bot make within the next ${inMinutes} minutes: ${remaining}. ${often} Beyond that Discord resets the token.`,
          ),
        ];
  }

  async function examineServers(): Promise<readonly Finding[]> {
    const servers = await read(Routes.userGuilds(), serversShape);
    if (servers.kind !== 'ok') return [fault(`The servers of the bot can’t be read: ${why(servers)}`)];
    const served = servers.data.filter(({ id }) => guildId === undefined || id === guildId);
    if (served.length === 0) return [nowhere(servers.data, guildId)];
    const others = servers.data.filter((server) => !served.includes(server));
    return [
      ok(`The bot is in ${namesOf(served)}.`),
      ...(others.length === 0
        ? []
        : [ok(`It is also in ${namesOf(others)}, where it does nothing: DISCORD_GUILD_ID is set.`)]),
      ...served.flatMap(permissionsOf),
      ...(application.bot ? await examineChannels(reader, application.bot.id, served, postedTo) : []),
      ...(await examineCommands(served)),
    ];
  }

  async function examineCommands(served: readonly Server[]): Promise<readonly Finding[]> {
    const everywhere = await read(Routes.applicationCommands(application.id), commandsShape);
    if (everywhere.kind !== 'ok') return [warning(`The commands can’t be read: ${why(everywhere)}`)];
    const findings: Finding[] = [];
    if (guildId === undefined) findings.push(registered(everywhere.data, command, 'in all servers'));
    for (const server of served) {
      const own = await read(Routes.applicationGuildCommands(application.id, server.id), commandsShape);
      if (own.kind !== 'ok') {
        findings.push(warning(unreadable(server, own)));
        continue;
      }
      if (guildId !== undefined) findings.push(registered(own.data, command, `in ${server.name}`));
      findings.push(...twice(everywhere.data, own.data, server, guildId));
    }
    return findings;
  }

  function unreadable({ name: server }: Server, own: Exclude<Called<unknown>, { kind: 'ok' }>): string {
    return own.kind === 'refused' && own.refusal === 'outside'
      ? `The bot was invited to ${server} without its commands: open the link below once more.`
      : `The commands in ${server} can’t be read: ${why(own)}`;
  }
}

function intentOf({ flags }: z.infer<typeof applicationShape>): Finding {
  return (flags & messageContent) === 0
    ? warning(
        'The Message Content Intent is switched off: commands after a sign (!release) are not seen in servers, and conversations can’t be summed up. Mentions, slash commands, buttons, “Use this message” and direct messages work. Developer Portal, Bot, Message Content Intent; then start Flowbot again.',
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
      'Anybody can invite the bot to a server of their own and start flows there: set DISCORD_GUILD_ID to your server, or switch Public Bot off (Developer Portal: Installation, Install Link, None; then Bot, Public Bot).',
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
  const lacking = permissions.filter((one) => !allows(held, one));
  const worst = excessive.find((one) => allows(held, one));
  return [
    ...(lacking.length === 0 ? [ok(`The permissions in ${server} are complete.`)] : []),
    ...lacking.map(({ name, cost }) => warning(`The permission ${name} is missing in ${server}. ${cost}`)),
    ...(worst === undefined
      ? []
      : [
          warning(
            `The bot has the permission ${worst.name} in ${server}, which it does not need: take it away from its role, and from @everyone. Its posts mention nobody without being told to; without the permission nothing could make them.`,
          ),
        ]),
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

const tokenRefused =
  'DISCORD_TOKEN: Discord does not accept it. Copy the token anew, or reset it (Developer Portal, Bot, Reset Token).';
