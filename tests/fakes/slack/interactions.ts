import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { Activity } from '../activity.ts';
import { type Delivery, verificationToken } from './delivery.ts';
import { type Hands, nameInPayload } from './hands.ts';
import { messageWire, viewWire } from './messages.ts';
import type { Places } from './places.ts';
import { issueResponseUrl, showAcknowledgement } from './response-urls.ts';
import { visibleButtons, visibleText } from './text.ts';
import { encodeTyped } from './typed.ts';
import { isWire, type Wire } from './wire.ts';
import { type Channel, openDirect, type Workspace } from './workspace.ts';

/** A person's Home, as they see it. */
export interface SeenHome {
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

/** A press of a button. */
export interface Press {
  readonly person: Person;
  readonly message: MessageRef;
  readonly button: string;
}

/** What people do beside writing messages. Each resolves when the bot has answered and is quiet. */
export interface Interactions {
  command(person: Person, place: Place, text: string): Promise<void>;
  click(person: Person, message: MessageRef, button: string): Promise<void>;
  /** The same for many at once; resolves when each was acknowledged, or was not within 3 s. */
  clickBurst(presses: readonly Press[]): Promise<void>;
  /** Presses a button of the newest message that only this person sees and that has it. */
  clickPrivate(person: Person, button: string): Promise<void>;
  clickHome(person: Person, button: string): Promise<void>;
  globalShortcut(person: Person): Promise<void>;
  messageShortcut(person: Person, message: MessageRef): Promise<void>;
  openHome(person: Person): Promise<void>;
  home(person: Person): Promise<SeenHome | undefined>;
}

/** Makes it. */
export function createInteractions(options: {
  readonly workspace: Workspace;
  readonly delivery: Delivery;
  readonly activity: Activity;
  readonly places: Places;
  readonly hands: Hands;
}): Interactions {
  const { workspace, delivery, activity } = options;
  const { channelOf } = options.places;
  const { common, triggerFor, interact, trouble } = options.hands;
  const channelWire = (channel: Channel) => ({ id: channel.id, name: nameInPayload(channel) });

  /** `where`: container and what goes with it. */
  function pressed(person: Person, button: string, source: Pressable, where: Wire): Wire {
    const found = visibleButtons(source.blocks).find(({ id }) => id === button);
    return {
      ...common(person, 'block_actions'),
      ...where,
      trigger_id: triggerFor(person),
      state: { values: {} },
      actions: [
        {
          type: 'button',
          action_id: button,
          block_id: found?.blockId ?? 'gone',
          text: { type: 'plain_text', text: found?.label ?? 'Gone', emoji: true },
          value: found ? found.value : button,
          action_ts: workspace.nextTs(),
        },
      ],
    };
  }

  /** A press of a button of a message that everybody there sees. */
  function clicked({ person, message: ref, button }: Press): Wire {
    const channel = channelOf(ref);
    const message = channel.messages.get(ref.id);
    const threadTs = message?.threadTs ?? ref.thread;
    const answering = { person: person.id, channel: channel.id, sourceTs: ref.id };
    const wire = message && messageWire(workspace, channel, message, 'whole');
    return pressed(person, button, message ?? { blocks: [] }, {
      container: {
        type: 'message',
        message_ts: ref.id,
        channel_id: channel.id,
        is_ephemeral: false,
        ...(threadTs !== undefined && { thread_ts: threadTs }),
      },
      channel: channelWire(channel),
      message: wire ?? { type: 'message', ts: ref.id, thread_ts: threadTs },
      response_url: issueResponseUrl(workspace, {
        ...answering,
        ...(threadTs !== undefined && { threadTs }),
      }),
    });
  }

  return {
    async command(person, place, text) {
      const channel = channelOf(place);
      const answering = { person: person.id, channel: channel.id };
      const receipt = await delivery.interaction(
        'slash_commands',
        {
          token: verificationToken,
          team_id: workspace.teamId,
          team_domain: 'flowbot-test',
          channel_id: channel.id,
          channel_name: nameInPayload(channel),
          user_id: person.id,
          user_name: workspace.users.get(person.id)?.handle ?? '',
          command: '/flow',
          text: encodeTyped(workspace, text).text,
          api_app_id: workspace.appId,
          is_enterprise_install: 'false',
          response_url: issueResponseUrl(workspace, answering),
          trigger_id: triggerFor(person),
        },
        true,
      );
      if (receipt.kind === 'failed') trouble(person, '/flow failed with the error "operation_timeout"');
      else if (isWire(receipt.response)) showAcknowledgement(workspace, answering, receipt.response);
      await activity.quiet();
    },

    click: (person, message, button) => interact(person, clicked({ person, message, button })),

    async clickBurst(presses) {
      const receipts = presses.map((press) => delivery.interaction('interactive', clicked(press), false));
      await Promise.all(receipts);
    },

    async clickPrivate(person, button) {
      const message = workspace.privates
        .get(person.id)
        ?.findLast(({ blocks }) => visibleButtons(blocks).some(({ id }) => id === button));
      const channel = message && workspace.channels.get(message.channel);
      if (!message || !channel) throw new Error(`${person.name} sees no private message with ${button}`);
      const payload = pressed(person, button, message, {
        container: {
          type: 'message',
          message_ts: message.ts,
          channel_id: channel.id,
          is_ephemeral: true,
          ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
        },
        channel: channelWire(channel),
        response_url: issueResponseUrl(workspace, {
          person: person.id,
          channel: channel.id,
          sourceTs: message.ts,
        }),
      });
      await interact(person, payload);
    },

    async clickHome(person, button) {
      const home = workspace.homes.get(person.id);
      if (home === undefined) throw new Error(`${person.name} has no Home yet`);
      const payload = pressed(person, button, home.view, {
        container: { type: 'view', view_id: home.id },
        view: viewWire(workspace, home),
      });
      await interact(person, payload);
    },

    globalShortcut: (person) =>
      interact(person, {
        ...common(person, 'shortcut'),
        callback_id: 'run_flow',
        trigger_id: triggerFor(person),
        action_ts: workspace.nextTs(),
      }),

    async messageShortcut(person, ref) {
      const channel = channelOf(ref);
      const message = channel.messages.get(ref.id);
      if (message === undefined) throw new Error(`there is no message ${ref.id}`);
      await interact(person, {
        ...common(person, 'message_action'),
        callback_id: 'use_message',
        trigger_id: triggerFor(person),
        response_url: issueResponseUrl(workspace, { person: person.id, channel: channel.id }),
        channel: channelWire(channel),
        message_ts: ref.id,
        message: messageWire(workspace, channel, message),
        action_ts: workspace.nextTs(),
      });
    },

    async openHome(person) {
      const home = workspace.homes.get(person.id);
      const ts = workspace.nextTs();
      await delivery.event({
        type: 'app_home_opened',
        user: person.id,
        channel: openDirect(workspace, person.id).id,
        tab: 'home',
        view: home && viewWire(workspace, home),
        event_ts: ts,
      });
      await activity.quiet();
    },

    async home(person) {
      const home = workspace.homes.get(person.id);
      if (home === undefined) return undefined;
      const buttons = visibleButtons(home.view.blocks).map(({ id, label }) => ({ id, label }));
      return { text: visibleText(workspace, home.view.blocks, ''), buttons };
    },
  };
}

interface Pressable {
  readonly blocks: Parameters<typeof visibleButtons>[0];
}
