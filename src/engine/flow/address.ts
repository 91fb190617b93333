import { z } from 'zod';
import { withFix } from '../data/issue.ts';

/** A conversation as a flow names it. `platform` is absent when the address does not say one. */
export interface Address {
  readonly platform?: string;
  /** What the platform resolves: `#name`, `server/#name`, `@name`, or an id. */
  readonly rest: string;
}

const platformPattern = /^[a-z][a-z0-9-]{0,31}$/;
const restPattern =
  /^(?:[^\s/#@:{}<>][^/#@{}<>\n]{0,99}\/)?[#@]?[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._-]{0,98}[\p{L}\p{N}\p{M}_-])?$/u;
const personPattern = /^[a-z][a-z0-9-]{0,31}:[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Reads a conversation's address: `slack:#name`, `discord:server/#name`, `#name`, `@name`, `slack:C0ABC`. */
export function parseAddress(text: string): Address | undefined {
  const colon = text.indexOf(':');
  const platform = colon < 0 ? undefined : text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (!restPattern.test(rest)) return undefined;
  if (platform === undefined) return { rest };
  return platformPattern.test(platform) ? { platform, rest } : undefined;
}

/** A fixed conversation in a flow file. Stays text; never a placeholder, so that data can't choose where it goes. */
export const addressSchema = z.string().superRefine((text, context) => {
  if (parseAddress(text) !== undefined) return;
  const shown = JSON.stringify(text.slice(0, 100));
  const message = text.includes('{{')
    ? withFix(
        `${shown} holds a placeholder; where something is posted is fixed.`,
        'Name the conversation, such as "slack:#releases".',
      )
    : withFix(
        `${shown} is not a conversation.`,
        'Write "#name", "@name" or an id, with its platform in front, such as "slack:#releases".',
      );
  context.addIssue({ code: 'custom', message });
});

/** A person in a flow file: `slack:U0ANA`. */
export const personSchema = z.string().superRefine((text, context) => {
  if (personPattern.test(text)) return;
  const message = withFix(
    `${JSON.stringify(text.slice(0, 100))} is not a person.`,
    'Write the platform and the id of the person, such as "slack:U0ANA"; names can be taken by others.',
  );
  context.addIssue({ code: 'custom', message });
});
