import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { addressSchema } from '../flow/address.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  conversation: addressSchema.describe('The conversation to read.'),
  window: durationSchema.describe('How far back to read, such as 24h.'),
  maxMessages: z.int().min(1).max(1000).default(200).describe('Most messages; the newest are kept.'),
});

/** Reads the messages of a conversation. */
export const history: StepType<z.output<typeof schema>> = {
  type: 'history',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: () => [],
};
