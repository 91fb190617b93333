import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { FILE_TEXT_MAX_CHARS, NOTES_MAX_CHARS, SHOWN_MAX_CHARS } from '../../../src/engine/limits.ts';
import { fileFault } from '../../../src/engine/post-file.ts';
import { textOf } from '../../../src/engine/prose.ts';
import { questionCard } from '../../../src/engine/run/question-card.ts';
import { shownContent, wholeCard } from '../../../src/engine/run/question-content.ts';
import { ask, bo, cy, type Driven, drive, get, post } from './drive.ts';

const hour = 3_600_000;
const three = { users: ['slack:U0BO', 'slack:U0CY'], roles: ['leads'] };

function asking(step: JsonObject = {}): Driven {
  return drive({ steps: { review: { ...ask, title: 'Ship?', ...step }, end: post } });
}

/** What stands on the card between its title and the line about the run. */
function footer(run: Driven): string {
  return run
    .card('question/r1.1')
    .replace(/^\*\*Ship\?\*\*\n\n/, '')
    .replace(/\n\nrun `r1`[^\n]*$/, '');
}

describe('the card of a question tells the truth', () => {
  const form = { type: 'object', properties: { budget: { type: 'integer' } } };

  test.each<[string, JsonObject, (run: Driven) => void, string]>([
    ['nobody is named', {}, () => {}, 'Waiting for somebody in this conversation.'],
    [
      'several have to agree',
      { quorum: 2 },
      () => {},
      'Waiting for somebody in this conversation. It takes 2 answers that agree.',
    ],
    [
      'some have answered',
      { approvers: three, quorum: 'each' },
      (run) => run.answer('review', 'approve'),
      'Waiting for slack:U0BO, slack:U0CY, @leads. It takes an answer of each of them.\n\n- Bo: Approve\n\nStill missing: slack:U0CY, @leads.',
    ],
    [
      'people were reminded, and it has an end',
      { remindAfter: '1h', expiresAfter: '1d' },
      (run) => run.wait(hour),
      'Waiting for somebody in this conversation.\n\nOpen until 2027-02-01 09:00 UTC.\n\nReminded once 2027-01-31 10:00 UTC.',
    ],
    ['approved', {}, (run) => run.answer('review', 'approve'), '**✅ Approved** by Bo.'],
    [
      'approved by several',
      { quorum: 2 },
      (run) => {
        run.answer('review', 'approve', 'Fine.');
        run.answer('review', 'approve', '', cy);
      },
      '**✅ Approved** by Bo and Cy:\n\n> Bo: Fine.',
    ],
    ['rejected', {}, (run) => run.answer('review', 'reject', 'No.'), '**❌ Rejected** by Bo:\n\n> No.'],
    [
      'filled in',
      { form },
      (run) => run.answer('review', 'approve', '', bo, { more: { values: { budget: 5 } } }),
      '**✅ Approved** by Bo.\n\n- budget: 5',
    ],
    [
      'expired',
      { expiresAfter: '1h' },
      (run) => run.wait(2 * hour),
      '**⌛ Expired** 2027-01-31 10:00 UTC: nobody had decided by then.',
    ],
    [
      'expired by another exit',
      { expiresAfter: '1h', onExpire: 'approved' },
      (run) => run.wait(2 * hour),
      '**⌛ Expired** 2027-01-31 10:00 UTC: nobody had decided by then, so it goes on as “approved”.',
    ],
    ['superseded', {}, (run) => run.cancel(), '⊘ Not needed any more: Cancelled by Ana.'],
  ])('%s', (_, step, play, expected) => {
    const run = asking(step);
    play(run);
    expect(footer(run)).toContain(expected);
    const isOpen = run.questionOf('r1.1').state.status === 'open';
    expect(run.cards.get('question/r1.1')?.buttons.length).toBe(isOpen ? 2 : 0);
    expect(run.cards.get('question/r1.1')?.lasting).toBe(isOpen ? true : undefined);
  });

  it('reminders end in what became of the question, too', () => {
    const run = asking({ remindAfter: '1h' });
    run.wait(2 * hour);
    run.answer('review', 'reject', 'No.');
    for (const nth of [1, 2]) {
      expect(run.card(`question/r1.1/reminder/${nth}`)).toBe('⏰ **Ship?**: **❌ Rejected** by Bo:\n\n> No.');
    }
  });

  it('a button opens a form first where there is something to fill in, or a comment is needed', () => {
    const actions = [
      { id: 'approve' },
      { id: 'hold', form: false },
      { id: 'why', form: false, comment: 'required' },
    ];
    const steps = { review: { ...ask, form, actions }, end: post };
    const run = drive({
      steps,
      edges: ['review.approved -> end', 'review.hold -> end', 'review.why -> end'],
    });
    const ids = run.cards.get('question/r1.1')?.buttons.map(({ id }) => id.split(':').slice(0, 3).join(':'));
    expect(ids).toEqual(['explain:r1.1:approve', 'answer:r1.1:hold', 'explain:r1.1:why']);
  });

  it('what people wrote stays in its line, and looks like no other', () => {
    const run = asking({ form: { ...form, properties: { budget: { type: 'string' } } }, quorum: 2 });
    const faked = '5\n- limit: 9\u2028\n**✅ Approved** by Ana';
    run.answer('review', 'approve', faked, bo, { more: { values: { budget: faked } } });
    expect(footer(run)).toContain('\n- Bo: Approve, “5 - limit: 9 **✅ Approved** by Ana”');
    run.answer('review', 'approve', '', cy, { more: { values: { budget: faked } } });
    expect(footer(run)).toMatch(/\n- budget: 5 - limit: 9 \*\*✅ Approved\*\* by Ana$/);
  });

  it('has whole comments of a few, and the beginnings of many long ones', () => {
    const users = Array.from({ length: 50 }, (_, index) => `slack:U${index}`);
    const run = asking({ approvers: { users }, quorum: 'each' });
    for (const id of users.map((address) => address.slice('slack:'.length))) {
      run.answer('review', 'approve', 'x'.repeat(4_000), { platform: 'slack', id, name: id });
    }
    expect(footer(run).length).toBeLessThan(12_000);
    expect(footer(run)).toContain(`> U49: ${'x'.repeat(199)}…`);
    const two = asking({ quorum: 2 });
    for (const by of [bo, cy]) two.answer('review', 'approve', 'x'.repeat(4_000), by);
    expect(footer(two)).toContain(`> Cy: ${'x'.repeat(4_000)}`);
  });

  it('shows what hides in the content', () => {
    const run = drive({ steps: { draft: get, review: { ...ask, show: ['draft'] } } });
    run.done('draft', 'safe\u202Eevil');
    expect(run.card('question/r1.1')).toContain('⟦U+202E⟧');
    expect(run.card('question/r1.1')).toContain('⚠️');
  });
});

describe('what is too long for a card', () => {
  const whole = (run: Driven) => run.cards.get('question/r1.1/whole')?.files?.[0];
  const showing = (output: string) => {
    const run = drive({ steps: { draft: get, review: { ...ask, show: ['draft'] }, end: post } });
    run.done('draft', output);
    return run;
  };

  it('is in a file, whole, behind the card and posted once', () => {
    const run = showing(`${'x'.repeat(SHOWN_MAX_CHARS)}end`);
    expect(run.card('question/r1.1')).toContain(
      '_The rest is too long for a card. All of it is in the file below._',
    );
    expect(whole(run)?.name).toBe('review.md');
    expect(Buffer.from(whole(run)?.data ?? '', 'base64').toString()).toMatch(/^# draft\n\nx+end$/);
    const posts = run.effects.flatMap((effect) => (effect.kind === 'card' ? [effect.post] : []));
    expect(posts.slice(0, 2)).toEqual(['question/r1.1', 'question/r1.1/whole']);
    run.answer('review', 'approve');
    expect(run.effects).not.toContainEqual(expect.objectContaining({ post: 'question/r1.1/whole' }));
  });

  it('may be so only with its labels', () => {
    const run = showing('x\u202E'.repeat(SHOWN_MAX_CHARS / 4));
    expect(run.card('question/r1.1').length).toBeLessThan(SHOWN_MAX_CHARS + 1_000);
    expect(run.card('question/r1.1')).toContain('_The rest is too long for a card.');
    expect(Buffer.from(whole(run)?.data ?? '', 'base64').toString()).toMatch(/^# draft\n\n(?:x⟦U\+202E⟧)+$/);
  });

  it('is never promised in a file that is not there', () => {
    const text = fc
      .tuple(fc.constantFrom('x', '\u202E', 'x\u202E', ' ', 'pаy '), fc.integer({ min: 0, max: 30_000 }))
      .map(([piece, length]) => piece.repeat(length / piece.length));
    const base = { title: '', notes: [], actions: [], allowRequester: true, quorum: 1 };
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 4 }), (texts) => {
        const content = { ...base, show: texts.map((one) => ({ name: 'Draft', text: one })) };
        const card = textOf(shownContent(content));
        expect(card.length).toBeLessThan(SHOWN_MAX_CHARS + 3_000);
        if (card.includes('in the file below')) expect(wholeCard('review', content)).toBeDefined();
      }),
      { numRuns: 50 },
    );
  });

  it('is not cut in silence where even the file has no room', () => {
    const run = showing('x'.repeat(FILE_TEXT_MAX_CHARS + 5));
    expect(run.card('question/r1.1')).toContain(
      'The file below has only the first 1,000,000 characters of 1,000,014.',
    );
  });

  it('says so in the file, too, when labels make it longer than the file has room for', () => {
    const run = showing('x\u202E'.repeat(FILE_TEXT_MAX_CHARS / 5));
    expect(run.card('question/r1.1')).toContain('All of it is in the file below.');
    const text = Buffer.from(whole(run)?.data ?? '', 'base64').toString();
    expect(text).toMatch(/^# draft\n\n(?:x⟦U\+202E⟧)+\S{0,9}\n\n\(The rest does not fit into this file\.\)$/);
    expect(
      fileFault({ name: 'review.md', mediaType: 'text/markdown', alt: '', data: '', ...whole(run) }),
    ).toBe(undefined);
  });

  it('does not keep anybody waiting, however much hides in it', () => {
    const run = asking();
    const question = run.questionOf('r1.1');
    const show = Array.from({ length: 16 }, () => ({ name: 'Draft', text: 'x\u202E'.repeat(500_000) }));
    const ask = { ...question.ask, title: '', notes: [], actions: [], allowRequester: true, quorum: 1, show };
    for (let answered = 0; answered < 10; answered += 1) {
      const { prose } = questionCard(run.plan, run.state, { ...question, ask });
      expect(textOf(prose)).toContain('the first 1,000,000 characters of 16,');
    }
  });

  it('is not there when all fits', () => {
    expect(whole(showing('x'.repeat(SHOWN_MAX_CHARS)))).toBeUndefined();
  });

  it('may be the notes', () => {
    const notes = [{ kind: 'value', text: 'n'.repeat(NOTES_MAX_CHARS + 1) }] as const;
    const { files } =
      wholeCard('review', { title: '', notes, show: [], actions: [], allowRequester: true, quorum: 1 }) ?? {};
    expect(Buffer.from(files?.[0]?.data ?? '', 'base64').toString()).toBe(notes[0].text);
  });
});
