import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Finding, fault, ok, warning } from '../chat/finding.ts';
import { type Called, createCalls } from './calls.ts';
import type { SlackSettings } from './index.ts';
import { events, type Need, scopes } from './manifest.ts';

const authShape = z.object({
  team: z.string(),
  user: z.string(),
  bot_id: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
});
const manifestShape = z.object({
  manifest: z.object({
    features: z.object({ slash_commands: z.array(z.object({ command: z.string() })).default([]) }).default({
      slash_commands: [],
    }),
    settings: z
      .object({
        event_subscriptions: z
          .object({ bot_events: z.array(z.string()).default([]) })
          .default({ bot_events: [] }),
        interactivity: z.object({ is_enabled: z.boolean() }).default({ is_enabled: false }),
        socket_mode_enabled: z.boolean().default(false),
      })
      .default({
        event_subscriptions: { bot_events: [] },
        interactivity: { is_enabled: false },
        socket_mode_enabled: false,
      }),
  }),
});

/**
 * Compares an installation with what Flowbot needs, and says what each missing permission or event costs. Only reads.
 *
 * @param command the slash command, with its slash.
 */
export async function examineSlack(
  settings: SlackSettings,
  { command, clock, log }: { readonly command: string; readonly clock: Clock; readonly log: Log },
): Promise<readonly Finding[]> {
  const caller = (token: string) => createCalls({ token, apiUrl: settings.apiUrl, clock, log });
  const calls = caller(settings.botToken);
  const auth = await calls.call('auth.test', {}, authShape);
  if (auth.kind !== 'ok') return [fault(`SLACK_BOT_TOKEN: ${calls.dead ?? why(auth)}`)];
  const { team, user, bot_id: bot, response_metadata: metadata } = auth.data;
  return [
    ok(`Slack knows the bot as ${user} in the workspace ${team}.`),
    ...missing('The permission', scopes, metadata?.scopes),
    ...(settings.events.kind === 'socket' ? [await connection(caller(settings.events.appToken))] : []),
    ...(await examineManifest(bot)),
  ];

  async function examineManifest(botId: string): Promise<readonly Finding[]> {
    if (settings.configToken === undefined) {
      return [
        warning(
          'Which events the app is sent can’t be seen with its own tokens: set SLACK_CONFIG_TOKEN, or compare its manifest with that of flowbot slack-manifest.',
        ),
      ];
    }
    const info = await calls.call(
      'bots.info',
      { bot: botId },
      z.object({ bot: z.object({ app_id: z.string() }) }),
    );
    if (info.kind !== 'ok') return [warning(`The app’s id can’t be read: ${why(info)}`)];
    const exporter = caller(settings.configToken);
    const exported = await exporter.call(
      'apps.manifest.export',
      { app_id: info.data.bot.app_id },
      manifestShape,
    );
    if (exported.kind !== 'ok') return [warning(`SLACK_CONFIG_TOKEN: ${exporter.dead ?? why(exported)}`)];
    return compare(exported.data.manifest, settings, command);
  }
}

async function connection(app: ReturnType<typeof createCalls>): Promise<Finding> {
  const opened = await app.call('apps.connections.open', {}, z.object({ url: z.string() }));
  return opened.kind === 'ok'
    ? ok('Socket Mode answers.')
    : fault(`SLACK_APP_TOKEN: ${app.dead ?? why(opened)}`);
}

function compare(
  { features, settings: has }: z.infer<typeof manifestShape>['manifest'],
  { events: transport }: SlackSettings,
  command: string,
): readonly Finding[] {
  const commands = features.slash_commands.map((one) => one.command);
  const isSocket = transport.kind === 'socket';
  return [
    ...missing('The event', events, has.event_subscriptions.bot_events),
    ...(commands.includes(command)
      ? []
      : [fault(`The app has no slash command ${command}: ${commands.join(', ') || 'it has none'}.`)]),
    ...(has.interactivity.is_enabled
      ? []
      : [fault('Interactivity is switched off: buttons and forms do not work.')]),
    ...(has.socket_mode_enabled === isSocket
      ? []
      : [
          fault(
            isSocket
              ? 'Socket Mode is switched off in the app: nothing arrives.'
              : 'Socket Mode is switched on in the app: nothing arrives over HTTP.',
          ),
        ]),
  ];
}

function missing(
  what: string,
  needs: readonly Need[],
  granted: readonly string[] | undefined,
): readonly Finding[] {
  if (granted === undefined) return [warning(`${what}s of the app can’t be seen.`)];
  const lacking = needs.filter(({ name }) => !granted.includes(name));
  if (lacking.length === 0) return [ok(`${what}s of the app are complete.`)];
  return lacking.map(({ name, cost }) => warning(`${what} ${name} is missing. ${cost}`));
}

function why(called: Exclude<Called<unknown>, { kind: 'ok' }>): string {
  return called.kind === 'later' ? 'Slack asks to wait.' : called.message;
}
