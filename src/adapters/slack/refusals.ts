/** What a refusal of Slack asks of us. */
export type Refusal =
  /** Nothing was done; the same again after a while. */
  | 'wait'
  /** It may have been done. */
  | 'unknown'
  /** Slack does not take it in this form. */
  | 'payload'
  /** The message or thread is not there any more. */
  | 'gone'
  /** The installation does not work any more: somebody has to mend it. */
  | 'dead'
  /** The conversation is not what it was known as: look it up again. */
  | 'moved'
  /** The bot is not in the conversation. */
  | 'outside'
  /** A form came too late. */
  | 'late'
  /** No: for the reason the sentence gives. */
  | 'no';

const kinds: Readonly<Record<Exclude<Refusal, 'no'>, readonly string[]>> = {
  wait: [
    'ratelimited',
    'rate_limited',
    'team_added_to_org',
    'org_login_required',
    'external_channel_migrating',
  ],
  unknown: ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'],
  payload: [
    'invalid_blocks',
    'invalid_blocks_format',
    'invalid_arguments',
    'msg_too_long',
    'msg_blocks_too_long',
    'no_text',
    'markdown_text_conflict',
    'metadata_too_large',
    'invalid_metadata_format',
    'invalid_metadata_schema',
    'too_many_attachments',
    'block_mismatch',
  ],
  gone: ['message_not_found', 'thread_not_found', 'streaming_state_conflict'],
  dead: [
    'token_revoked',
    'account_inactive',
    'invalid_auth',
    'not_authed',
    'token_expired',
    'team_access_not_granted',
  ],
  moved: ['channel_not_found'],
  outside: ['not_in_channel'],
  late: [
    'expired_trigger_id',
    'exchanged_trigger_id',
    'invalid_trigger_id',
    'trigger_expired',
    'trigger_exchanged',
  ],
};

const byCode: ReadonlyMap<string, Refusal> = new Map(
  (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
    kinds[kind].map((code) => [code, kind] as const),
  ),
);

/**
 * What an error code of the Web API means for us. An unknown code is a plain no.
 *
 * @see https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
export function refusalOf(code: string): Refusal {
  return byCode.get(code) ?? 'no';
}

const sentences: Readonly<Record<string, string>> = {
  channel_not_found:
    'Slack knows no such conversation, or the bot is not in it: invite it there with /invite.',
  not_in_channel: 'The bot is not in this conversation: invite it there with /invite.',
  is_archived: 'The conversation is archived: unarchive it, or name another one in the flow.',
  is_inactive: 'The conversation is archived, so nothing in it can be changed.',
  cant_update_message: 'The message is not one of this bot.',
  edit_window_closed: 'The workspace does not allow changes to messages as old as this one.',
  restricted_action: 'The workspace does not let the bot post there: an admin can allow it.',
  restricted_action_read_only_channel: 'Only some people may post in this channel: an admin can add the bot.',
  restricted_action_thread_only_channel: 'The channel takes replies in threads only.',
  restricted_action_non_threadable_channel: 'The channel takes no threads.',
  restricted_action_thread_locked: 'The thread is locked.',
  messages_tab_disabled: 'Messages to the app are switched off: turn its Messages Tab on (App Home).',
  ekm_access_denied: 'The workspace’s encryption keys keep the bot out: ask an admin.',
  access_denied: 'The workspace does not let the bot do this: ask an admin.',
  no_permission: 'The workspace does not let the bot do this: ask an admin.',
  message_limit_exceeded: 'The workspace’s plan takes no more messages.',
  user_not_found: 'Slack knows no such person.',
  user_disabled: 'This person’s account is deactivated.',
  cannot_dm_bot: 'Bots can’t be written to.',
  message_not_found: 'The message was deleted.',
  thread_not_found: 'The message that began the thread was deleted.',
};

/** A sentence about a refusal, for people. @param details what Slack says about the place of the fault. */
export function sentenceFor(code: string, details: readonly string[] = []): string {
  const known = sentences[code];
  if (known !== undefined) return known;
  const more = details.length === 0 ? '' : `: ${details.join('; ')}`;
  return `Slack refused it (${code}${more}).`;
}

/** A sentence about a permission that the installation lacks. */
export function missingScope(needed: string): string {
  return `The app has not the permission ${needed}: add it to the app’s manifest and install the app again.`;
}
