import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { looksLikeAnswer } from '../../src/engine/answer-words.ts';

describe('messages that are meant as an answer', () => {
  test.each([
    ...[
      'approved',
      'approve',
      'Approved.',
      'APPROVED!!!',
      '  approved  ',
      '*approved*',
      '_Approved_',
      '`approved`',
    ],
    ...[
      'lgtm',
      'LGTM!',
      'ok',
      'OK',
      'Ok…',
      'okay',
      'o\u200Bk',
      'yes',
      'Yes!',
      'yep',
      'y',
      '+1',
      '"yes"',
      'ＯＫ',
    ],
    ...[
      '👍',
      '👍🏽',
      '👍👍',
      '✅',
      '✔️',
      '👎',
      '❌',
      ':+1:',
      ':thumbsup:',
      ':+1::skin-tone-3:',
      ':white_check_mark:',
    ],
    ...[
      ':THUMBSUP:',
      '<:approved:400000000000000002>',
      ':-1:',
      '-1',
      'approved 🎉',
      'LGTM :tada:',
      '👍 approved',
    ],
    ...['ship it', 'Ship it!', ':shipit:', 'go ahead', 'go ahead, please', 'looks good', 'Looks good to me.'],
    ...[
      'yes please',
      'yes, approved',
      'ok, ship it',
      'approve this',
      'I approve',
      'fine by me',
      'approved, thanks',
    ],
    ...['approved @ana', 'approved <@U0ANA>', 'approved <@U0ANA|ana>', 'approved <@!400000000000000002>'],
    ...[
      'approved @Ana Böhm',
      'Approved @Ana Maria Böhm!',
      '@flowbot approve',
      'no @ana',
      'approved @ana.b-c please',
    ],
    ...[
      'reject',
      'rejected',
      'Rejected!',
      'no',
      'No.',
      'nope',
      'denied',
      'deny',
      'not approved',
      'no, thanks',
    ],
    ...[
      'genehmigt',
      'Genehmigt!',
      'passt',
      'Passt so.',
      'passt für mich',
      'ja',
      'Ja, bitte',
      'JA!',
      'nein',
      'Nö',
    ],
    ...[
      'abgelehnt',
      'Abgelehnt.',
      'freigegeben',
      'Von mir freigegeben',
      'in Ordnung',
      'sieht gut aus',
      'nein danke',
    ],
    ...['bestätigt', 'besta\u0308tigt', 'nicht genehmigt', 'ich lehne ab', 'yes\n\nplease'],
  ])('%j', (text) => {
    expect(looksLikeAnswer(text)).toBe(true);
  });
});

describe('messages that are not', () => {
  test.each([
    ...[
      '',
      '   ',
      '...',
      '!',
      'please',
      'thanks',
      'danke',
      '@ana',
      '<@U0ANA>',
      '🎉',
      ':tada:',
      '🎉🎉',
      '1',
      '+10',
      '++1',
    ],
    ...[
      'not approved yet because the numbers are old',
      'approved?',
      'ok??',
      'yes？',
      'who approved this?',
      'is it ok',
    ],
    ...[
      'yesterday',
      'nobody',
      'okapi',
      'now',
      'disapproval of the board',
      'yes but the date is wrong',
      'no idea',
    ],
    ...[
      'approved by whom',
      'ok let me look first',
      'I would say yes',
      'looks good except the title',
      'no rush',
      'ok 100',
    ],
    ...[
      'approved @ana because of the fix',
      'lgtm once the tests pass',
      'go ahead and change the title first',
    ],
    ...[
      'yes = 1',
      'approve=false',
      'https://example.com/approved',
      'ok_hand',
      'C+1',
      'approved/rejected/later',
    ],
    ...[
      'ja aber erst morgen',
      'nein weil das Datum nicht stimmt',
      'noch nicht genehmigt',
      'passt das?',
      'ja und dann',
    ],
    ...[
      'wer hat das genehmigt',
      'jacke',
      'neinsager',
      'yes yes yes yes yes yes yes yes yes',
      'да',
      'y'.repeat(121),
    ],
  ])('%j', (text) => {
    expect(looksLikeAnswer(text)).toBe(false);
  });

  test('any answer with something else behind it', () => {
    const answer = fc.constantFrom('approved', 'no', 'ja', 'lgtm', '👍', 'ok');
    fc.assert(
      fc.property(answer, fc.stringMatching(/^[b-dqxz]{5,12}$/), (word, more) => {
        expect(looksLikeAnswer(`${word}, ${more}`)).toBe(false);
      }),
    );
  });

  test('long messages, however long', () => {
    expect(looksLikeAnswer('approved '.repeat(20_000))).toBe(false);
    expect(looksLikeAnswer(`${'@a '.repeat(20_000)}yes`)).toBe(false);
  });
});
