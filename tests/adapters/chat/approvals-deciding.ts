import { describe, expect, test } from 'vitest';
import {
  answersIn,
  approvers,
  asking,
  begin,
  cardOf,
  journalOf,
  oncePrivate,
  outputOf,
  type Platform,
  release,
  runOf,
} from './approvals.ts';
import { onceAsked, onceShown } from './waiting.ts';

/** What people get who answer, and who may not. */
export function decidingOn(platform: Platform): void {
  const { people } = platform;

  describe(`who may answer on ${platform.name}`, () => {
    test('C61: named in person: others hear who may, and only they; the card and the run stay as they are', async () => {
      const asked = await asking(platform, approvers(people.bo));
      const { desk, message, button, thread } = asked;
      expect(await desk.notified(message)).toEqual([people.bo.id]);
      const before = await cardOf(asked);
      await desk.click(people.cy, message, button);
      expect((await oncePrivate(desk, people.cy)).text).toMatch(/^Only @?Bo may answer this\.$/);
      await desk.click(people.ana, message, button);
      expect((await oncePrivate(desk, people.ana)).text).toMatch(/^Only @?Bo may answer this\.$/);
      await desk.command(people.cy, desk.channel, `approve ${(await runOf(asked)).id}`);
      expect((await oncePrivate(desk, people.cy, 1)).text).toMatch(/^Only @?Bo may answer this\.$/);
      expect(await cardOf(asked)).toEqual(before);
      expect(await answersIn(asked)).toEqual([]);
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('✅ Approved by Bo');
      expect((await cardOf(asked)).buttons).toEqual([]);
      expect(await desk.privates(people.bo)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('the one who asked may not approve their own run, whichever way, also as a member of the group', async () => {
      const stage = await platform.open({
        release: `${release(`approvers: { users: ["${platform.name}:${people.bo.id}"], roles: [keepers] }`)}`,
      });
      await stage.group('keepers', [people.ana, people.cy]);
      const asked = await begin(stage);
      const { desk, message, button, thread } = asked;
      await desk.click(people.ana, message, button);
      const why = 'You started this run, so somebody else has to answer.';
      expect((await oncePrivate(desk, people.ana)).text).toBe(why);
      await desk.command(people.ana, desk.channel, `approve ${(await runOf(asked)).id}`);
      expect((await oncePrivate(desk, people.ana, 1)).text).toBe(why);
      await desk.click(people.cy, message, button);
      await onceShown(desk, thread, 'Approved by Cy');
      expect(asked.complaints()).toEqual([]);
    });

    test('anybody in the conversation may where nobody is named; a command from another conversation does not count', async () => {
      const asked = await asking(platform);
      const { desk, thread } = asked;
      const run = (await runOf(asked)).id;
      await desk.command(people.bo, desk.otherChannel, `approve ${run}`);
      expect((await oncePrivate(desk, people.bo)).text).toBe(
        'Only people of the conversation where this is asked may answer it.',
      );
      await desk.command(people.bo, desk.channel, `approve ${run}`);
      await onceShown(desk, thread, 'Approved by Bo');
      expect(asked.complaints()).toEqual([]);
    });

    test('a role that does not exist is nobody’s, and admins hear of it in their direct messages', async () => {
      const stage = await platform.open(
        { release: release('approvers: { roles: [nosuchgroup] }') },
        { FLOWBOT_ADMINS: `${platform.name}:${people.cy.id}` },
      );
      const asked = await begin(stage);
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      expect((await oncePrivate(desk, people.bo)).text).toMatch(/^Only @?nosuchgroup may answer this\.$/);
      const told = await onceShown(desk, desk.directPlace(people.cy), 'can’t answer');
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('there is no such role');
      await onceShown(desk, thread, '⚠️ @nosuchgroup: there is no such role.');
      expect(await answersIn(asked)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });
  });

  describe(`answers of one’s own on ${platform.name}`, () => {
    const flow = `
name: Release
triggers: [{ type: command, command: release }]
steps:
  review:
    type: approval
    title: Publish?
    actions:
      - { id: approve }
      - { id: later, label: Next week, comment: required }
      - { id: never, label: Never, style: danger }
  publish: { type: message, to: "#releases", text: Published }
  postpone: { type: message, to: "#releases", text: "Postponed: {{review.json.feedback}}" }
  drop: { type: message, to: "#releases", text: Dropped }
edges:
  - review.approved -> publish
  - review.later -> postpone
  - review.never -> drop
`;

    test('each has its button; a comment that is required is asked for in a form, and goes on by its own exit', async () => {
      const asked = await begin(await platform.open({ release: flow }));
      const { desk, message, thread } = asked;
      expect((await cardOf(asked)).buttons.map(({ label }) => label)).toEqual([
        'Approve',
        'Next week',
        'Never',
      ]);
      await desk.click(people.bo, message, await asked.buttonOf('Next week'));
      const form = await desk.form(people.bo);
      expect(form).toMatchObject({ title: 'Next week', fields: [{ id: 'feedback', required: true }] });
      expect(await answersIn(asked)).toEqual([]);
      await desk.submit(people.bo, thread, form?.id ?? '', { feedback: 'Freeze until *Monday* <!here>' });
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toMatch(
        /✅ Next week by Bo:\n\n(> )?Freeze until \*Monday\* <!here>\n/,
      );
      const [posted] = await desk.messages(desk.otherChannel);
      expect(posted?.text).toBe('Postponed: Freeze until *Monday* <!here>');
      expect(await outputOf(asked)).toMatchObject({
        decision: 'later',
        feedback: 'Freeze until *Monday* <!here>',
        by: 'Bo',
      });
      expect(asked.complaints()).toEqual([]);
    });

    test('a command for it without the comment is refused with the reason, or a form', async () => {
      const asked = await begin(await platform.open({ release: flow }));
      const { desk, thread } = asked;
      const run = (await runOf(asked)).id;
      await desk.command(people.bo, desk.channel, `answer ${run} later`);
      expect((await oncePrivate(desk, people.bo)).text).toContain('“Next week” needs a comment.');
      await desk.command(people.bo, desk.channel, `answer ${run} later After the freeze`);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('After the freeze');
      expect(asked.complaints()).toEqual([]);
    });
  });

  describe(`several answers on ${platform.name}`, () => {
    test('quorum 2: the card says who has answered; the second answer that agrees decides', async () => {
      const asked = await asking(platform, 'quorum: 2');
      const { desk, message, button, thread } = asked;
      expect((await cardOf(asked)).text).toContain('It takes 2 answers that agree.');
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'Bo: Approve');
      expect((await cardOf(asked)).buttons).toHaveLength(2);
      await desk.click(people.bo, message, button);
      expect((await oncePrivate(desk, people.bo)).text).toBe(
        'You have answered “Approve” already; others have to answer, too.',
      );
      expect((await runOf(asked)).status).toBe('waiting');
      await desk.click(people.cy, message, button);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('✅ Approved by Bo and Cy');
      expect((await cardOf(asked)).buttons).toEqual([]);
      expect(await outputOf(asked)).toMatchObject({ by: 'Bo, Cy' });
      expect(asked.complaints()).toEqual([]);
    });

    test('each: the card says who is missing, of people and of groups; one of the group is enough', async () => {
      const stage = await platform.open({
        release: release(
          `approvers: { users: ["${platform.name}:${people.bo.id}"], roles: [keepers] }`,
          'quorum: each',
        ),
      });
      await stage.group('keepers', [people.cy]);
      const asked = await begin(stage);
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'Still missing: @keepers.');
      await desk.click(people.cy, message, button);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('✅ Approved by Bo and Cy');
      expect(asked.complaints()).toEqual([]);
    });

    test('one rejection is enough, and its comment stands on the card', async () => {
      const asked = await asking(platform, 'quorum: 2');
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'Bo: Approve');
      await desk.click(people.cy, message, await asked.buttonOf('Reject'));
      const form = await desk.form(people.cy);
      await desk.submit(people.cy, thread, form?.id ?? '', { feedback: 'Wrong day' });
      await onceShown(desk, thread, 'was rejected');
      expect((await cardOf(asked)).text).toMatch(/❌ Rejected by Cy:\n\n(> )?Wrong day\n/);
      expect(await runOf(asked)).toMatchObject({ status: 'rejected' });
      expect(await desk.messages(desk.otherChannel)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });
  });

  describe(`at the same instant on ${platform.name}`, () => {
    test('C19: Approve, Reject and /flow approve: one of them counts, and each of the others hears whose it was', async () => {
      const asked = await asking(platform, `actions: [{ id: approve }, { id: reject, comment: none }]`);
      const { desk, message, button } = asked;
      const reject = await asked.buttonOf('Reject');
      const run = (await runOf(asked)).id;
      await Promise.all([
        desk.click(people.bo, message, button),
        desk.click(people.cy, message, reject),
        desk.command(people.ana, desk.channel, `approve ${run}`),
      ]);
      await desk.until(async () => !['waiting', 'running'].includes((await runOf(asked)).status));
      const [answer, ...others] = await answersIn(asked);
      expect(others).toEqual([]);
      const told = await Promise.all(
        [people.bo, people.cy, people.ana].map(async (person) => (await desk.privates(person)).at(-1)?.text),
      );
      const winner = [people.bo, people.cy, people.ana].findIndex(({ id }) => id === answer?.by.id);
      for (const [index, text] of told.entries()) {
        if (index === winner) expect([undefined, 'Recorded: approve.']).toContain(text);
        else expect(text).toContain(`${answer?.by.name} has already answered`);
      }
      const published = await desk.messages(desk.otherChannel);
      expect(published).toHaveLength(answer?.action === 'approve' ? 1 : 0);
      expect((await cardOf(asked)).buttons).toEqual([]);
      expect((await cardOf(asked)).text).toContain(`by ${answer?.by.name}`);
      expect(asked.complaints()).toEqual([]);
    });

    test('C32: an answer in the very moment in which the card appears counts', async () => {
      const stage = await platform.open({ release: release() });
      const { desk } = stage;
      const { store } = stage.live.flowbot.bot;
      const { commit } = store;
      const posted = Promise.withResolvers<void>();
      // The card is there, and that it is there has not been stored yet.
      store.commit = async (write) => {
        if (write.posted?.some(({ key, parts }) => key.startsWith('question/') && parts?.[0]?.message)) {
          await posted.promise;
        }
        return commit(write);
      };
      const root = await desk.say(people.ana, desk.channel, '!release');
      const thread = { ...desk.channel, thread: root.id };
      const { message, button } = await onceAsked(desk, thread, 'Approve');
      await desk.click(people.bo, message, button);
      posted.resolve();
      await onceShown(desk, thread, 'has succeeded');
      const asked = { ...stage, thread, message, button, buttonOf: async () => '' };
      expect((await cardOf(asked)).buttons).toEqual([]);
      expect((await cardOf(asked)).text).toContain('Approved by Bo');
      expect((await journalOf(asked)).filter(({ type }) => type === 'question.answered')).toHaveLength(1);
      expect(stage.complaints()).toEqual([]);
    });
  });
}
