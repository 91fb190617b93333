import type { JsonObject } from '../../engine/json.ts';

/** A permission or event that the app needs, and what is lost without it. */
export interface Need {
  readonly name: string;
  /** A sentence about what does not work without it. */
  readonly cost: string;
}

/** Permissions of the bot's token. @see https://docs.slack.dev/reference/scopes */
export const scopes: readonly Need[] = [
  { name: 'commands', cost: 'The slash command and the shortcuts do not work.' },
  { name: 'chat:write', cost: 'Nothing can be posted.' },
  { name: 'app_mentions:read', cost: 'Commands after a mention work only where message events come.' },
  {
    name: 'channels:history',
    cost: 'Commands in public channels are not seen, flows can’t read back what was written there, and after a crash a post there can’t be looked up.',
  },
  {
    name: 'groups:history',
    cost: 'Commands in private channels are not seen, flows can’t read back what was written there, and after a crash a post there can’t be looked up.',
  },
  { name: 'im:history', cost: 'Direct messages to the bot are not seen.' },
  { name: 'mpim:history', cost: 'Commands in group conversations are not seen.' },
  { name: 'channels:read', cost: 'Public channels are not found by name.' },
  { name: 'groups:read', cost: 'Private channels are not found by name.' },
  { name: 'im:read', cost: 'Direct conversations have no names.' },
  { name: 'mpim:read', cost: 'Group conversations have no names.' },
  { name: 'channels:join', cost: 'The bot must be invited to each public channel that it posts in.' },
  { name: 'im:write', cost: 'The bot can’t begin direct conversations.' },
  {
    name: 'users:read',
    cost: 'People are shown by their ids, and nobody can approve: members can’t be told from guests and bots.',
  },
  { name: 'usergroups:read', cost: 'User groups can’t approve or be allowed: whoever they name is refused.' },
  { name: 'files:read', cost: 'Files that people send can’t be read.' },
  { name: 'files:write', cost: 'Long outputs can’t be posted as files, and no pictures are shown.' },
];

/** Events that the app is sent. @see https://docs.slack.dev/reference/events */
export const events: readonly Need[] = [
  { name: 'app_mention', cost: 'Commands after a mention work only where message events come.' },
  { name: 'message.channels', cost: 'Commands in public channels are not seen.' },
  { name: 'message.groups', cost: 'Commands in private channels are not seen.' },
  { name: 'message.im', cost: 'Direct messages to the bot are not seen.' },
  { name: 'message.mpim', cost: 'Commands in group conversations are not seen.' },
  { name: 'app_home_opened', cost: 'The Home tab of the app stays empty.' },
  { name: 'member_joined_channel', cost: 'The bot does not say hello where it is invited.' },
  { name: 'member_left_channel', cost: 'That the bot was removed is noticed only at the next post.' },
  { name: 'channel_rename', cost: 'New names of channels are known only after some minutes.' },
  { name: 'group_rename', cost: 'New names of private channels are known only after some minutes.' },
  { name: 'channel_archive', cost: 'That a channel was archived is noticed only at the next post.' },
  { name: 'group_archive', cost: 'That a private channel was archived is noticed only at the next post.' },
  { name: 'channel_id_changed', cost: 'Posts into a channel that was converted are refused.' },
  { name: 'app_uninstalled', cost: 'That the app was uninstalled is noticed only at the next call.' },
  { name: 'tokens_revoked', cost: 'That the token was revoked is noticed only at the next call.' },
];

/** `callback_id` of the shortcuts. */
export const shortcuts = { run: 'run_flow', use: 'use_message' } as const;

/** Path of the events over HTTP. */
const eventsPath = '/slack/events';
/** Path to which people come back who sign in. */
const signInPath = '/login/slack/callback';

/**
 * The app's manifest, for "Create New App, From a manifest".
 *
 * @param command the slash command, with its slash.
 * @param publicUrl where Slack reaches Flowbot over HTTP; absent = Socket Mode.
 * @param signInUrl where people reach the pages, by https: with it they can sign in there; absent = they can’t.
 * @see https://github.com/slackapi/manifest-schema
 */
export function slackManifest({
  command,
  publicUrl,
  signInUrl,
}: {
  readonly command: string;
  readonly publicUrl?: string;
  readonly signInUrl?: string;
}): JsonObject {
  const url = publicUrl === undefined ? {} : { url: new URL(eventsPath, publicUrl).href };
  const requestUrl = publicUrl === undefined ? {} : { request_url: new URL(eventsPath, publicUrl).href };
  return {
    _metadata: { major_version: 2 },
    display_information: {
      name: 'Flowbot',
      description: 'Runs flows, and asks people in the channel.',
      background_color: '#1a3a5c',
    },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: 'flowbot', always_online: true },
      shortcuts: [
        {
          name: 'Run a flow',
          type: 'global',
          callback_id: shortcuts.run,
          description: 'Choose a flow and start it.',
        },
        {
          name: 'Use this message',
          type: 'message',
          callback_id: shortcuts.use,
          description: 'Start a flow with the text of this message.',
        },
      ],
      slash_commands: [
        {
          command,
          description: 'Start flows, look at runs, answer questions',
          usage_hint: 'help | run <flow> | status <run> | approvals',
          // People and channels then come with their ids.
          should_escape: true,
          ...url,
        },
      ],
    },
    oauth_config: {
      ...(signInUrl !== undefined && { redirect_urls: [new URL(signInPath, signInUrl).href] }),
      scopes: {
        bot: scopes.map(({ name }) => name),
        ...(signInUrl !== undefined && { user: ['openid', 'profile'] }),
      },
    },
    settings: {
      event_subscriptions: { ...requestUrl, bot_events: events.map(({ name }) => name) },
      interactivity: { is_enabled: true, ...requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: publicUrl === undefined,
      token_rotation_enabled: false,
    },
  };
}
