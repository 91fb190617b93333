import { describe, expect, test } from 'vitest';
import { decode, mentionedUsers, mentionsIn, takeMention } from '../../../src/adapters/discord/typed.ts';

const ana = '100000000000000002';
const bot = '100000000000000001';
const botRole = '200000000000000001';
const ops = '200000000000000002';
const general = '300000000000000001';
const other = '999999999999999999';

const names = {
  user: (id: string) => (id === ana ? 'Ana' : undefined),
  role: (id: string) => (id === ops ? 'ops' : undefined),
  channel: (id: string) => (id === general ? 'general' : undefined),
};

describe('what people typed', () => {
  test.each([
    [`<@${ana}> and <@!${ana}> and <@${other}>`, `@Ana and @Ana and @${other}`],
    [`<@&${ops}> <@&${other}>`, `@ops @${other}`],
    [`<#${general}> <#${other}>`, `#general #${other}`],
    ['<:cat:500000000000000001> <a:cat_2:500000000000000001>', ':cat: :cat_2:'],
    ['</flow run:400000000000000001> </flow:400000000000000001>', '/flow run /flow'],
    ['<t:1700000000:R> <id:guide> @everyone @here', '<t:1700000000:R> <id:guide> @everyone @here'],
    ['if a < b && c > d, &lt; \\*a\\* **b**', 'if a < b && c > d, &lt; \\*a\\* **b**'],
    [`\\<@${ana}> <@1> <@U0ANA> <@${ana}`, `\\<@${ana}> <@1> <@U0ANA> <@${ana}`],
  ])('%s', (sent, typed) => expect(decode(sent, names)).toBe(typed));

  test('a name that looks like something else stays a name', () =>
    expect(decode(`<@${ana}>`, { ...names, user: () => `<#${general}> $1 $&` })).toBe(
      `@<#${general}> $1 $&`,
    ));

  test.each([
    [`<@${bot}> release 1.2`, 'release 1.2', true],
    [`  <@!${bot}>: release`, 'release', true],
    [`<@&${botRole}>, release`, 'release', true],
    [`<@${bot}>`, '', true],
    [`<@${ana}> release`, `<@${ana}> release`, false],
    [`<@&${ops}> release`, `<@&${ops}> release`, false],
    [`ask <@${bot}>`, `ask <@${bot}>`, false],
    [`\\<@${bot}> release`, `\\<@${bot}> release`, false],
  ])('a mention of the bot in front is taken off: %j', (text, rest, toBot) =>
    expect(takeMention(text, [bot, botRole])).toEqual({ text: rest, toBot }),
  );

  test('people are found by their id', () =>
    expect(mentionedUsers(`<@${ana}> <@!${other}> <@&${ops}> <#${general}> \\<@${bot}>`)).toEqual([
      ana,
      other,
    ]));

  test('mentions come with their ids', () =>
    expect(
      mentionsIn(`who=<@!${ana}> and <#${general}> <@&${ops}> <:cat:500000000000000001> @here`, names),
    ).toEqual([
      { shown: '@Ana', typed: `<@${ana}>` },
      { shown: '#general', typed: `<#${general}>` },
      { shown: '@ops', typed: `<@&${ops}>` },
    ]));
});
