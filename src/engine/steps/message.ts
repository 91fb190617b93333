import { z } from 'zod';
import { resolveProse } from '../data/resolve.ts';
import { type Template, templateReferences, templateSchema } from '../data/template.ts';
import { addressSchema } from '../flow/address.ts';
import { cutProse } from '../prose.ts';
import type { StepType } from './step-type.ts';

/** Most characters (UTF-16 units) of a message; a longer one is cut with a note. */
const messageMaxChars = 8_000;

/** A message step as it is carried out. */
export interface MessageConfig {
  readonly to: string;
  readonly text: Template;
}

/**
 * Posts a message as the flow, to one fixed conversation, once for each round. A text that comes out blank fails the
 * step with `empty-message`.
 */
export const message: StepType<MessageConfig> = {
  type: 'message',
  schema: z.strictObject({
    to: addressSchema.describe('The conversation to post to, such as `slack:#releases`. No placeholders.'),
    text: templateSchema(messageMaxChars).describe(
      'What to post, in Markdown, with placeholders. Mentions in it notify nobody.',
    ),
  }),
  exits: () => ['done'],
  calls: true,
  plainEdges: true,
  later: ['mention', 'onRound'],
  destinations: ({ to }) => [{ address: to, at: ['to'] }],
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
    return { kind: 'message', to: config.to, prose: cutProse(prose.value, messageMaxChars) };
  },
};
