import type { FieldType } from '../post.ts';

/** How a text of an input must be written, by the `format` of its JSON Schema. */
export interface InputFormat {
  /** The kind of its field in a form, where forms have one. */
  readonly field?: FieldType;
  /** The only platform whose forms have that kind; absent = all do. */
  readonly platform?: string;
  /** What must be written, with an example: `a date, such as 2026-11-30`. */
  readonly wanted: string;
  fits(text: string): boolean;
  /** What stands around an id when it is typed as a mention; the id is the first group. */
  readonly mention?: RegExp;
}

/** A format of the platform's own ids. */
function ids(
  platform: string,
  pattern: RegExp,
  more: Pick<InputFormat, 'wanted' | 'field' | 'mention'>,
): InputFormat {
  return { platform, fits: (text) => pattern.test(text), ...more };
}

const slackUser = /^[UW][A-Z0-9]{1,29}$/;
const slackChannel = /^[CGD][A-Z0-9]{1,29}$/;
const discordId = /^\d{15,22}$/;

/** The formats that are checked; JSON Schema says that all others are only notes. */
const formats: Readonly<Record<string, InputFormat>> = {
  date: { field: 'date', wanted: 'a date, such as 2026-11-30', fits: isDate },
  time: { field: 'time', wanted: 'a time, such as 09:30', fits: isTime },
  'date-time': {
    field: 'datetime',
    wanted: 'a date and time with its zone, such as 2026-11-30T09:30:00Z',
    fits: isDateTime,
  },
  'slack-user': ids('slack', slackUser, {
    field: 'user',
    wanted: 'the id of a person on Slack, such as U0ANA',
    mention: /^<@([^|<>]*)(?:\|[^<>]*)?>$/,
  }),
  'slack-channel': ids('slack', slackChannel, {
    field: 'channel',
    wanted: 'the id of a Slack channel, such as C0RELEASES',
    mention: /^<#([^|<>]*)(?:\|[^<>]*)?>$/,
  }),
  'discord-user': ids('discord', discordId, {
    field: 'user',
    wanted: 'the id of a person on Discord, such as 900000000000000002',
    mention: /^<@!?([^<>]*)>$/,
  }),
  'discord-channel': ids('discord', discordId, {
    field: 'channel',
    wanted: 'the id of a Discord channel, such as 900000000000000001',
    mention: /^<#([^<>]*)>$/,
  }),
  'discord-role': ids('discord', discordId, {
    field: 'role',
    wanted: 'the id of a role on Discord, such as 900000000000000003',
    mention: /^<@&([^<>]*)>$/,
  }),
};

/** Their names and checks, as the JSON Schema validator takes them. */
export const formatChecks: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  Object.entries(formats).map(([name, { fits }]) => [name, fits]),
);

/** A format that is checked, by its name. */
export function formatOf(name: unknown): InputFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
}

/** What a person typed, without the spaces around it and as the plain id where they typed a mention. */
export function plainId(text: string, { mention }: InputFormat): string {
  const trimmed = text.trim();
  return mention?.exec(trimmed)?.[1] ?? trimmed;
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const days = daysOf(Number(year), Number(month));
  return year !== '' && Number(day) >= 1 && Number(day) <= days;
}

/** Days of a month, from 1; 0 for months that there are not. */
function daysOf(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Hours and minutes, perhaps with seconds and a zone. No leap seconds: little can read them. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/.test(
    text,
  );
}

/** As in RFC 3339, which asks for seconds and a zone. */
function isDateTime(text: string): boolean {
  const [, date = '', time = ''] =
    /^([^T]{10})T(\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/.exec(text) ?? [];
  return isDate(date) && isTime(time);
}
