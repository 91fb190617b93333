import { createHash } from 'node:crypto';
import { type AllowedMentionsTypes, MessageFlags, type RawFile } from 'discord.js';
import type { PostFile } from '../../engine/post.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Log } from '../../ports/log.ts';
import { snowflakePattern } from './addresses.ts';
import type { Directory } from './directory.ts';
import { contentMark } from './mark.ts';
import {
  type Called,
  componentsOf,
  type DiscordFilePart,
  type DiscordPart,
  fileComponents,
  isFilePart,
} from './part.ts';
import type { People } from './people.ts';

/** What is sent for a part. */
export interface Payload {
  readonly kind: 'payload';
  readonly body: {
    readonly components: object[];
    readonly flags: number;
    readonly allowed_mentions: typeof nobody;
    readonly attachments?: object[];
  };
  readonly files: readonly RawFile[];
}

/** Makes payloads. */
export interface Payloads {
  /**
   * What is sent for a part; `later` when nobody can tell now who is to be notified.
   *
   * @param channel where roles are looked up by name
   */
  of(
    part: DiscordPart | DiscordFilePart,
    mark: number,
    channel: string,
  ): Promise<Payload | { readonly kind: 'later'; readonly afterMs: number }>;
}

/** What `allowed_mentions` says when nobody is to be notified. */
export const nobody = {
  parse: [] as AllowedMentionsTypes[],
  users: [] as string[],
  roles: [] as string[],
  replied_user: false,
};

/** Wait when roles can't be looked up, in milliseconds. */
const askAgainMs = 5_000;
const shownFlags = MessageFlags.IsComponentsV2 | MessageFlags.SuppressEmbeds;

/** Makes it. */
export function createPayloads({
  directory,
  people,
  log,
}: {
  readonly directory: Directory;
  readonly people: People;
  readonly log: Log;
}): Payloads {
  /** Roles that somebody was told about: a card is edited many times. */
  const toldOf = new Set<string>();

  async function called(notify: readonly string[], channel: string): Promise<Called> {
    const named = notify.filter((one) => one.startsWith('@')).map((one) => one.slice(1));
    const server = named.length === 0 ? undefined : (await directory.channel(channel))?.guild;
    const found = await Promise.all(named.map((name) => people.role(name, server)));
    const roles = [...new Set(found.flatMap((role) => role?.id ?? []))];
    named.forEach((name, index) => {
      const role = found[index];
      if (!role) tell('A role that a message notifies is not known to Discord.', name);
      else if (directory.mayNotify(role.id) === false) {
        tell(
          'Discord notifies nobody of a role: let everybody mention it (Server Settings, Roles, Allow anyone to @mention this role).',
          name,
        );
      }
    });
    return { users: [...new Set(notify.filter((one) => snowflakePattern.test(one)))], roles };
  }

  function tell(what: string, role: string): void {
    if (toldOf.has(role)) return;
    toldOf.add(role);
    log.warn(what, { role });
  }

  return {
    async of(part, mark, channel) {
      if (isFilePart(part)) return filePayload(part.file, mark);
      try {
        const mentions = await called(part.notify, channel);
        return {
          kind: 'payload',
          body: {
            components: componentsOf(part, { mark, mentions }),
            flags: shownFlags,
            allowed_mentions: { ...nobody, users: [...mentions.users], roles: [...mentions.roles] },
          },
          files: [],
        };
      } catch (error) {
        if (error instanceof ChatUnavailable) return { kind: 'later', afterMs: askAgainMs };
        throw error;
      }
    },
  };
}

/** With the same key Discord makes no second message for some minutes. */
export function onceBy(key: string): { readonly nonce: string; readonly enforce_nonce: true } {
  return {
    nonce: createHash('sha256').update(key).digest('base64url').slice(0, nonceMax),
    enforce_nonce: true,
  };
}

const nonceMax = 25;

/** What is sent for a message that shows a file. */
export function filePayload(file: PostFile, mark: number): Payload {
  return {
    kind: 'payload',
    body: {
      components: fileComponents(file, { mark, contentMark: contentMark(file) }),
      flags: shownFlags,
      allowed_mentions: nobody,
      attachments: [{ id: 0, filename: file.name, ...(file.alt.trim() !== '' && { description: file.alt }) }],
    },
    files: [{ name: file.name, data: Buffer.from(file.data, 'base64'), contentType: file.mediaType }],
  };
}
