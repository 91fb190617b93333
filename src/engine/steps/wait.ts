import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import type { StepType } from './step-type.ts';

/** A wait step as it is carried out. */
export type WaitConfig =
  | { readonly kind: 'for'; readonly forMs: number }
  | { readonly kind: 'until'; readonly untilMs: number };

const timeSchema = z
  .string()
  .refine((text) => z.iso.datetime({ offset: true }).safeParse(text).success, {
    error: withFix(
      'This is no time with an offset.',
      'Write it like 2027-01-31T09:00:00+01:00 or 2027-01-31T08:00:00Z.',
    ),
  })
  .transform((text) => Date.parse(text));

/** Waits a length of time, or until a time; a time that is past is due at once. Holds no slot meanwhile. */
export const wait: StepType<WaitConfig> = {
  type: 'wait',
  schema: z
    .strictObject({
      for: durationSchema.optional().describe('How long to wait, such as `30s`, `10m`, `2d`.'),
      until: timeSchema.optional().describe('The time to wait for, such as `2027-01-31T09:00:00+01:00`.'),
    })
    .transform((written, context): WaitConfig => {
      const { for: forMs, until: untilMs } = written;
      if (forMs !== undefined && untilMs === undefined) return { kind: 'for', forMs };
      if (untilMs !== undefined && forMs === undefined) return { kind: 'until', untilMs };
      const problem = forMs === undefined ? 'This waits for nothing.' : 'Both for: and until: are written.';
      context.addIssue({ code: 'custom', message: withFix(problem, 'Write one of for: and until:.') });
      return z.NEVER;
    }),
  exits: () => ['done'],
  plainEdges: true,
  references: () => [],
  begin: ({ config, nowMs }) => ({
    kind: 'sleep',
    untilMs: config.kind === 'for' ? nowMs + config.forMs : config.untilMs,
  }),
};
