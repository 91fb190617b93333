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
const rolePattern = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ._-]{0,98}[\p{L}\p{N}\p{M}._-])?$/u;
/** Words that stand for everybody on one platform or another: a role that all have decides nothing. */
const everybody: ReadonlySet<string> = new Set(['here', 'channel', 'everyone']);

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

/** A role (user group, server role), by name or id. Without a platform it is meant on whichever platform a person is. */
export interface Role {
  readonly platform?: string;
  readonly role: string;
}

/** Reads the address of a role, as plans and questions hold it: `@maintainers`, `slack:@maintainers`, `slack:@S0OPS`. */
export function parseRole(address: string): Role | undefined {
  const at = address.indexOf('@');
  return at < 0 ? undefined : readRole(address.slice(0, at), address.slice(at + 1));
}

/** The platform of a person or role: `slack` of `slack:U0ANA`. */
export function platformOf(address: string): string | undefined {
  const colon = address.indexOf(':');
  return colon < 0 ? undefined : address.slice(0, colon);
}

/** What is left of it: `U0ANA` of `slack:U0ANA`, `@leads` of `slack:@leads` and of `@leads`. */
export function withoutPlatform(address: string): string {
  return address.slice(address.indexOf(':') + 1);
}

/** Whether an address names a role, and not a person. */
export function isRole(address: string): boolean {
  return parseRole(address) !== undefined;
}

/** @param before what stands in front of the role: nothing, or a platform with its colon. */
function readRole(before: string, role: string): Role | undefined {
  if (!rolePattern.test(role) || everybody.has(role.toLowerCase())) return undefined;
  if (before === '') return { role };
  const platform = before.slice(0, -1);
  return before.endsWith(':') && platformPattern.test(platform) ? { platform, role } : undefined;
}

/**
 * A role in a flow file, read as its address: `maintainers` or `@maintainers` as `@maintainers`, `slack:maintainers` as
 * `slack:@maintainers`.
 */
export const roleSchema = z.string().transform((text, context): string => {
  const colon = text.indexOf(':') + 1;
  const [before, role] = [text.slice(0, colon), text.slice(colon).replace(/^@/, '')];
  if (readRole(before, role)) return `${before}@${role}`;
  const message = everybody.has(role.toLowerCase())
    ? withFix(
        `${JSON.stringify(text.slice(0, 100))} is nobody in particular.`,
        'Remove allow: or approvers: instead; then anyone in the conversation may.',
      )
    : withFix(
        `${JSON.stringify(text.slice(0, 100))} is not a role.`,
        'Write its name or id, with its platform in front where several are connected, such as "maintainers", "slack:maintainers" or "discord:maintainers".',
      );
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Whom a message may notify: a person, `slack:U0ANA`, or a role, `@oncall` or `slack:@oncall`. Never a placeholder. */
export const mentionSchema = z.string().superRefine((text, context) => {
  if (personPattern.test(text) || isRole(text)) return;
  const shown = JSON.stringify(text.slice(0, 100));
  const message = text.includes('{{')
    ? withFix(
        `${shown} holds a placeholder; whom a message notifies is fixed.`,
        'Name the person or the role, such as "slack:U0ANA" or "@oncall".',
      )
    : withFix(
        `${shown} is neither a person nor a role that a message can notify.`,
        'Write a person such as "slack:U0ANA", or a role such as "@oncall" or "slack:@oncall".',
      );
  context.addIssue({ code: 'custom', message });
});
