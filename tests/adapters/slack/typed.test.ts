import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decode,
  decodeEntities,
  escapeText,
  mentionedUsers,
  mentionsIn,
  takeMention,
} from '../../../src/adapters/slack/typed.ts';

const names = {
  user: (id: string) => (id === 'U0ANA' ? 'Ana' : undefined),
  channel: (id: string) => (id === 'C0OPS' ? 'ops' : undefined),
};

describe('what people typed', () => {
  test.each([
    ['a &lt; b &amp;&amp; b &gt; c', 'a < b && b > c'],
    ['C01: &lt;!channel&gt; and &lt;@U0ANA&gt;', 'C01: <!channel> and <@U0ANA>'],
    ['decoded once: &amp;lt;b&amp;gt; &amp;amp;', 'decoded once: &lt;b&gt; &amp;'],
    ['<@U0ANA> and <@U0NOBODY> and <@U0NOBODY|bob>', '@Ana and @U0NOBODY and @bob'],
    ['<#C0OPS|ops> <#C0OPS|> <#C0OTHER>', '#ops #ops #C0OTHER'],
    ['<!here> <!channel|channel> <!subteam^S0OPS|@ops> <!subteam^S0OPS>', '@here @channel @ops @S0OPS'],
    ['<!date^1392734382^{date}|Feb 18>', 'Feb 18'],
    ['<https://example.com/?a=1&amp;b=2>', 'https://example.com/?a=1&b=2'],
    ['<http://example.com|example.com>', 'example.com'],
    ['<https://example.com/|the site>', 'the site (https://example.com/)'],
    ['<mailto:ana@example.com|ana@example.com>', 'ana@example.com'],
    ['<tel:+4930123|+49 30 123>', '+49 30 123 (tel:+4930123)'],
    ['no token: < > <', 'no token: < > <'],
  ])('%s', (sent, typed) => {
    expect(decode(sent, names)).toBe(typed);
  });

  test('what was escaped is decoded to itself, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', ';', 'lt', 'amp', '@', '!', '|', 'a') }),
        (text) => {
          expect(decodeEntities(escapeText(text))).toBe(text);
          expect(decode(escapeText(text), names)).toBe(text);
        },
      ),
    );
  });

  test.each([
    ['<@U0BOT> release 1.2', 'release 1.2', true],
    ['  <@U0BOT|flowbot>: release', 'release', true],
    ['<@U0BOT>', '', true],
    ['<@U0ANA> release', '<@U0ANA> release', false],
    ['ask <@U0BOT>', 'ask <@U0BOT>', false],
    ['&lt;@U0BOT&gt; release', '&lt;@U0BOT&gt; release', false],
  ])('a mention of the bot in front is taken off: %j', (text, rest, toBot) => {
    expect(takeMention(text, 'U0BOT')).toEqual({ text: rest, toBot });
  });

  test('people are found by their id', () => {
    expect(mentionedUsers('<@U0ANA> <@W0BO|bo> &lt;@U0CY&gt; <#C0OPS> <!here>')).toEqual(['U0ANA', 'W0BO']);
  });
});

test('mentions come with their ids', () => {
  expect(mentionsIn('who=<@U0ANA> and <#C0OPS|> <!here> &lt;@U0BO&gt;', names)).toEqual([
    { shown: '@Ana', typed: '<@U0ANA>' },
    { shown: '#ops', typed: '<#C0OPS>' },
  ]);
});
