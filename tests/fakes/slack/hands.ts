import type { Person } from '../../../src/engine/people.ts';
import type { Activity } from '../activity.ts';
import { type Delivery, verificationToken } from './delivery.ts';
import type { Wire } from './wire.ts';
import type { Channel, Workspace } from './workspace.ts';

/** What all that people do to buttons, forms and commands has in common. */
export interface Hands {
  /** The beginning of every interaction's payload. */
  common(person: Person, type: string): Wire;
  /** A new `trigger_id`. */
  triggerFor(person: Person): string;
  /** Brings an interaction that takes no answer to the bot, and waits until the bot is quiet. */
  interact(person: Person, payload: Wire): Promise<void>;
  /** Slack tells a person that something went wrong. */
  trouble(person: Person, what: string): void;
  /** What Slack told this person because the bot did not answer, or not as it must. */
  troubles(person: Person): readonly string[];
}

/** Makes them. */
export function createHands(workspace: Workspace, delivery: Delivery, activity: Activity): Hands {
  const troubles = new Map<string, string[]>();
  const trouble = (person: Person, what: string) =>
    void troubles.set(person.id, [...(troubles.get(person.id) ?? []), what]);

  return {
    trouble,
    troubles: (person) => troubles.get(person.id) ?? [],
    triggerFor(person) {
      const id = workspace.nextId('13345224609.738474920.');
      workspace.triggers.set(id, { person: person.id, atMs: workspace.nowMs(), used: false });
      return id;
    },
    common(person, type) {
      const handle = workspace.users.get(person.id)?.handle;
      return {
        type,
        token: verificationToken,
        api_app_id: workspace.appId,
        team: { id: workspace.teamId, domain: 'flowbot-test' },
        enterprise: null,
        is_enterprise_install: false,
        user: { id: person.id, username: handle, name: handle, team_id: workspace.teamId },
      };
    },
    async interact(person, payload) {
      const receipt = await delivery.interaction('interactive', payload, false);
      if (receipt.kind === 'failed') trouble(person, 'This app responded with an error.');
      await activity.quiet();
    },
  };
}

/** How commands and interactions name a conversation. */
export function nameInPayload({ kind, name }: Channel): string {
  if (kind === 'im') return 'directmessage';
  return kind === 'channel' ? name : 'privategroup';
}
