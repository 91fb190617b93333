import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { NOTIFIED_MAX, SHOWN_MAX_CHARS } from '../../../src/engine/limits.ts';
import { ask, asked, drive, flaky, get, pay, post, text } from './drive.ts';

const flow: JsonObject = {
  id: 'release',
  name: 'Release notes',
  steps: {
    draft: { ...get, name: 'Draft' },
    review: {
      ...ask,
      title: 'Publish?',
      notes: 'For **{{start.json.prompt}}**.',
      show: ['draft'],
      approvers: { users: ['slack:U0BO', 'discord:D7'] },
    },
    publish: { ...post, name: 'Publish' },
  },
};

describe('the card of a question', () => {
  const asking = (draft = 'The notes.') => {
    const run = drive(flow, { prompt: '1.2' });
    run.done('draft', draft);
    return run;
  };

  it('says what is asked, shows what it is about, who may answer, and which run it belongs to', () => {
    const run = asking();
    expect(run.card('question/r1.1')).toBe(
      '**Publish?**\n\nFor **1.2**.\n\n**Draft**\n\nThe notes.\n\nWaiting for slack:U0BO, discord:D7.\n\nrun `r1` of release, started by Ana, content `14b58ecf`',
    );
  });

  it('keeps data apart from what the flow says, so that it can not be mistaken for it', () => {
    const { prose = [] } = asking('**Approved** <!channel>').cards.get('question/r1.1') ?? {};
    expect(prose).toContainEqual({ kind: 'value', text: '**Approved** <!channel>' });
    expect(prose).toContainEqual({ kind: 'value', text: '1.2' });
    expect(prose).toContainEqual({ kind: 'literal', text: 'Publish?' });
  });

  it('has buttons that fit a platform, and notifies the approvers of that platform', () => {
    const run = asking();
    expect(run.cards.get('question/r1.1')).toMatchObject({
      buttons: [
        { id: 'answer:r1.1:approve:14b58ecf1d939293', label: 'Approve', style: 'primary' },
        { id: 'comment:r1.1:reject:14b58ecf1d939293', label: 'Reject', style: 'danger' },
      ],
      notify: ['U0BO'],
    });
  });

  it('names roles as people know them, and notifies those of its platform', () => {
    const approvers = { users: ['slack:U0BO'], roles: ['maintainers', 'slack:S0OPS', 'discord:Leads'] };
    const run = drive({ steps: { review: { ...ask, approvers } } });
    expect(run.card('question/r1.1')).toContain(
      'Waiting for slack:U0BO, @maintainers, slack:@S0OPS, discord:@Leads.',
    );
    expect(run.card('run/r1')).toContain(
      'waiting for slack:U0BO, @maintainers, slack:@S0OPS, discord:@Leads',
    );
    expect(run.cards.get('question/r1.1')?.notify).toEqual(['U0BO', '@maintainers', '@S0OPS']);
  });

  it('notifies no more than a platform takes at once', () => {
    const users = Array.from({ length: 200 }, (_, index) => `slack:U${index}`);
    const run = drive({ allow: { users }, steps: { a: pay } });
    run.lose('a');
    expect(run.cards.get('question/r1.1')?.notify).toHaveLength(NOTIFIED_MAX);
  });

  it('then shows who answered what, without buttons and without notifying anybody', () => {
    const run = asking();
    run.answer('review', 'reject', 'Too\nlong.');
    expect(run.card('question/r1.1')).toContain('**❌ Rejected** by Bo:\n\n> Too\nlong.');
    expect(run.cards.get('question/r1.1')).toMatchObject({ buttons: [], notify: [] });
  });

  it('waits for the conversation when nobody is named', () => {
    const run = drive({ steps: { review: ask } });
    expect(run.card('question/r1.1')).toContain('Waiting for somebody in this conversation.');
    expect(run.cards.get('question/r1.1')?.notify).toEqual([]);
    run.answer('review', 'approve');
    expect(run.card('question/r1.1')).toContain('**✅ Approved** by Bo.');
  });

  it('says so when there is nothing to show, or more than it can show', () => {
    expect(asking(' \n').card('question/r1.1')).toContain('**Draft**\n\n(empty)');
    expect(asking('x'.repeat(SHOWN_MAX_CHARS + 5)).card('question/r1.1')).toContain(
      '_The rest is too long for a card. All of it is in the file below._',
    );
    const skipped = drive({
      steps: { check: asked, a: get, review: { ...ask, show: ['a'] } },
      edges: ['check.yes -> a -> review', 'check.no -> review'],
    });
    expect(skipped.card('question/r1.1')).toContain(
      '(This step did not run on this path, so it has no output.)',
    );
  });

  it('drops what it showed from the state once it is answered', () => {
    const run = asking();
    expect(run.state.questions['r1.1']?.ask?.show).toEqual([{ name: 'Draft', text: 'The notes.' }]);
    run.answer('review', 'approve');
    expect(run.state.questions['r1.1']).not.toHaveProperty('ask');
  });
});

describe('the card of a run', () => {
  it('tells step by step where it is, and offers to cancel it', () => {
    const run = drive({
      name: 'Release notes',
      id: 'release',
      steps: {
        check: asked,
        no: post,
        draft: { ...get, attempts: 2 },
        pause: { type: 'wait', for: '1h' },
        review: { ...ask, approvers: { users: ['slack:U0BO'] } },
        end: post,
      },
      edges: ['check.yes -> no', 'check.no -> draft -> end', 'check.no -> pause', 'check.no -> review'],
    });
    const lines = () =>
      run
        .card('run/r1')
        .split('\n')
        .filter((line) => line.startsWith('- '));
    expect(run.card('run/r1')).toMatch(/^▶️ \*\*Release notes\*\* is running\n\n/);
    expect(lines()).toEqual([
      '- ✓ check: no',
      '- – no',
      '- ▸ draft',
      '- ⏸ pause: until 2027-01-31 10:00 UTC',
      '- ⏸ review: waiting for slack:U0BO',
      '- · end',
    ]);
    run.fail('draft', flaky);
    expect(lines()[2]).toBe('- ⏸ draft: trying again (attempt 2)');
    run.wait(2000);
    run.fail('draft', flaky);
    expect(lines()[2]).toBe('- ✗ draft: it answered with status 503.');
    expect(run.cards.get('run/r1')?.buttons).toEqual([{ id: 'cancel:r1', label: 'Cancel', style: 'plain' }]);
    run.cancel();
    expect(run.card('run/r1')).toContain('⏹️ **Release notes** was cancelled');
    expect(run.card('run/r1')).toContain('Cancelled by Ana.');
    expect(run.cards.get('run/r1')?.buttons).toEqual([
      { id: 'again:r1', label: 'Run again', style: 'plain' },
    ]);
  });

  it('is progress while the run goes on by itself, not when people are asked or it has ended', () => {
    const run = drive({ steps: { draft: get, review: ask, report: get } });
    const isProgress = () => run.cards.get('run/r1')?.progress ?? false;
    expect(isProgress()).toBe(true);
    run.done('draft');
    expect(isProgress()).toBe(false);
    run.answer('review', 'approve');
    expect(isProgress()).toBe(true);
    run.done('report');
    expect(isProgress()).toBe(false);
    expect(run.cards.get('question/r1.1')).not.toHaveProperty('progress');
  });

  it('counts rounds', () => {
    const run = drive({
      steps: { draft: get, review: ask },
      edges: ['draft -> review', { from: 'review.rejected', to: 'draft', sendBack: true }],
    });
    run.done('draft');
    run.answer('review', 'reject');
    expect(run.card('run/r1')).toContain('▸ draft (round 2)');
  });

  it('of a long flow lists what is going on and counts the rest', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `step${index}`);
    const run = drive({ steps: { ...Object.fromEntries(ids.map((id) => [id, text('x')])), end: get } });
    expect(run.card('run/r1')).toContain('- ▸ end\n- … and 30 more steps\n');
    expect(run.card('run/r1')).not.toContain('step1');
  });

  it('says why the run failed, and a notice tells the one who started it', () => {
    const run = drive({ name: 'Release notes', steps: { draft: get } });
    run.fail('draft');
    expect(run.card('run/r1')).toContain('❌ **Release notes** has failed');
    expect(run.card('run/r1')).toContain('"draft" failed: it answered with status 400.');
    expect(run.card('end/r1')).toBe(
      '**Release notes** has failed: "draft" failed: it answered with status 400.',
    );
    expect(run.cards.get('end/r1')?.notify).toEqual(['U0ANA']);
  });

  it('does not notify somebody of another platform', () => {
    const run = drive({ steps: { a: get } }, { person: { platform: 'discord', id: 'D1', name: 'Ana' } });
    run.fail('a');
    expect(run.cards.get('end/r1')?.notify).toEqual([]);
  });
});
