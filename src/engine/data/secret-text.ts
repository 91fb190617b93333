import { z } from 'zod';
import type { SecretText } from '../steps/step-type.ts';
import { withFix } from './issue.ts';
import { parseTemplate } from './template.ts';

/** Names of settings whose value is a secret: it has to stand in the environment. */
const secretName =
  /(?:token|secret|passw(?:or)?d|credentials?|api[_-]?key|private[_-]?key|^authorization|^cookie)$/i;

/** A value in which secrets stand by name only: `Bearer {{secrets.NAME}}`. */
export const secretTextSchema = z
  .string()
  .max(4_000)
  .refine((text) => !/[\r\n\0]/.test(text), {
    error: withFix('This holds a line break or NUL.', 'Write it on one line.'),
  })
  .transform((source, context): SecretText => {
    const parsed = parseTemplate(source);
    if (!parsed.ok) {
      context.addIssue({ code: 'custom', message: parsed.message });
      return z.NEVER;
    }
    return parsed.template.parts.map((part): SecretText[number] => {
      if (part.kind === 'text') return { kind: 'text', text: part.text };
      const [root, name, ...more] = part.path;
      if (root === 'secrets' && name !== undefined && more.length === 0) {
        return { kind: 'secret', name, as: 'text' };
      }
      const message = withFix(`${part.source} names no secret.`, 'Only {{secrets.NAME}} can stand here.');
      context.addIssue({ code: 'custom', message });
      return { kind: 'text', text: '' };
    });
  });

/** Such values by name. A name that stands for a secret takes nothing that is none. @param names what names must look like */
export const secretTexts = (names: RegExp, what: string) =>
  z
    .record(z.string().regex(names, what), secretTextSchema)
    .superRefine((texts, context) => {
      for (const [name, text] of Object.entries(texts)) {
        if (!secretName.test(name) || text.some(({ kind }) => kind === 'secret') || text.length === 0)
          continue;
        const fix = 'Write {{secrets.NAME}} and set FLOWBOT_SECRET_NAME.';
        context.addIssue({
          code: 'custom',
          path: [name],
          message: withFix('No secrets stand in this file.', fix),
        });
      }
    })
    .default({});
