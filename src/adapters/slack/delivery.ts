import { createHash } from 'node:crypto';
import type { ReceiverEvent } from '@slack/bolt';
import type { Person, Place } from '../../engine/people.ts';
import type { Form } from '../../engine/post.ts';
import { literal, md } from '../../engine/prose.ts';
import type { Answer, ChatClick, ChatMessage, ChatShortcut, Inbound, Taken } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { messageRef, platform, readConversationId, userIdPattern } from './addresses.ts';
import type { Answers, Recipient } from './answers.ts';
import type { Calls } from './calls.ts';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import type { Click, Incoming, TypedMessage } from './incoming.ts';
import { renderErrors, renderForm } from './modal.ts';
import { parseIncoming } from './parse.ts';
import { takeMention } from './typed.ts';
import { createWording } from './wording.ts';

/** Hands what people do to the bot, and the bot's answers to them. */
export interface Delivery {
  /** Takes one thing that Slack sent; acknowledges it once it is durable. Rejects when it could not be stored. */
  take(event: ReceiverEvent): Promise<void>;
  /** Takes a message that was found in the history. Rejects when it could not be stored. */
  takeMessage(message: TypedMessage): Promise<void>;
  /** Takes nothing more; complete when the answers under way are given, or do not come for a while. */
  stop(): Promise<void>;
}

/** Under which name the ids of conversations that moved are kept. */
export const movesNote = 'moves';
/** How long a form that was sent waits for its answer; Slack gives it three seconds. */
const submitPatienceMs = 2_000;
/** How long a stop waits for answers under way, in milliseconds. */
const stopPatienceMs = 5_000;
/** Answers to forms that are remembered, for when Slack or a person sends one twice. */
const answersMax = 500;

/** Makes the delivery of one workspace. */
export function createDelivery(options: {
  readonly inbound: Inbound;
  readonly identity: Identity;
  readonly directory: Directory;
  readonly calls: Calls;
  readonly answers: Answers;
  readonly clock: Clock;
  readonly log: Log;
}): Delivery {
  const { inbound, identity, directory, calls, answers, clock, log } = options;
  const { team } = identity;
  const { here, placeIn, whereIs, personOf, knownPerson, messageOf, plain, known } = createWording(
    team,
    directory,
  );
  const underWay = new Set<Promise<void>>();
  const submitted = new Map<string, Promise<Taken>>();
  let isStopped = false;

  async function take({ body, ack }: ReceiverEvent): Promise<void> {
    if (isStopped) throw new Error('Flowbot stops.');
    const incoming = parseIncoming(body, team);
    switch (incoming.kind) {
      case 'message':
        return onMessage(incoming, ack);
      case 'command':
        return onCommand(incoming, ack);
      case 'click':
        return onClick(incoming, ack);
      case 'submit':
        return onSubmit(incoming, ack);
      case 'shortcut':
        return onShortcut(incoming, ack);
      case 'joined':
        return onJoined(incoming, ack);
      case 'home':
        await ack();
        return later(showHome(incoming.user));
      case 'deleted':
        if ([identity.user, identity.botId, undefined].includes(incoming.author))
          inbound.deleted(messageRef(here(incoming.channel), incoming.ts, incoming.thread));
        return ack();
      case 'changed':
        if (incoming.user === undefined || incoming.user === identity.user)
          directory.forget(incoming.channel);
        return ack();
      case 'moved':
        directory.moved(incoming.from, incoming.to);
        await inbound.keepNote(platform, movesNote, directory.moves());
        return ack();
      case 'ended':
        calls.end(incoming.why);
        return ack();
      case 'ignored':
        return ack();
    }
  }

  async function onMessage(said: TypedMessage, ack: ReceiverEvent['ack']): Promise<void> {
    if (said.user === identity.user) return ack();
    const { text, toBot } = takeMention(said.text, identity.user);
    const early = { text: known(text), toBot: toBot || said.direct };
    // What people tell each other is not worth asking Slack for their names.
    if (!inbound.concerns(early)) return ack();
    const written = await messageOf({ ...said, text });
    const event: ChatMessage = {
      type: 'message',
      // Not the event's own id: a message that mentions the bot comes as two events.
      id: `m:${said.channel}:${said.ts}`,
      atMs: millis(said.ts),
      person: await personOf(said.user),
      ...written,
      toBot: early.toBot,
    };
    const { answer } = await inbound.receive(event);
    const thread = said.thread === undefined ? {} : { thread: said.thread };
    later(show(answer, { user: said.user, channel: said.channel, ...thread }, event.message));
    await ack();
  }

  async function onCommand(
    { id, user, channel, text, contact }: Extract<Incoming, { kind: 'command' }>,
    ack: ReceiverEvent['ack'],
  ): Promise<void> {
    const place = placeIn(channel);
    const { answer } = await inbound.receive({
      type: 'command',
      id,
      atMs: clock.now(),
      person: await personOf(user),
      place,
      ...(await plain(text)),
    });
    // First, because an acknowledgement may fail, and then nothing is given again.
    later(show(answer, { user, channel, contact }, place));
    await ack();
  }

  async function onClick(click: Click, ack: ReceiverEvent['ack']): Promise<void> {
    const { user, contact, thread } = click;
    const event = (person: Person, channel: string): ChatClick => ({
      type: 'click',
      id: click.id,
      atMs: clock.now(),
      person,
      message: messageRef(here(channel), click.ts, thread),
      button: click.button,
    });
    const recipient: Recipient = {
      user,
      contact,
      ...(click.channel !== undefined && { channel: click.channel }),
      ...(thread !== undefined && { thread }),
    };
    // First of all, and from what is known: Slack opens forms for three seconds only.
    const early = event(knownPerson(user), click.channel ?? user);
    const form = await inbound.formFor(early);
    if (form) {
      later(openFor(click, recipient, form, early.message));
      return ack();
    }
    const channel = click.channel ?? (await directory.direct(user));
    const { answer } = await inbound.receive(event(await personOf(user), channel));
    later(show(answer, recipient, early.message));
    await ack();
  }

  /** When the three seconds are over, the person gets the button again. */
  async function openFor(click: Click, to: Recipient, form: Form, place: Place): Promise<void> {
    if (await answers.open(click.contact, form, place)) return;
    await answers.tell(to, {
      prose: [md('That took too long. Please press again.')],
      buttons: [{ id: click.button, label: click.label || 'Again', style: 'plain' }],
      notify: [],
    });
  }

  async function onSubmit(
    { user, view, form, place, values }: Extract<Incoming, { kind: 'submit' }>,
    ack: ReceiverEvent['ack'],
  ): Promise<void> {
    const late = calls.pause(submitPatienceMs);
    // A form that was sent again with other values is another one; with the same it is a repeat.
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
    const id = `v:${view}:${digest}`;
    const at = submitPlace(user, place);
    // A repeat may end before it looks at its own place.
    at.catch(() => {});
    const taken = submitted.get(id) ?? take();
    remember(id, taken);
    const { answer } = await taken;
    const to = { user, ...whereIs(await at) };
    const early = await Promise.race([answer, late]);
    switch (early?.kind) {
      case 'errors':
        return ack({ response_action: 'errors', errors: renderErrors(early.errors) });
      case 'form':
        return ack({ response_action: 'update', view: renderForm(early.form, await at) });
      case 'private':
      case undefined:
        later(show(answer, to, await at));
        break;
      case 'none':
    }
    if (isOnPage(place)) later(showHome(user));
    await ack();

    async function take(): Promise<Taken> {
      const event = { id, atMs: clock.now(), person: await personOf(user), place: await at, form, values };
      return inbound.receive({ type: 'submit', ...event });
    }
  }

  /** What could not be stored is forgotten: it is sent again. */
  function remember(id: string, taken: Promise<Taken>): void {
    submitted.delete(id);
    submitted.set(id, taken);
    taken.catch(() => submitted.delete(id));
    const [oldest] = submitted.keys();
    if (submitted.size > answersMax && oldest !== undefined) submitted.delete(oldest);
  }

  /** Forms opened on a person's page belong to their direct conversation. */
  async function submitPlace(user: string, place: FormPlace): Promise<Place> {
    const at = place && readConversationId(place.conversation);
    // Another workspace, or no form of ours.
    if (!at || at.team !== team || isOnPage(place)) return placeIn(await directory.direct(user));
    return placeIn(at.channel, place.thread);
  }

  async function onShortcut(
    { id, user, used, contact }: Extract<Incoming, { kind: 'shortcut' }>,
    ack: ReceiverEvent['ack'],
  ): Promise<void> {
    const event = (person: Person, place: Place, written?: ChatShortcut['used']): ChatShortcut => ({
      type: 'shortcut',
      id,
      atMs: clock.now(),
      person,
      place,
      ...(written && { used: written }),
    });
    const early = placeIn(used?.channel ?? user, used?.thread);
    const form = await inbound.formFor(event(knownPerson(user), early));
    const opened = form && answers.open(contact, form, early);
    const to = { user, contact, ...(used && { channel: used.channel }) };
    later(
      (async () => {
        if (form && (await opened)) return;
        const why = form
          ? 'That took too long. Please choose the shortcut again.'
          : 'There is no flow that you may start here.';
        await answers.tell(to, { prose: [literal(why)], buttons: [], notify: [] });
      })(),
    );
    const place = used ? early : placeIn(await directory.direct(user));
    await inbound.receive(event(await personOf(user), place, used && (await messageOf(used))));
    await ack();
  }

  async function onJoined(
    { user, channel, inviter, ts }: Extract<Incoming, { kind: 'joined' }>,
    ack: ReceiverEvent['ack'],
  ): Promise<void> {
    if (user !== identity.user) return ack();
    directory.forget(channel);
    // A channel that the bot joined by itself, to post there, is not greeted.
    if (inviter === undefined || inviter === identity.user) return ack();
    await inbound.receive({
      type: 'invited',
      id: `i:${channel}:${ts}`,
      atMs: millis(ts),
      person: await personOf(inviter),
      place: placeIn(channel),
    });
    await ack();
  }

  /** Gives the person what the bot answers, when it comes. */
  async function show(answer: Promise<Answer>, to: Recipient, place: Place): Promise<void> {
    const given = await answer;
    switch (given.kind) {
      case 'none':
        break;
      case 'private':
        await answers.tell(to, given.content);
        break;
      case 'form':
        if (to.contact && (await answers.open(to.contact, given.form, place))) break;
        await answers.tell(to, {
          prose: [md('That took too long. Please try again.')],
          buttons: [],
          notify: [],
        });
        break;
      case 'errors':
        await answers.tell(to, {
          prose: [literal(Object.values(given.errors).join('\n'))],
          buttons: [],
          notify: [],
        });
    }
    if (to.channel === undefined) await showHome(to.user);
  }

  async function showHome(user: string): Promise<void> {
    const page = await inbound.home(await personOf(user), placeIn(await directory.direct(user)));
    await answers.page(user, page);
  }

  /** Work that nobody waits for, but a stop. */
  function later(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => log.error('An answer could not be given.', error))
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  }

  return {
    take,
    takeMessage: (message) => onMessage(message, async () => {}),
    async stop() {
      isStopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.alarm(clock.now() + stopPatienceMs, resolve);
      await Promise.race([Promise.all(underWay), late]);
      cancel();
    },
  };
}

/** `1764520000.000100` as milliseconds since the epoch. */
function millis(ts: string): number {
  return Math.floor(Number(ts) * 1_000);
}

type FormPlace = Extract<Incoming, { kind: 'submit' }>['place'];

/** Whether a form was opened on a person's own page. */
function isOnPage(place: FormPlace): boolean {
  return userIdPattern.test(readConversationId(place?.conversation ?? '')?.channel ?? '');
}
