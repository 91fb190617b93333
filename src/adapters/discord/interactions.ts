import { InteractionResponseType, Routes } from 'discord.js';
import type { Place } from '../../engine/people.ts';
import type { Form, PostContent } from '../../engine/post.ts';
import { literal, md } from '../../engine/prose.ts';
import type { Answer, ChatClick, ChatShortcut, Inbound, Taken } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { madeAtMs } from './addresses.ts';
import { anything, type Calls } from './calls.ts';
import { type Choice, choicesFrom, type Focus, readCommand, readFocus } from './command-input.ts';
import type { Directory } from './directory.ts';
import type { DoneWith, Exchange } from './exchange.ts';
import type { FormPages, SentForm } from './form-pages.ts';
import type { Click, Contact, Deed, Done } from './incoming.ts';
import type { Offer } from './offer.ts';
import { createRush } from './rush.ts';
import type { Wording } from './wording.ts';

/** How long an answer may take before Discord is told that it takes longer; Discord waits three seconds. */
const patienceMs = 1_500;
/** When more people than this wait for a first word nobody is patient: many would hear too late. */
const rushAt = 20;
/** How long one thing that was asked for is kept back, at most, while so many wait for a first word, in milliseconds. */
const rushMs = 1_000;

/** What answering people takes. */
export interface InteractionOptions {
  readonly inbound: Inbound;
  readonly wording: Wording;
  readonly calls: Calls;
  readonly exchange: (contact: Contact, done: DoneWith) => Exchange;
  readonly pages: FormPages;
  readonly offer: () => Offer | undefined;
  /** Takes in what the bot may do in a channel, as Discord tells with what people do there. */
  readonly noteRights: Directory['noteRights'];
  readonly clock: Clock;
  readonly log: Log;
}

/** What the bot does about what people do beside writing: each thing gets its one first answer in time. */
export interface Interactions {
  handle(deed: Deed): Promise<void>;
  /** Answers without doing anything. */
  refuse(deed: Deed, why: string): Promise<void>;
}

/** Makes it. */
export function createInteractions(options: InteractionOptions): Interactions {
  const { inbound, wording, calls, exchange, pages, offer, clock, log } = options;

  /** Each ends the patience with one answer to what is kept. */
  const patient = new Set<() => void>();
  const rush = createRush({ clock, most: rushAt, longestMs: rushMs, onBegin: hurryAll });

  async function onCommand(done: Extract<Deed, { kind: 'command' }>): Promise<void> {
    const answers = exchange(done, 'command');
    const offered = offer();
    const input = offered && readCommand(done.data, offered);
    if (!input) return answers.tell(saying(outOfDate));
    await answerTo(done, answers, async () => {
      const event = { ...eventOf(done), place: await wording.placeIn(done.channel) };
      return inbound.receive(
        input.kind === 'command'
          ? { type: 'command', ...event, ...(await wording.typed(input.text)) }
          : { type: 'slash', ...event, flow: input.flow, values: await wording.typedValues(input.values) },
        rush.over,
      );
    });
  }

  async function onAutocomplete(done: Extract<Deed, { kind: 'autocomplete' }>): Promise<void> {
    const offered = offer();
    const focus = offered && readFocus(done.data, offered);
    const choices =
      focus &&
      choicesOf(done, focus).catch((error: unknown) => {
        log.error('What somebody types could not be completed.', error);
        return [];
      });
    await offerChoices(done, (await choices) ?? []);
  }

  async function choicesOf(done: Done, focus: Focus): Promise<readonly Choice[]> {
    if (focus.kind === 'choices') return focus.choices;
    const place = wording.knownPlace(done.channel);
    return choicesFrom(await inbound.complete(focus.typed, wording.personOf(done.by), place), focus.before);
  }

  async function offerChoices({ id, token }: Contact, choices: readonly Choice[]): Promise<void> {
    const route = Routes.interactionCallback(id, token);
    const body = { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
    await calls.call({ method: 'POST', route, body, auth: false }, anything);
  }

  async function onClick(click: Click): Promise<void> {
    const answers = exchange(click, 'message');
    const event = (place: Place): ChatClick => ({
      type: 'click',
      ...eventOf(click),
      message: { ...place, id: click.message },
      button: click.button,
    });
    // First of all, and from what is known: Discord opens forms for three seconds only.
    const goesOn = pages.press(click.button, click.by.id);
    if (goesOn === 'forgotten') return answers.tell(saying(forgotten));
    const form = goesOn ? undefined : await inbound.formFor(event(wording.knownPlace(click.channel)));
    const modal = goesOn ?? (form && pages.begin(form, click.by.id));
    if (modal) return answers.open(modal);
    await answerTo(click, answers, async () =>
      inbound.receive(event(await wording.placeIn(click.channel)), rush.over),
    );
  }

  async function onSubmit(submit: Extract<Deed, { kind: 'submit' }>): Promise<void> {
    const answers = exchange(submit, submit.from);
    const { components, resolved } = submit;
    const sent = pages.submitted({ customId: submit.form, components, resolved }, submit.by.id);
    switch (sent.kind) {
      case 'forgotten':
        return answers.tell(withTyped(saying(forgotten), sent.typed));
      case 'more':
        return answers.tell(going(`Kept. Part ${sent.page} of ${sent.of} comes next.`, sent.button));
      case 'whole':
        return onWhole(submit, answers, sent);
    }
  }

  async function onWhole(
    submit: Extract<Deed, { kind: 'submit' }>,
    answers: Exchange,
    { form, values }: Extract<SentForm, { kind: 'whole' }>,
  ): Promise<void> {
    const receive = async () => {
      const place = await wording.placeIn(submit.channel);
      return inbound.receive({ type: 'submit', ...eventOf(submit), place, form, values }, rush.over);
    };
    await answerTo(submit, answers, receive, form);
  }

  async function onUsed(done: Extract<Deed, { kind: 'used' }>): Promise<void> {
    const answers = exchange(done, 'command');
    const event = (place: Place, used: ChatShortcut['used']): ChatShortcut => ({
      type: 'shortcut',
      ...eventOf(done),
      place,
      ...(used && { used }),
    });
    const early = wording.knownPlace(done.channel);
    const { text, files } = done.message;
    const form = await inbound.formFor(
      event(early, { message: { ...early, id: done.message.id }, text, files }),
    );
    // First of all, as Discord wants it; it is kept for when the form comes back.
    if (form) await answers.open(pages.begin(form, done.by.id));
    else await answers.tell(saying('There is no flow that you may start here.'));
    await inbound.receive(event(await wording.placeIn(done.channel), await wording.messageOf(done.message)));
  }

  /** Gives somebody what the bot answers, when it comes. @param form the one that was sent */
  async function answerTo(
    { by }: Done,
    answers: Exchange,
    receive: () => Promise<Taken>,
    form?: string,
  ): Promise<void> {
    const kept = receive();
    const answer = kept.then(
      (taken) => taken.answer,
      (error: unknown): Answer => {
        // Discord does not send it again, so they have to.
        log.error('What somebody did could not be stored.', error);
        return { kind: 'private', content: saying(notKept) };
      },
    );
    const isEarly = await heldInTime(kept, answer, answers);
    const given = await answer;
    switch (given.kind) {
      case 'none':
        return answers.close();
      case 'private':
        return answers.tell(given.content);
      case 'form':
        return showForm(given.form, by.id, answers, isEarly && form === undefined);
      case 'errors':
        return answers.tell(wrong(given.errors, form, by.id));
    }
  }

  /** Tells Discord that an answer takes longer, when it does. Gives whether it came before that. */
  async function heldInTime(
    kept: Promise<unknown>,
    answer: Promise<Answer>,
    answers: Exchange,
  ): Promise<boolean> {
    const heard = rush.begin();
    const late = Promise.withResolvers<undefined>();
    const hurry = () => late.resolve(undefined);
    const given = () => void patient.delete(hurry);
    // In a rush nobody is told to wait for what might still be lost.
    kept.then(
      () => (rush.isOn ? hurry() : void patient.add(hurry)),
      () => {},
    );
    answer.then(given, given);
    const cancel = clock.alarm(clock.now() + patienceMs, hurry);
    const early = await Promise.race([answer, late.promise]);
    cancel();
    if (!early) await answers.hold();
    heard();
    return early !== undefined;
  }

  function hurryAll(): void {
    for (const each of patient) each();
    patient.clear();
  }

  /** Where Discord opens no form any more, a button does. */
  async function showForm(form: Form, who: string, answers: Exchange, mayOpen: boolean): Promise<void> {
    const modal = pages.begin(form, who);
    if (mayOpen) return answers.open(modal);
    await answers.tell(going(`${form.title} needs more to go on.`, pages.button(form.id, who), 'Fill in'));
  }

  /** What is wrong with a form that was sent: Discord shows nothing at its fields. */
  function wrong(
    errors: Readonly<Record<string, string>>,
    form: string | undefined,
    who: string,
  ): PostContent {
    const sentences = Object.values(errors).map((one) => (/[.?!]$/.test(one) ? one : `${one}.`));
    const button = form === undefined ? undefined : pages.button(form, who, Object.keys(errors));
    return going(sentences.join('\n'), button, 'Edit');
  }

  function eventOf({ id, by }: Done) {
    return { id: `i:${id}`, atMs: madeAtMs(id), person: wording.personOf(by) };
  }

  return {
    async handle(deed) {
      if (deed.held !== undefined) options.noteRights(deed.channel, deed.held);
      switch (deed.kind) {
        case 'command':
          return onCommand(deed);
        case 'autocomplete':
          return onAutocomplete(deed);
        case 'click':
          return onClick(deed);
        case 'submit':
          return onSubmit(deed);
        case 'used':
          return onUsed(deed);
      }
    },
    refuse: (deed, why) =>
      deed.kind === 'autocomplete' ? offerChoices(deed, []) : exchange(deed, 'command').tell(saying(why)),
  };
}

const outOfDate =
  'This command is not in use any more. Wait a minute and type it again: Discord may still show an old one.';
const forgotten = 'This form was begun before I was started again, or too long ago. Please begin it again.';
const notKept = 'This could not be kept, so nothing was done. Please do it again.';

function saying(words: string): PostContent {
  return { prose: [literal(words)], buttons: [], notify: [] };
}

/** Words over a button that goes on, if there is one. */
function going(words: string, button: string | undefined, label = 'Continue'): PostContent {
  const buttons = button === undefined ? [] : [{ id: button, label, style: 'primary' as const }];
  return { ...saying(words), buttons };
}

/** What somebody typed is not lost with the refusal. */
function withTyped(content: PostContent, typed: readonly string[]): PostContent {
  if (typed.length === 0) return content;
  const quotes = typed.flatMap((text) => [md('\n\n> '), literal(text)]);
  return { ...content, prose: [...content.prose, md('\n\nWhat you wrote:'), ...quotes] };
}
