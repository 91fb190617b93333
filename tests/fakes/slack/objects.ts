import { z } from 'zod';

/** The parts that blocks and elements share. Lengths are counted in UTF-16 units. */

export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });

export const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(max),
    verbatim: z.boolean().optional(),
  });

export const textObject = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

/** A `block_id` or `action_id`. */
export const ownId = z.string().min(1).max(255).optional();

export const confirm = z
  .strictObject({
    title: plainText(100),
    text: textObject(300),
    confirm: plainText(30),
    deny: plainText(30),
    style: z.enum(['primary', 'danger']).optional(),
  })
  .optional();

export const option = z.strictObject({
  text: plainText(75),
  value: z.string().min(1).max(75),
  description: plainText(75).optional(),
});

/** An option of checkboxes and radio buttons. */
export const richOption = z.strictObject({
  text: textObject(75),
  value: z.string().min(1).max(75),
  description: textObject(75).optional(),
});

export const webUrl = z
  .string()
  .max(3000)
  .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), 'must be a valid http or https URL');

/** Where an image comes from, and the rule that it comes from one place. */
export const imageSource = {
  image_url: webUrl.optional(),
  slack_file: z
    .strictObject({ id: z.string().optional(), url: z.string().optional() })
    .refine(({ id, url }) => (id === undefined) !== (url === undefined), 'must have either id or url')
    .optional(),
};
export const oneSource = (image: { image_url?: unknown; slack_file?: unknown }) =>
  (image.image_url === undefined) !== (image.slack_file === undefined);
export const oneSourceRule = 'must have either image_url or slack_file';
