import { z } from 'zod';
import { resolveProse } from '../data/resolve.ts';
import { type Template, templateReferences, templateSchema } from '../data/template.ts';
import type { Fault } from '../fault.ts';
import { addressSchema, mentionSchema, parseAddress, platformOf } from '../flow/address.ts';
import { FILE_TEXT_MAX_CHARS } from '../limits.ts';
import type { Named } from '../named.ts';
import { cutProse, type Prose, proseLength } from '../prose.ts';
import type { StepType } from './step-type.ts';

/** Most characters (UTF-16 units) of a message; a longer one is cut with a note. */
const messageMaxChars = 8_000;
const cutWithFile = '_This is too long: only its beginning is shown; the whole text is in the file below._';

/** A message step as it is carried out. */
export interface MessageConfig {
  /** Absent = where the run lives. */
  readonly to?: string | undefined;
  readonly text: Template;
  /** Whom it notifies. */
  readonly mention: Named;
  /** What a later round does: posts anew, or edits what the round before posted. */
  readonly onRound: 'new' | 'edit';
}

/**
 * Posts a message as the flow, to one fixed conversation or where the run lives, once for each round, or once for all of them when later
 * rounds edit it. A text that is too long is cut, and comes along whole as a file. Notifies those it mentions and nobody
 * else. A text that comes out blank fails the step with `empty-message`.
 */
export const message: StepType<MessageConfig> = {
  type: 'message',
  schema: z.strictObject({
    to: addressSchema
      .optional()
      .describe(
        'The conversation to post to, such as `slack:#releases` or `discord:Our Server/#releases`. No placeholders. Left out: where the run lives, in its thread.',
      ),
    text: templateSchema(messageMaxChars).describe(
      'What to post, in Markdown, with placeholders. Mentions in it notify nobody.',
    ),
    mention: z
      .array(mentionSchema)
      .max(20)
      .default([])
      .describe(
        'Whom it notifies: people such as `slack:U0ANA` or `discord:400000000000000002`, roles such as `@oncall`. No placeholders.',
      ),
    onRound: z
      .enum(['new', 'edit'])
      .default('new')
      .describe('In a later round: post a new message, or edit the one of the round before.'),
  }),
  exits: () => ['done'],
  calls: true,
  plainEdges: true,
  editsItsPost: ({ onRound }) => onRound === 'edit',
  destinations: ({ to }) => (to === undefined ? [] : [{ address: to, at: ['to'] }]),
  needsHome: ({ to }) => to === undefined,
  check: ({ config }) => outOfReach(config),
  references: ({ text }) => templateReferences(text, ['text']),
  begin: ({ config, scope }) => {
    const prose = resolveProse(config.text, scope);
    if (!prose.ok) return { kind: 'failed', failure: prose.failure };
    if (prose.value.every((piece) => piece.text.trim() === '')) {
      return {
        kind: 'failed',
        failure: {
          code: 'empty-message',
          message: 'The text of the message came out empty, and an empty message cannot be posted.',
          retry: 'never',
        },
      };
    }
    const { to, mention } = config;
    return { kind: 'message', ...(to !== undefined && { to }), mention, ...fitted(prose.value) };
  },
};

/** The text as a message holds it, and all of it when that is more and a file holds it. */
function fitted(prose: Prose): { readonly prose: Prose; readonly whole?: string } {
  const length = proseLength(prose);
  if (length <= messageMaxChars) return { prose };
  if (length > FILE_TEXT_MAX_CHARS) return { prose: cutProse(prose, messageMaxChars) };
  return {
    prose: cutProse(prose, messageMaxChars, cutWithFile),
    whole: prose.map(({ text }) => text).join(''),
  };
}

/** Those who can't be notified, because the message is posted on another platform. */
function outOfReach({ to, mention }: MessageConfig): readonly Fault[] {
  const here = to === undefined ? undefined : parseAddress(to)?.platform;
  if (here === undefined) return [];
  return mention.flatMap((address, index): readonly Fault[] => {
    const theirs = platformOf(address);
    if (theirs === undefined || theirs === here) return [];
    const message = `${address} is on ${theirs}, so a message to ${to} can't notify it.`;
    const fix = `Name somebody on ${here}, or remove it.`;
    return [{ severity: 'warning', rule: 'mention', path: ['mention', index], message, fix }];
  });
}
