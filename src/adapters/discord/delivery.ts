import { type GatewayDispatchPayload, InteractionResponseType, Routes } from 'discord.js';
import type { Place } from '../../engine/people.ts';
import type { Form, PostContent } from '../../engine/post.ts';
import { literal } from '../../engine/prose.ts';
import type { Answer, ChatEvent, ChatShortcut, Inbound, Taken } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { madeAtMs, placeOf } from './addresses.ts';
import { anything, type Calls } from './calls.ts';
import { choicesFrom, readCommand, readFocus } from './command-input.ts';
import type { DoneWith, Exchange } from './exchange.ts';
import type { FormPages } from './form-pages.ts';
import type { Click, Contact, Done, Incoming, Typed } from './incoming.ts';
import type { Offer } from './offer.ts';
import { parseIncoming } from './parse.ts';
import type { People } from './people.ts';
import { takeMention } from './typed.ts';
import type { Wording } from './wording.ts';

/** Hands what people do to the bot, and the bot's answers to them. */
export interface Delivery {
  /** Takes one thing that Discord told. */
  take(packet: Pick<GatewayDispatchPayload, 't' | 'd'>): void;
  /** Takes a message that was found in a history. Rejects when it could not be stored. */
  takeMessage(message: Typed): Promise<void>;
  /** Takes nothing more; complete when the answers under way are given, or do not come for a while. */
  stop(): Promise<void>;
}

/** How long an answer may take before Discord is told that it takes longer; Discord waits three seconds. */
const patienceMs = 1_500;
/** Things done that are remembered, for when Discord tells them again. */
const begunMax = 5_000;
/** How long a stop waits for answers under way, in milliseconds. */
const stopPatienceMs = 5_000;

/** Makes the delivery of one bot. */
export function createDelivery(options: {
  readonly inbound: Inbound;
  /** The bot's own id, and in a server that of the role that is only the bot's. */
  readonly idsIn: (server: string | undefined) => readonly string[];
  /** The only server that is served; undefined = all. */
  readonly server: string | undefined;
  readonly wording: Wording;
  readonly people: People;
  readonly calls: Calls;
  readonly exchange: (contact: Contact, done: DoneWith) => Exchange;
  readonly pages: FormPages;
  readonly offer: () => Offer | undefined;
  /** A message of then (epoch ms) could not be stored. */
  readonly onMissed: (atMs: number) => void;
  /** Somebody writes in a direct conversation. */
  readonly onDirect: (channel: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}): Delivery {
  const { inbound, idsIn, server, wording, people, calls, exchange, pages, offer, clock, log } = options;
  const underWay = new Set<Promise<void>>();
  /** Servers that the bot is known to be in. */
  const known = new Set<string>();
  /** Things that were done and are answered, or about to be. */
  const begun = new Set<string>();
  let isStopped = false;

  async function handle(incoming: Incoming): Promise<void> {
    switch (incoming.kind) {
      case 'message':
        return onMessage(incoming).catch((error: unknown) => {
          log.error('A message could not be stored; it is looked for again.', error);
          options.onMissed(madeAtMs(incoming.id));
        });
      case 'hello':
        for (const guild of incoming.guilds) known.add(guild);
        return;
      case 'guild':
        return onGuild(incoming);
      case 'command':
      case 'autocomplete':
      case 'click':
      case 'submit':
      case 'used':
        return onDone(incoming);
      case 'ignored':
    }
  }

  async function onMessage(said: Typed): Promise<void> {
    if (said.guild === undefined) options.onDirect(said.channel);
    else if (!isServed(said.guild)) return;
    const { text, toBot } = takeMention(said.text, idsIn(said.guild));
    const early = { text: wording.plain({ ...said, text }), toBot: toBot || said.guild === undefined };
    // What people tell each other is not worth asking Discord for anything.
    if (!inbound.concerns(early)) return;
    people.meet(said.by, said.guild);
    const { answer } = await inbound.receive({
      type: 'message',
      id: `m:${said.id}`,
      atMs: madeAtMs(said.id),
      person: wording.personOf(said.by),
      ...(await wording.messageOf({ ...said, text })),
      toBot: early.toBot,
    });
    // Messages are answered by posts.
    await answer;
  }

  /** The bot was let into a server, unless it was there before. */
  async function onGuild({ id, owner, channel }: Extract<Incoming, { kind: 'guild' }>): Promise<void> {
    if (known.has(id)) return;
    known.add(id);
    if (channel === undefined || !isServed(id)) return;
    await inbound.receive({
      type: 'invited',
      id: `g:${id}:${clock.now()}`,
      atMs: clock.now(),
      person: { platform: placeOf(channel).platform, id: owner, name: people.knownName(owner) ?? owner },
      place: placeOf(channel),
    });
  }

  async function onDone(
    done: Extract<Incoming, { kind: 'command' | 'autocomplete' | 'click' | 'submit' | 'used' }>,
  ): Promise<void> {
    if (done.guild !== undefined && !isServed(done.guild)) {
      return exchange(done, 'command').tell(saying('I work in another server only.'));
    }
    // Told again, as after a broken connection: the answer to the first one must not be taken by this.
    if (begun.has(done.id)) return;
    begun.add(done.id);
    const [oldest] = begun;
    if (begun.size > begunMax && oldest !== undefined) begun.delete(oldest);
    people.meet(done.by, done.guild);
    switch (done.kind) {
      case 'command':
        return onCommand(done);
      case 'autocomplete':
        return onAutocomplete(done);
      case 'click':
        return onClick(done);
      case 'submit':
        return onSubmit(done);
      case 'used':
        return onUsed(done);
    }
  }

  async function onCommand(done: Extract<Incoming, { kind: 'command' }>): Promise<void> {
    const answers = exchange(done, 'command');
    const offered = offer();
    const input = offered && readCommand(done.data, offered);
    if (!input) {
      return answers.tell(
        saying(
          'This command is not in use any more. Type it again in a minute: Discord may show an old one.',
        ),
      );
    }
    await answerTo(done, answers, async () => {
      const event = { ...eventOf(done), place: await wording.placeIn(done.channel) };
      return inbound.receive(
        input.kind === 'command'
          ? { type: 'command', ...event, text: input.text }
          : { type: 'slash', ...event, flow: input.flow, values: input.values },
      );
    });
  }

  async function onAutocomplete(done: Extract<Incoming, { kind: 'autocomplete' }>): Promise<void> {
    const offered = offer();
    const focus = offered && readFocus(done.data, offered);
    const choices =
      focus === undefined ? [] : focus.kind === 'choices' ? focus.choices : await completed(done, focus);
    const route = Routes.interactionCallback(done.id, done.token);
    const body = { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
    await calls.call({ method: 'POST', route, body, auth: false }, anything);
  }

  async function completed(
    done: Done,
    { typed, before }: { readonly typed: string; readonly before: string },
  ): Promise<ReturnType<typeof choicesFrom>> {
    const place = wording.knownPlace(done.channel);
    return choicesFrom(await inbound.complete(typed, wording.personOf(done.by), place), before);
  }

  async function onClick(click: Click): Promise<void> {
    const answers = exchange(click, 'message');
    const event = (place: Place): Extract<ChatEvent, { type: 'click' }> => ({
      type: 'click',
      id: `i:${click.id}`,
      atMs: madeAtMs(click.id),
      person: wording.personOf(click.by),
      message: { ...place, id: click.message },
      button: click.button,
    });
    // First of all, and from what is known: Discord opens forms for three seconds only.
    const goesOn = pages.press(click.button, click.by.id);
    if (goesOn === 'forgotten') return answers.tell(saying(forgotten));
    const form = goesOn ? undefined : inbound.formFor(event(wording.knownPlace(click.channel)));
    const modal = goesOn ?? (form && pages.begin(form, click.by.id));
    if (modal) {
      await answers.open(modal);
      return;
    }
    await answerTo(click, answers, async () => inbound.receive(event(await wording.placeIn(click.channel))));
  }

  async function onSubmit(submit: Extract<Incoming, { kind: 'submit' }>): Promise<void> {
    const answers = exchange(submit, submit.isOnMessage ? 'message' : 'command');
    const { components, resolved } = submit;
    const sent = pages.submitted({ customId: submit.form, components, resolved }, submit.by.id);
    switch (sent.kind) {
      case 'forgotten':
        return answers.tell(saying(forgotten));
      case 'more':
        return answers.tell({
          ...saying(`Kept. Part ${sent.page} of ${sent.of} comes next.`),
          buttons: [{ id: sent.button, label: 'Continue', style: 'primary' }],
        });
      case 'whole': {
        const { form, values } = sent;
        await answerTo(
          submit,
          answers,
          async () => {
            const place = await wording.placeIn(submit.channel);
            return inbound.receive({ type: 'submit', ...eventOf(submit), place, form, values });
          },
          form,
        );
      }
    }
  }

  async function onUsed(done: Extract<Incoming, { kind: 'used' }>): Promise<void> {
    const answers = exchange(done, 'command');
    const event = (place: Place, used: ChatShortcut['used']): ChatShortcut => ({
      type: 'shortcut',
      id: `i:${done.id}`,
      atMs: madeAtMs(done.id),
      person: wording.personOf(done.by),
      place,
      ...(used && { used }),
    });
    const early = wording.knownPlace(done.channel);
    const { text, files } = done.message;
    const form = inbound.formFor(event(early, { message: { ...early, id: done.message.id }, text, files }));
    const opened = form && (await answers.open(pages.begin(form, done.by.id)));
    if (!form) await answers.tell(saying('There is no flow that you may start here.'));
    if (form && !opened) return;
    await inbound.receive(event(await wording.placeIn(done.channel), await wording.messageOf(done.message)));
  }

  /** Gives somebody what the bot answers, when it comes. */
  async function answerTo(
    { by }: Done,
    answers: Exchange,
    receive: () => Promise<Taken>,
    form?: string,
  ): Promise<void> {
    const answer = receive().then(
      (taken) => taken.answer,
      (error: unknown): Answer => {
        // Discord does not send it again, so they have to.
        log.error('What somebody did could not be stored.', error);
        return {
          kind: 'private',
          content: saying('This could not be kept, so nothing was done. Please do it again.'),
        };
      },
    );
    const late = Promise.withResolvers<undefined>();
    const cancel = clock.alarm(clock.now() + patienceMs, () => late.resolve(undefined));
    const early = await Promise.race([answer, late.promise]);
    cancel();
    if (!early) await answers.hold();
    const given = await answer;
    switch (given.kind) {
      case 'none':
        return answers.close();
      case 'private':
        return answers.tell(given.content);
      case 'form':
        return showForm(given.form, by.id, answers, early !== undefined && form === undefined);
      case 'errors': {
        const edit = form === undefined ? undefined : pages.editButton(form, by.id);
        return answers.tell({
          ...saying(Object.values(given.errors).join('\n')),
          buttons: edit === undefined ? [] : [{ id: edit, label: 'Edit', style: 'primary' }],
        });
      }
    }
  }

  /** Where Discord opens no form any more, a button does. */
  async function showForm(form: Form, who: string, answers: Exchange, mayOpen: boolean): Promise<void> {
    const modal = pages.begin(form, who);
    if (mayOpen) {
      await answers.open(modal);
      return;
    }
    const button = pages.editButton(form.id, who);
    await answers.tell({
      ...saying(`${form.title}: one more form.`),
      buttons: button === undefined ? [] : [{ id: button, label: 'Continue', style: 'primary' }],
    });
  }

  function eventOf({ id, by }: Done) {
    return { id: `i:${id}`, atMs: madeAtMs(id), person: wording.personOf(by) };
  }

  function isServed(guild: string): boolean {
    return server === undefined || guild === server;
  }

  /** Work that nobody waits for, but a stop. */
  function later(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => log.error('An answer could not be given.', error))
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  }

  return {
    take(packet) {
      if (!isStopped) later(handle(parseIncoming(packet)));
    },
    takeMessage: (message) => onMessage(message),
    async stop() {
      isStopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.alarm(clock.now() + stopPatienceMs, resolve);
      await Promise.race([Promise.all(underWay), late]);
      cancel();
    },
  };
}

const forgotten = 'This form was begun before I was started again, or too long ago. Please begin it again.';

function saying(words: string): PostContent {
  return { prose: [literal(words)], buttons: [], notify: [] };
}
