/** What a refusal of Discord asks of us. */
export type Refusal =
  /** Nothing was done; the same again after a while. */
  | 'wait'
  /** Discord does not take it in this form. */
  | 'payload'
  /** The message is not there any more. */
  | 'gone'
  /** The channel or thread is not there any more. */
  | 'nowhere'
  /** The bot may not see or do this there. */
  | 'outside'
  /** The thread is archived: it has to be opened again first. */
  | 'archived'
  /** The thread is locked. */
  | 'locked'
  /** What it answers can't be shown with it; without that it can be sent. */
  | 'unquotable'
  /** The person takes no direct messages from the bot. */
  | 'closed'
  /** It came too late to answer what somebody did, or the answer can't be changed any more. */
  | 'late'
  /** What somebody did is answered already. */
  | 'answered'
  /** The message has a thread already. */
  | 'threaded'
  /** No: for the reason the sentence gives. */
  | 'no';

const kinds: Readonly<Record<Exclude<Refusal, 'no'>, readonly number[]>> = {
  // Slow mode, write limits, too many new commands, edits of old messages or direct messages; something is switched off.
  wait: [20016, 20022, 20028, 20029, 30046, 40003, 40004, 40006, 40062, 40333, 130000],
  payload: [40005, 50006, 50035, 50045],
  gone: [10008],
  nowhere: [10003, 10004],
  outside: [50001, 50013],
  archived: [50083],
  locked: [160005],
  unquotable: [160002, 160009, 160010],
  closed: [50007, 50278],
  late: [10015, 10062, 50027],
  answered: [40060],
  threaded: [160004],
};

const byCode: ReadonlyMap<number, Refusal> = new Map(
  (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
    kinds[kind].map((code) => [code, kind] as const),
  ),
);

/**
 * What an error code of the API means for us. An unknown code is a plain no.
 *
 * @see https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes
 */
export function refusalOf(code: number): Refusal {
  return byCode.get(code) ?? 'no';
}

/** Whether a place is closed to the bot, as a whole and perhaps not for ever. */
export function isClosed(refusal: Refusal): boolean {
  return refusal === 'archived' || refusal === 'locked' || refusal === 'outside';
}

const sentences: Readonly<Record<number, string>> = {
  10003: 'Discord knows no such channel: it was deleted, or the bot is not in its server.',
  10004: 'Discord knows no such server, or the bot is not in it.',
  10007: 'This person is not in the server.',
  10008: 'The message was deleted.',
  10011: 'Discord knows no such role.',
  10013: 'Discord knows no such person.',
  30007: 'The channel has as many webhooks as it may have.',
  30015: 'A message carries at most 10 files.',
  40005: 'The file is larger than Discord takes.',
  40007: 'The bot was banned from this server.',
  40058: 'The channel takes posts with a title only.',
  40066:
    'The forum has only tags that moderators may set: add one for everybody, or let it take posts without one.',
  40067:
    'The forum takes posts with a tag only: let it take posts without one (Edit Channel, Require people to select tags).',
  40333: 'Discord takes nothing from this address at the moment.',
  50001: 'The bot may not see this channel: give its role View Channel there.',
  50005: 'The message is not one of this bot.',
  50006: 'The message is empty.',
  50007: 'This person takes no direct messages from the bot.',
  50008: 'The channel takes no messages.',
  50009: 'The server asks for more verification than the bot has: give its role a right to write there.',
  50013:
    'The bot may not do this here: give its role Send Messages, Send Messages in Threads, Create Public Threads, Attach Files and Read Message History in this channel, and Connect in a voice channel.',
  50024: 'Discord does not allow this in a channel of this kind.',
  50045: 'The file is larger than Discord takes.',
  50083: 'The thread is archived.',
  50278: 'This person shares no server with the bot, so it can’t write to them.',
  60003: 'The server asks for two-factor authentication: the owner of the bot has to switch it on.',
  160002: 'The bot may not read back here: give its role Read Message History.',
  160004: 'The message has a thread already.',
  160005: 'The thread is locked: a moderator can unlock it.',
  160006: 'The server has as many open threads as it may have: archive some.',
  160007: 'The server has as many open threads as it may have: archive some.',
  200000: 'The server’s AutoMod does not let this text through.',
  200001: 'The server’s AutoMod does not let this title through.',
  240000: 'Discord does not let this text through, because of a link in it.',
  400001: 'Discord takes no files in this server at the moment.',
};

/** A sentence about a refusal, for people. @param details what Discord says about it */
export function sentenceFor(code: number, details: string): string {
  const more = details === '' ? '' : `: ${details.replace(/\s+/g, ' ').slice(0, 300)}`;
  return sentences[code] ?? `Discord refused it (${code}${more.replace(/[.!]$/, '')}).`;
}
