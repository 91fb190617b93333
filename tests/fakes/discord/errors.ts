import type { Wire } from './wire.ts';

/** What Discord answers when it refuses. */
export class DiscordError extends Error {
  override readonly name = 'DiscordError';
  readonly status: number;
  readonly code: number;
  /** What is wrong with a form body, by path. */
  readonly errors: Wire | undefined;

  constructor(status: number, code: number, message: string, errors?: Wire) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

const known = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  forumMessage: [400, 40058, 'Cannot send a message in a forum channel'],
  acknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  tagRequired: [400, 40067, 'A tag is required to create a forum post in this channel'],
  missingAccess: [403, 50001, 'Missing Access'],
  notOurs: [403, 50005, 'Cannot edit a message authored by another user'],
  empty: [400, 50006, 'Cannot send an empty message'],
  refusesDms: [403, 50007, 'Cannot send messages to this user'],
  nonText: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  invalidToken: [401, 50027, 'Invalid Webhook Token'],
  archived: [400, 50083, 'Thread is archived'],
  badJson: [400, 50109, 'The request body contains invalid JSON.'],
  noHistory: [403, 160002, 'Cannot reply without permission to read message history'],
  threadExists: [400, 160004, 'A thread has already been created for this message'],
  locked: [403, 160005, 'Thread is locked'],
} as const satisfies Readonly<Record<string, readonly [number, number, string]>>;

/** A refusal by its name. */
export function refusal(name: keyof typeof known): DiscordError {
  const [status, code, message] = known[name];
  return new DiscordError(status, code, message);
}

/** A form body that is wrong. @param path keys to the place; empty = the body itself */
export function invalidForm(
  faults: readonly {
    readonly path: readonly (string | number)[];
    readonly code: string;
    readonly message: string;
  }[],
): DiscordError {
  const errors: Record<string, unknown> = {};
  for (const { path, code, message } of faults) {
    let at = errors;
    for (const key of path) {
      const next = at[key];
      const inner: Record<string, unknown> = typeof next === 'object' && next !== null ? { ...next } : {};
      at[key] = inner;
      at = inner;
    }
    const before = Array.isArray(at._errors) ? at._errors : [];
    at._errors = [...before, { code, message }];
  }
  return new DiscordError(400, 50035, 'Invalid Form Body', errors);
}

/** The answer's body. */
export function errorBody({ code, message, errors }: DiscordError): Wire {
  return { message, code, ...(errors && { errors }) };
}
