import type { Activity } from '../activity.ts';
import { isWire, type Wire } from './wire.ts';
import type { Workspace } from './workspace.ts';

/** Something to be brought to the bot. */
export interface Parcel {
  readonly kind: 'events_api' | 'slash_commands' | 'interactive';
  /** `event_id` of an event, an id of its own otherwise. */
  readonly id: string;
  readonly payload: Wire;
  /** The bot may answer with more than "taken". */
  readonly acceptsPayload: boolean;
  /** Attempts so far. */
  attempts: number;
  isUnderWay: boolean;
  /** Why the last one failed. */
  failure: string;
  /** Of the last envelope, in Socket Mode. */
  envelopeId: string | undefined;
}

/** What became of one attempt. */
export type Receipt =
  | { readonly kind: 'taken'; readonly response: unknown }
  /** `isFinal`: the bot does not want it again. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal?: boolean };

/** One attempt, for tests and benchmarks. Times are real milliseconds since the epoch, with fractions. */
export interface Delivered {
  readonly kind: Parcel['kind'];
  readonly id: string;
  /** Type of the event or interaction, or the command. */
  readonly what: string;
  /** 0 = the first one. */
  readonly retry: number;
  /** When it left: over HTTP, when it had a connection. */
  sentAtMs: number;
  ackedAtMs: number | undefined;
}

/** A way to the bot. */
export interface Transport {
  /**
   * Brings a parcel and waits for the acknowledgement, at most `limitMs` of real time. A late one is noted in the
   * record. `again`: as it was sent before, down to the envelope.
   */
  send(
    parcel: Parcel,
    options: { readonly record: Delivered; readonly limitMs: number; readonly again: boolean },
  ): Promise<Receipt>;
}

/** Brings events to the bot, and keeps those that it has not taken. */
export interface Delivery {
  readonly delivered: readonly Delivered[];
  /** Events that the bot has not taken, oldest first. */
  waiting(): readonly Wire[];
  /** A new event. Resolves after the first attempt. @param isLast `redeliver` sends this one. */
  event(event: Wire, options?: { readonly limitMs?: number; readonly isLast?: boolean }): Promise<void>;
  /** What a person did and waits for: tried once. */
  interaction(
    kind: 'slash_commands' | 'interactive',
    payload: Wire,
    acceptsPayload: boolean,
  ): Promise<Receipt>;
  /** Tries all that waits once more, in order, each after the one before was taken or failed. */
  flush(): Promise<void>;
  /** Gives up on what was not taken. */
  forget(): void;
  /** Sends the last event once more although it was taken. */
  redeliver(): Promise<void>;
  /** The bot has taken it, perhaps late. */
  taken(parcel: Parcel): void;
}

/** Real time in fractions of milliseconds. */
export function realNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Makes it. @param options `settleMs`: an event not acknowledged by then counts as not taken, for now */
export function createDelivery(options: {
  readonly workspace: () => Workspace;
  readonly transport: () => Transport;
  readonly activity: Activity;
  readonly settleMs: number;
}): Delivery {
  const delivered: Delivered[] = [];
  const waiting = new Map<string, Parcel>();
  let last: Parcel | undefined;
  let flushing = Promise.resolve();

  async function attempt(parcel: Parcel, limitMs: number, again = false): Promise<Receipt> {
    const { kind, id } = parcel;
    const retry = parcel.attempts;
    const sentAtMs = realNowMs();
    const record: Delivered = { kind, id, what: nameOf(parcel), retry, sentAtMs, ackedAtMs: undefined };
    delivered.push(record);
    const sending = options.transport().send(parcel, { record, limitMs, again });
    parcel.attempts += 1;
    parcel.isUnderWay = true;
    const receipt = await sending;
    parcel.isUnderWay = false;
    if (receipt.kind === 'taken') {
      record.ackedAtMs ??= realNowMs();
      taken(parcel);
    } else {
      parcel.failure = receipt.reason;
      if (receipt.isFinal) waiting.delete(parcel.id);
    }
    options.activity.changed();
    return receipt;
  }

  function taken(parcel: Parcel): void {
    waiting.delete(parcel.id);
    options.activity.changed();
  }

  async function flushOnce(): Promise<void> {
    for (const parcel of [...waiting.values()]) {
      if (waiting.has(parcel.id) && !parcel.isUnderWay) await attempt(parcel, options.settleMs);
    }
  }

  return {
    delivered,
    forget: () => waiting.clear(),
    waiting: () => [...waiting.values()].map(({ payload }) => payload),
    async event(event, { limitMs = options.settleMs, isLast = false } = {}) {
      const workspace = options.workspace();
      const id = workspace.nextId('Ev');
      const parcel = parcelOf('events_api', id, eventBody(workspace, event, id), false);
      if (isLast) last = parcel;
      waiting.set(id, parcel);
      await attempt(parcel, limitMs);
    },
    interaction(kind, payload, acceptsPayload) {
      const parcel = parcelOf(kind, options.workspace().nextId('I'), payload, acceptsPayload);
      return attempt(parcel, ackLimitMs);
    },
    flush() {
      flushing = flushing.then(flushOnce);
      return flushing;
    },
    async redeliver() {
      if (last === undefined) throw new Error('nothing was delivered yet');
      await attempt(last, options.settleMs, true);
    },
    taken,
  };
}

/** Slack waits so long for an acknowledgement. */
export const ackLimitMs = 3000;

function parcelOf(kind: Parcel['kind'], id: string, payload: Wire, acceptsPayload: boolean): Parcel {
  return {
    kind,
    id,
    payload,
    acceptsPayload,
    attempts: 0,
    isUnderWay: false,
    failure: '',
    envelopeId: undefined,
  };
}

function nameOf({ payload }: Parcel): string {
  const { event, type, command } = payload;
  return String((isWire(event) ? event.type : undefined) ?? type ?? command);
}

function eventBody({ teamId, appId, botUserId, nowMs }: Workspace, event: Wire, id: string): Wire {
  return {
    token: verificationToken,
    team_id: teamId,
    context_team_id: teamId,
    context_enterprise_id: null,
    api_app_id: appId,
    event,
    type: 'event_callback',
    event_id: id,
    event_time: Math.floor(nowMs() / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: teamId,
        user_id: botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${id}`,
  };
}

/** The deprecated token that Slack still sends along. */
export const verificationToken = 'verification-token';
