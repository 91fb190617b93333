import { SlackError } from '../errors.ts';
import type { Method } from '../method.ts';

/** Methods about the installation itself. */
export const installationMethods: Readonly<Record<string, Method>> = {
  'auth.test': {
    token: 'bot or app',
    args: [],
    run: (_args, { teamId, botUserId, botId, appId, users }, { token }) =>
      token === 'app'
        ? { app_name: 'Flowbot', app_id: appId }
        : {
            url: 'https://flowbot-test.slack.com/',
            team: 'Flowbot Test',
            user: users.get(botUserId)?.handle,
            team_id: teamId,
            user_id: botUserId,
            bot_id: botId,
            is_enterprise_install: false,
          },
  },
  'apps.connections.open': {
    token: 'app',
    args: [],
    run: (_args, _workspace, { openConnection }) => ({ url: openConnection() }),
  },
  'apps.manifest.export': {
    token: 'config',
    args: ['app_id'],
    required: ['app_id'],
    run(args, { appId, manifest }) {
      if (args.need('app_id') !== appId) throw new SlackError('invalid_app_id');
      return { manifest };
    },
  },
  'team.info': {
    scopes: ['team:read'],
    args: ['team', 'domain'],
    run: (_args, { teamId }) => ({
      team: { id: teamId, name: 'Flowbot Test', domain: 'flowbot-test', enterprise_id: undefined },
    }),
  },
  'bots.info': {
    scopes: ['users:read'],
    args: ['bot'],
    run(args, { botId, botUserId, appId }) {
      if ((args.text('bot') ?? botId) !== botId) throw new SlackError('bot_not_found');
      return { bot: { id: botId, deleted: false, name: 'flowbot', app_id: appId, user_id: botUserId } };
    },
  },
};
