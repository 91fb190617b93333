import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { checkInput, coerceText, compileInput, inputFromText } from '../../../src/engine/data/input.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const schemas = new Map<string, JsonObject>();

/** One and the same for each format, because compiling one takes time. */
function schemaOf(format: string): JsonObject {
  const known = schemas.get(format);
  if (known) return known;
  const made = { type: 'object', properties: { a: { type: 'string', format } } };
  schemas.set(format, made);
  return made;
}

/** What is wrong with a value of a format. */
function problemOf(format: string, value: string): string | undefined {
  const checked = checkInput(schemaOf(format), { a: value });
  return checked.ok ? undefined : checked.problems.map(({ message }) => message).join('; ');
}

/** Good values, bad ones, and what is said about the bad. */
const formats: readonly [format: string, good: readonly string[], bad: readonly string[], said: string][] = [
  [
    'date',
    ['2026-11-30', '2024-02-29', '2000-02-29', '0001-01-01'],
    [
      '2026-02-30',
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '30.11.2026',
      '2026-1-1',
      'tomorrow',
      '2026-11-30\n',
      '',
    ],
    'a must be a date, such as 2026-11-30',
  ],
  [
    'time',
    ['09:30', '00:00', '23:59:59', '09:30:00Z', '09:30:00.5+02:00', '09:30+01:00'],
    ['9:30', '24:00', '12:60', '12:00:60', '09:30 pm', '0930', '09:30:00+25:00', ''],
    'a must be a time, such as 09:30',
  ],
  [
    'date-time',
    ['2026-11-30T09:30:00Z', '2026-11-30T09:30:00.123+02:00', '2024-02-29T00:00:00-11:30'],
    [
      '2026-11-30T09:30:00',
      '2026-11-30T09:30Z',
      '2026-11-30 09:30:00Z',
      '2026-02-30T09:30:00Z',
      '2026-11-30T24:00:00Z',
      '2026-11-30',
      '',
    ],
    'a must be a date and time with its zone, such as 2026-11-30T09:30:00Z',
  ],
  [
    'slack-user',
    ['U0ANA', 'W012A3CDE'],
    ['u0ana', 'C0ANA', '@ana', 'ana', 'U', 'U0 ANA', `U${'0'.repeat(50)}`, ''],
    'a must be the id of a person on Slack, such as U0ANA',
  ],
  [
    'slack-channel',
    ['C0RELEASES', 'G012A3CDE', 'D0ANA'],
    ['U0ANA', '#releases', 'releases', ''],
    'a must be the id of a Slack channel, such as C0RELEASES',
  ],
  ...(['user', 'channel', 'role'] as const).map(
    (kind): [string, readonly string[], readonly string[], string] => [
      `discord-${kind}`,
      ['900000000000000001'],
      ['9', 'U0ANA', '@ana', '9000000000000000010000000', ''],
      'a must be the id of a',
    ],
  ),
];

describe.each(formats)('the format %s', (format, good, bad, said) => {
  test.each(good)('takes %j', (value) => {
    expect(problemOf(format, value)).toBeUndefined();
    expect(coerceText(schemaOf(format), { a: ` ${value} ` })).toEqual({ input: { a: value }, problems: [] });
  });

  test.each(bad)('refuses %j and says how to write it', (value) => {
    expect(problemOf(format, value)).toContain(said);
  });

  it('is checked in defaults when the flow is loaded', () => {
    const withDefault = (value: string) => ({
      type: 'object',
      properties: { a: { type: 'string', format, default: value } },
    });
    expect(compileInput(withDefault(good[0] ?? '')).ok).toBe(true);
    expect(compileInput(withDefault(bad[0] ?? '')).ok).toBe(false);
  });
});

describe('an id that is typed as a mention', () => {
  test.each([
    ['slack-user', '<@U0ANA>', 'U0ANA'],
    ['slack-user', '<@U0ANA|ana>', 'U0ANA'],
    ['slack-channel', ' <#C0RELEASES|releases> ', 'C0RELEASES'],
    ['slack-channel', '<#C0RELEASES>', 'C0RELEASES'],
    ['discord-user', '<@!900000000000000001>', '900000000000000001'],
    ['discord-user', '<@900000000000000001>', '900000000000000001'],
    ['discord-channel', '<#900000000000000001>', '900000000000000001'],
    ['discord-role', '<@&900000000000000001>', '900000000000000001'],
  ])('%s: %s', (format, typed, id) => {
    expect(coerceText(schemaOf(format), { a: typed }).input).toEqual({ a: id });
    expect(inputFromText(schemaOf(format), typed)).toEqual({ input: { a: id }, missing: [], problems: [] });
    expect(coerceText({ type: 'object', properties: { a: { format } } }, { a: typed }).input).toEqual({
      a: id,
    });
  });

  test.each(['<@U0ANA', '<@U0ANA><@U0BO>', '<!channel>', '<@<@U0ANA>>'])('not %s', (typed) => {
    expect(inputFromText(schemaOf('slack-user'), typed).problems).toHaveLength(1);
  });
});

it('a real day is a date, any other is not', () => {
  const days = fc.record({
    year: fc.integer({ min: 1, max: 9999 }),
    month: fc.integer({ min: 0, max: 14 }),
    day: fc.integer({ min: 0, max: 32 }),
  });
  fc.assert(
    fc.property(days, ({ year, month, day }) => {
      const two = (of: number) => String(of).padStart(2, '0');
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      const date = new Date(`${text}T00:00:00Z`);
      const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
      expect(problemOf('date', text) === undefined).toBe(isReal);
    }),
  );
});

it('whatever is typed is taken as it is or told at its field', () => {
  const any = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[<@#!&|>UWC0-9:TZ-]{0,40}$/));
  fc.assert(
    fc.property(fc.constantFrom(...formats.map(([format]) => format)), any, (format, typed) => {
      const { input, problems } = inputFromText(schemaOf(format), typed);
      if (problems.length === 0) expect(checkInput(schemaOf(format), input).ok).toBe(true);
      else expect(problems).toEqual([{ field: 'a', message: expect.stringMatching(/^a must be /) }]);
    }),
  );
});

test.each(['email', 'valueOf', 'constructor', '__proto__', 'hasOwnProperty'])(
  'the format %s is a note that nothing is checked by',
  (format) => {
    expect(compileInput(schemaOf(format))).toEqual({ ok: true });
    expect(problemOf(format, 'anything')).toBeUndefined();
  },
);
