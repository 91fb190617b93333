import { refusal, SlackError } from './errors.ts';
import { notifiedBy } from './mentions.ts';
import { addMessage, changedEvent, messageEvent, messageWire, removeMessage } from './messages.ts';
import { type Args, type Method, readArgs } from './method.ts';
import { addPrivate, contentOf, ourselves, readingOf } from './methods/chat.ts';
import type { Wire } from './wire.ts';
import type { Channel, ResponseUrl, Workspace } from './workspace.ts';

const usesMax = 5;
const lifeMs = 30 * 60_000;

/** An address at which the bot may answer what a person did. */
export function issueResponseUrl(
  workspace: Workspace,
  answering: Omit<ResponseUrl, 'atMs' | 'uses'>,
): string {
  const id = workspace.nextId('R');
  workspace.responseUrls.set(id, { ...answering, atMs: workspace.nowMs(), uses: 0 });
  return `${workspace.baseUrl()}/response/${id}`;
}

/** What such an address takes: it is read like a call of the Web API. */
const accepted: Method = {
  args: [
    'text',
    'blocks',
    'attachments',
    'response_type',
    'replace_original',
    'delete_original',
    'thread_ts',
    'metadata',
    'parse',
    'link_names',
    'mrkdwn',
    'unfurl_links',
    'unfurl_media',
  ],
  run: () => ({}),
};

/** Answers at such an address; needs no membership. Good for 5 uses in 30 minutes. */
export function respond(
  workspace: Workspace,
  id: string,
  given: Wire,
): { readonly status: number; readonly body: Wire } {
  const url = workspace.responseUrls.get(id);
  if (url === undefined) return { status: 404, body: { ok: false, error: 'invalid_url' } };
  if (url.uses >= usesMax) return { status: 404, body: { ok: false, error: 'used_url' } };
  if (workspace.nowMs() - url.atMs > lifeMs)
    return { status: 404, body: { ok: false, error: 'expired_url' } };
  url.uses += 1;
  try {
    show(workspace, url, readArgs(accepted, given));
    return { status: 200, body: { ok: true } };
  } catch (error) {
    if (error instanceof SlackError) return { status: 400, body: refusal(error) };
    throw error;
  }
}

/** Shows an answer: the body of an acknowledgement, or what came to a `response_url`. */
function show(workspace: Workspace, url: ResponseUrl, args: Args): void {
  if (args.flag('delete_original')) {
    removeSource(workspace, url);
    return;
  }
  const content = contentOf(args, workspace);
  const threadTs = args.text('thread_ts');
  if (args.flag('replace_original') && replaceSource(workspace, url, content)) return;
  if (args.text('response_type') !== 'in_channel') {
    addPrivate(workspace, url.person, {
      ...content,
      channel: url.channel,
      ...(threadTs !== undefined && { threadTs }),
    });
    return;
  }
  const channel = workspace.channels.get(url.channel);
  if (channel === undefined) throw new SlackError('channel_not_found');
  const message = addMessage(workspace, channel, {
    ...content,
    ...ourselves(workspace),
    notified: notifiedBy(workspace, content.blocks, readingOf(args, content.text)),
    metadata: undefined,
    ...(threadTs !== undefined && { threadTs }),
  });
  void workspace.happen(messageEvent(workspace, channel, message));
}

/** An acknowledgement with a body, read like a call. */
export function showAcknowledgement(
  workspace: Workspace,
  url: Omit<ResponseUrl, 'atMs' | 'uses'>,
  body: Wire,
): void {
  show(workspace, { ...url, atMs: workspace.nowMs(), uses: 0 }, readArgs(accepted, body));
}

function sourceMessage(workspace: Workspace, { channel, sourceTs }: ResponseUrl) {
  const found: Channel | undefined = workspace.channels.get(channel);
  const message = sourceTs === undefined ? undefined : found?.messages.get(sourceTs);
  return found && message?.botId === workspace.botId ? { channel: found, message } : undefined;
}

function removeSource(workspace: Workspace, url: ResponseUrl): void {
  const source = sourceMessage(workspace, url);
  const events = source ? removeMessage(workspace, source.channel, source.message) : [];
  for (const event of events) void workspace.happen(event);
  const shown = workspace.privates.get(url.person) ?? [];
  workspace.privates.set(
    url.person,
    shown.filter(({ ts }) => ts !== url.sourceTs),
  );
}

function replaceSource(
  workspace: Workspace,
  url: ResponseUrl,
  { text, blocks }: ReturnType<typeof contentOf>,
): boolean {
  const shown = workspace.privates.get(url.person)?.find(({ ts }) => ts === url.sourceTs);
  if (shown) Object.assign(shown, { text, blocks });
  const source = sourceMessage(workspace, url);
  if (source) {
    const { channel, message } = source;
    const previous = messageWire(workspace, channel, message);
    Object.assign(message, { text, blocks, edited: { user: workspace.botUserId, ts: workspace.nextTs() } });
    void workspace.happen(changedEvent(workspace, channel, message, previous));
  }
  return shown !== undefined || source !== undefined;
}
