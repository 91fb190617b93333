import { describe, expect, test } from 'vitest';
import { notifiedBy } from './notifying.ts';

const ana = '400000000000000002';
const bo = '400000000000000003';
const ops = '800000000000000001';
const all = `<@${ana}> <@!${bo}> <@&${ops}> @everyone @here`;
const powerful = { mayMentionEveryone: true };
const modest = { mayMentionEveryone: false };
const said = (content: string, allowed_mentions?: object | null) => ({
  components: [{ type: 10, content }],
  ...(allowed_mentions !== undefined && { allowed_mentions }),
});

describe('whom a message notifies', () => {
  test.each([
    [
      'whoever is mentioned, when nothing is said about it',
      undefined,
      [ana, bo, `@&${ops}`, '@everyone', '@here'],
    ],
    ['nobody', { parse: [] }, []],
    ['nobody, when the list is missing', {}, []],
    ['people', { parse: ['users'] }, [ana, bo]],
    ['roles', { parse: ['roles'] }, [`@&${ops}`]],
    ['everyone', { parse: ['everyone'] }, ['@everyone', '@here']],
    ['these', { parse: [], users: [bo], roles: [ops] }, [bo, `@&${ops}`]],
    ['nobody who is not mentioned', { parse: [], users: ['400000000000000009'], roles: [ana] }, []],
  ])('%s', (_, allowed, notified) => {
    expect(notifiedBy(said(all, allowed), powerful)).toEqual(notified);
  });

  test('everyone only with the permission', () => {
    expect(notifiedBy(said(all), modest)).toEqual([ana, bo, `@&${ops}`]);
    expect(notifiedBy(said(all, { parse: ['everyone'] }), modest)).toEqual([]);
  });

  test('roles only when anybody may mention them, or with the permission', () => {
    const mentionableRoles: string[] = [];
    expect(notifiedBy(said(all), { ...modest, mentionableRoles })).toEqual([ana, bo]);
    expect(notifiedBy(said(all), { ...modest, mentionableRoles: [ops] })).toContain(`@&${ops}`);
    expect(notifiedBy(said(all), { ...powerful, mentionableRoles })).toContain(`@&${ops}`);
  });

  test('an answer to an interaction notifies people by default', () => {
    expect(notifiedBy(said(all), { ...powerful, byDefault: 'users' })).toEqual([ana, bo]);
  });

  test('whoever is replied to', () => {
    const rules = { ...modest, repliedUser: ana };
    expect(notifiedBy(said('x'), rules)).toEqual([ana]);
    expect(notifiedBy(said('x', { parse: [] }), rules)).toEqual([]);
    expect(notifiedBy(said('x', { parse: [], replied_user: true }), rules)).toEqual([ana]);
    expect(notifiedBy(said('x', { replied_user: true }), modest)).toEqual([]);
  });

  test('everybody once, in all texts of the message', () => {
    const components = [{ type: 17, components: [{ type: 10, content: `<@${bo}>` }] }];
    expect(notifiedBy({ content: `<@${ana}> <@${ana}>`, components }, modest)).toEqual([ana, bo]);
  });

  test('labels notify nobody', () => {
    const label = `<@${ana}>`;
    const components = [{ type: 1, components: [{ type: 2, style: 1, custom_id: 'b', label }] }];
    expect(notifiedBy({ components }, powerful)).toEqual([]);
  });

  test.each([
    `\`<@${ana}>\``,
    `\`\`\`\n<@${ana}>\n@here\n\`\`\``,
    `> \`@everyone\`\n> \`\`\`\n> <@${ana}>\n> \`\`\``,
  ])('code notifies nobody: %j', (content) => {
    expect(notifiedBy(said(content), powerful)).toEqual([]);
  });

  test.each([
    `\\<@${ana}>`,
    `<\u200b@${ana}>`,
    `<@\u202e${ana}>`,
    `[](<@${ana}>)`,
    `[<@${ana}>](https://a.example)`,
    `https://a.example/<@${ana}>`,
    `**<@${ana}>**`,
    `\`\`\`\n<@${ana}>`,
    `> <@${ana}>`,
  ])('trap 4: only allowed_mentions keeps %j quiet', (content) => {
    expect(notifiedBy(said(content), modest)).toEqual([ana]);
    expect(notifiedBy(said(content, { parse: [] }), modest)).toEqual([]);
  });

  test.each(['@ana', '<@ana>', '@ everyone', 'every@one', `<@${ana}`, '<@12>'])(
    '%j mentions nobody',
    (content) => {
      expect(notifiedBy(said(content), powerful)).toEqual([]);
    },
  );
});
