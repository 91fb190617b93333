import { describe, expect, it } from 'vitest';
import { cutProse, md, value } from '../../../src/engine/prose.ts';
import { message } from '../../../src/engine/steps/message.ts';
import { begin, faults, missing } from './turn.ts';

const to = 'slack:#releases';

describe('message', () => {
  it('posts its Markdown with the values as values', () => {
    expect(
      begin(message, { to, text: '**{{draft.text}}**' }, { draft: { text: '@here', json: {} } }),
    ).toEqual({
      kind: 'message',
      to,
      prose: [md('**'), value('@here'), md('**')],
      mention: [],
    });
  });

  it('without a conversation goes where the run lives, which it then needs', () => {
    expect(begin(message, { text: 'hello' }, {})).toEqual({
      kind: 'message',
      prose: [md('hello')],
      mention: [],
    });
    const config = (written: object) => message.schema.parse({ text: 'x', ...written });
    expect([{}, { to }].map((written) => message.needsHome?.(config(written)))).toEqual([true, false]);
    expect(message.destinations?.(config({}))).toEqual([]);
  });

  it('says whom it notifies', () => {
    const mention = ['slack:U0ANA', '@oncall'];
    expect(begin(message, { to, text: 'x', mention })).toMatchObject({ mention });
  });

  it.each([
    [
      to,
      ['discord:D1', '@oncall', 'slack:U0ANA'],
      ["discord:D1 is on discord, so a message to slack:#releases can't notify it."],
    ],
    [to, ['discord:@oncall'], [expect.stringContaining('discord:@oncall is on discord')]],
    ['#releases', ['discord:D1', 'slack:U0ANA'], []],
  ])('to %s warns of those of %j whom it can not notify', (to, mention, warnings) => {
    const config = message.schema.parse({ to, text: 'x', mention });
    const faults = message.check?.({ config, steps: new Map(), schemas: new Map(), agents: new Map() }) ?? [];
    expect(faults.map(({ message }) => message)).toEqual(warnings);
  });

  it('fails when a value is missing', () => {
    expect(begin(message, { to, text: '{{draft.text}}' })).toEqual(missing('{{draft.text}}'));
  });

  it('fails when there is nothing to post', () => {
    expect(
      begin(message, { to, text: ' {{draft.text}}\n' }, { draft: { text: ' ', json: {} } }),
    ).toMatchObject({
      kind: 'failed',
      failure: { code: 'empty-message', retry: 'never' },
    });
  });

  it('names the place of what it reads', () => {
    expect(message.references(message.schema.parse({ to, text: 'x {{draft.text}}' }))).toEqual([
      { lookup: ['draft', 'text'], at: ['text'], source: '{{draft.text}}', optional: false },
    ]);
  });

  it.each([
    [{ to: 'slack:#{{a.text}}', text: 'x' }, 'to: '],
    [{ to, text: '{{#if}}' }, 'text: {{#if}} is a block'],
    [{ to, text: 'x'.repeat(8_001) }, 'text: Too big'],
    [{ to, text: 'x', mentions: [] }, ': Unrecognized key'],
    [{ to, text: 'x', mention: ['{{input.who}}'] }, 'mention.0: "{{input.who}}" holds a placeholder'],
    [{ to, text: 'x', mention: ['@here'] }, 'mention.0: "@here" is neither a person nor a role'],
    [{ to, text: 'x', mention: Array.from({ length: 21 }, () => 'slack:U1') }, 'mention: '],
    [{ to, text: 'x', onRound: 'never' }, 'onRound: '],
    [{ to }, 'text: '],
  ])('refuses %j', (written, fault) => {
    expect(faults(message, written)).toEqual([expect.stringContaining(fault)]);
  });
});

describe('cutProse', () => {
  it('leaves what fits', () => {
    expect(cutProse([md('ab'), value('cd')], 4)).toEqual([md('ab'), value('cd')]);
  });

  it('cuts over all pieces, with a note on top', () => {
    expect(cutProse([md('ab'), value('cdef'), md('gh')], 4)).toEqual([
      md('_This is too long: only its beginning is shown._\n\n'),
      md('ab'),
      value('cd'),
    ]);
  });

  it.each(['👩‍👩‍👧', '🇩🇪', 'e\u0301'])('never cuts through %s', (emoji) => {
    const prose = cutProse([md(`a${emoji}b`)], emoji.length);
    expect(prose.slice(1)).toEqual([md('a')]);
  });
});

describe('a long message', () => {
  const say = (text: string) => begin(message, { to, text: '**{{a.text}}**' }, { a: { text, json: {} } });

  it('of 8,000 characters is whole', () => {
    expect(say('x'.repeat(7_996))).not.toHaveProperty('whole');
  });

  it('of 8,001 characters is cut, and all of it goes along', () => {
    const text = 'x'.repeat(7_997);
    expect(say(text)).toMatchObject({
      prose: [
        md('_This is too long: only its beginning is shown; the whole text is in the file below._\n\n'),
        md('**'),
        value(text),
        md('*'),
      ],
      whole: `**${text}**`,
    });
  });

  it('of 1,000,000 characters goes along, of one more does not', () => {
    expect(say('ü'.repeat(999_996))).toHaveProperty('whole', `**${'ü'.repeat(999_996)}**`);
    const start = say('ü'.repeat(999_997));
    expect(start).not.toHaveProperty('whole');
    expect(start).toMatchObject({
      prose: [md('_This is too long: only its beginning is shown._\n\n'), md('**'), value('ü'.repeat(7_998))],
    });
  });
});
