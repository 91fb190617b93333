import { checkChoices, checkCommands } from './check-commands.ts';
import { type BodyFault, firstAtEachPlace, surrogateFaults } from './check-faults.ts';
import { checkMessage, type MessageUse } from './check-message.ts';
import { checkModal } from './check-modal.ts';
import { type SchemaName, shapeFaults } from './check-shape.ts';
import { messageFlags } from './limits.ts';
import { loose } from './tree.ts';

export type { BodyFault } from './check-faults.ts';

/** What a body is for: each REST route has one. */
export type BodySchema =
  | 'message' // POST /channels/{channel}/messages
  | 'message edit' // PATCH /channels/{channel}/messages/{message}
  | 'interaction callback' // POST /interactions/{id}/{token}/callback
  | 'follow-up' // POST /webhooks/{application}/{token}
  | 'follow-up edit' // PATCH /webhooks/{application}/{token}/messages/{message or @original}
  | 'thread from message' // POST /channels/{channel}/messages/{message}/threads
  | 'thread' // POST /channels/{channel}/threads in a text channel
  | 'forum post' // POST /channels/{channel}/threads in a forum
  | 'commands' // PUT /applications/{application}/commands
  | 'guild commands' // PUT /applications/{application}/guilds/{guild}/commands
  | 'channel edit' // PATCH /channels/{channel}
  | 'direct channel'; // POST /users/@me/channels

/**
 * What Discord, or a rule of ours, has against a body, one fault a place; empty = it is fine. Ours: every message
 * says whom it may notify, and no property is sent that the OpenAPI document does not know.
 */
export function checkBody(schema: BodySchema, body: unknown): readonly BodyFault[] {
  const shape = shapeFaults(schemaNames[schema], body);
  return firstAtEachPlace([...shape, ...rules[schema](body), ...surrogateFaults(body)]);
}

const schemaNames: Readonly<Record<BodySchema, SchemaName>> = {
  message: 'MessageCreateRequest',
  'message edit': 'MessageEditRequestPartial',
  'interaction callback': 'InteractionCallback',
  'follow-up': 'IncomingWebhookRequestPartial',
  'follow-up edit': 'IncomingWebhookUpdateRequestPartial',
  'thread from message': 'CreateTextThreadWithMessageRequest',
  thread: 'CreateTextThreadWithoutMessageRequest',
  'forum post': 'CreateForumThreadRequest',
  commands: 'Commands',
  'guild commands': 'Commands',
  'channel edit': 'ChannelEdit',
  'direct channel': 'CreatePrivateChannelRequest',
};

const { suppressEmbeds, suppressNotifications, ephemeral, componentsV2 } = messageFlags;
const inEdits = suppressEmbeds | componentsV2;
const inPosts = inEdits | suppressNotifications;
const posts: MessageUse = { makes: true, flags: inPosts };
const edits: MessageUse = { makes: false, flags: inEdits };
const answers: MessageUse = { makes: true, flags: inPosts | ephemeral };

type BodyRule = (body: unknown) => readonly BodyFault[];
const nothingMore: BodyRule = () => [];

/** What the document does not say. */
const rules: Readonly<Record<BodySchema, BodyRule>> = {
  message: (body) => checkMessage(body, posts),
  'message edit': (body) => checkMessage(body, edits),
  'interaction callback': checkCallback,
  'follow-up': (body) => checkMessage(body, answers),
  'follow-up edit': (body) => checkMessage(body, edits),
  'thread from message': nothingMore,
  thread: nothingMore,
  'forum post': (body) => checkMessage(loose(body).message, posts, 'message'),
  commands: (body) => checkCommands(body, 'everywhere'),
  'guild commands': (body) => checkCommands(body, 'one guild'),
  'channel edit': nothingMore,
  'direct channel': nothingMore,
};

function checkCallback(body: unknown): readonly BodyFault[] {
  const { type, data } = loose(body);
  switch (type) {
    case 4:
      return checkMessage(data, answers, 'data');
    case 5:
      return checkDeferral(data);
    case 6:
      return data === undefined || data === null
        ? []
        : [{ path: 'data', message: 'A silent acknowledgement has no data.' }];
    case 7:
      return checkMessage(data, edits, 'data');
    case 8:
      return checkChoices(loose(data).choices, 'data.choices');
    case 9:
      return checkModal(data, 'data');
    default:
      return [];
  }
}

function checkDeferral(data: unknown): readonly BodyFault[] {
  const { flags, ...others } = loose(data);
  return [
    ...Object.keys(others).map((key) => ({
      path: `data.${key}`,
      message: 'A deferred message has no content yet, only flags.',
    })),
    ...(typeof flags === 'number' && (flags & ~ephemeral) !== 0
      ? [{ path: 'data.flags', message: 'Only EPHEMERAL can be set on a deferred message.' }]
      : []),
  ];
}
