import { formFields } from '../engine/data/input.ts';
import { isSameConversation, type Place, personAddress } from '../engine/people.ts';
import type { Form } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import type { Answer, ChatClick, ChatCommand, ChatEvent, ChatShortcut, ChatSubmit } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { type ActionId, eventKey, parseActionId, writeActionId } from './action-ids.ts';
import { knownAnswerer } from './answerer.ts';
import { formOfAnswer } from './answering.ts';
import { type Bot, type Caller, deliveryOf, privately, say } from './bot.ts';
import { commandOf, flowOf, homeOf, whatIsWrong, wishOfMessage } from './conversation.ts';
import type { Drafts } from './drafts.ts';
import { fieldErrors } from './form-errors.ts';
import { mayCertainlyNotStart, mayNotStart } from './may-start.ts';
import { findFlow, isManual, pickForm, wishOfCommand } from './run.ts';
import { startedReply } from './run-actions.ts';
import { slashOf, wishOfSlash } from './slash.ts';
import { inputForm, type StartResult, startFlow, type Wish } from './start-flow.ts';
import { firstWord } from './typed.ts';

/** The form that a click or shortcut opens first. Platforms wait 3 s: there is no time to ask any of them. */
export async function formFor(
  bot: Bot,
  drafts: Drafts,
  event: ChatClick | ChatShortcut,
): Promise<Form | undefined> {
  try {
    return await formOf(bot, drafts, event);
  } catch (error) {
    // As an ordinary event it is told that something is wrong.
    bot.log.error('A form could not be made.', error, { person: personAddress(event.person) });
    return undefined;
  }
}

async function formOf(bot: Bot, drafts: Drafts, event: ChatClick | ChatShortcut): Promise<Form | undefined> {
  if (event.type === 'shortcut') return formOfShortcut(bot, event);
  const id = parseActionId(event.button);
  switch (id?.kind) {
    case 'answer':
      return id.form === 'none' ? undefined : formOfAnswer(bot, clicking(bot, event), id, knownAnswerer);
    case 'fill':
    case 'start': {
      const flow = bot.catalog.flow(id.flow);
      const caller = clicking(bot, event);
      // Nobody fills in a form only to be refused.
      if (!flow?.plan.input || mayCertainlyNotStart(bot, flow, caller) !== undefined) return undefined;
      const fields = formFields(flow.plan.input, {}, event.person.platform);
      return drafts.fill(inputForm(flow, event.button, fields));
    }
    default:
      return undefined;
  }
}

/** One clock decides what came in time: that of this machine. */
function clicking({ clock }: Bot, { person, message }: ChatClick): Caller {
  return { person, place: message, event: '', atMs: clock.now() };
}

/** The form of a shortcut: which flow? */
function formOfShortcut(bot: Bot, { id, person, place, atMs, used }: ChatShortcut): Form | undefined {
  const caller: Caller = { person, place, event: '', atMs };
  return pickForm(bot, caller, { event: id, title: used ? 'Use this message' : 'Run a flow' });
}

/** Starts the flow that was chosen in the form of a shortcut or command, or asks for its input. */
export async function startPicked(
  bot: Bot,
  caller: Caller,
  event: string,
  { values }: ChatSubmit,
): Promise<Answer> {
  const key = await eventKey(event);
  const asked = (await bot.store.delivery(deliveryOf({ ...caller, event: key })))?.event;
  if (!asked || asked.person.id !== caller.person.id || !isOpen(asked)) {
    return privately(say(md('This form is too old: please ask for it again.')));
  }
  const flow = bot.catalog.flow(values.flow ?? '');
  if (!flow || !isManual(flow)) {
    return { kind: 'errors', errors: { flow: 'This flow is not there any more: choose another one.' } };
  }
  const wish =
    asked.type === 'shortcut' ? wishOfShortcut(asked, key, flow) : wishOfTyped(asked, key, '', flow);
  const result = await startFlow(bot, { flow, caller, ...wish });
  if (result.kind !== 'incomplete') return startedFromForm(result, values);
  const id = writeActionId({ kind: 'fill', flow: flow.id, event: key });
  return { kind: 'form', form: inputForm(flow, id, result.fields) };
}

/** Whether something asked for a flow without saying which. */
function isOpen(asked: ChatEvent): asked is ChatShortcut | ChatCommand {
  if (asked.type !== 'command') return asked.type === 'shortcut';
  const { word, rest } = firstWord(asked.text);
  return word === 'run' && rest === '';
}

/** Starts a flow from a person's own page: at once, or with what was filled in. */
export async function startFromPage(
  bot: Bot,
  caller: Caller,
  id: string,
  submit?: ChatSubmit,
): Promise<Answer> {
  const flow = bot.catalog.flow(id);
  if (!flow || !isManual(flow)) return privately(say(literal(await whyNoForm(bot, caller, id))));
  const result = await startFlow(bot, {
    flow,
    caller,
    ...wishOfCommand(caller, '', flow),
    ...(submit && { values: submit.values }),
  });
  return startedFromForm(result, submit?.values ?? {});
}

/** One use of a shortcut starts one run at most. A message that is used gets the run into its thread. */
function wishOfShortcut({ person, place, used }: ChatShortcut, key: string, flow: LoadedFlow): Wish {
  const text = used?.text ?? '';
  return {
    trigger: 'manual',
    text,
    prompt: text,
    home: used ? homeOf(used) : place,
    files: used?.files ?? [],
    startKey: `shortcut:${person.platform}:${key}:${flow.id}`,
  };
}

/** What a stored chat command asks of a flow. */
function wishOfTyped(
  { person, place, atMs, mentions }: ChatCommand,
  event: string,
  prompt: string,
  flow: LoadedFlow,
): Wish {
  return wishOfCommand({ person, place, event, atMs, ...(mentions && { mentions }) }, prompt, flow);
}

/** What somebody who sent a form gets to see. */
function startedFromForm(result: StartResult, values: ChatSubmit['values']): Answer {
  switch (result.kind) {
    case 'started':
      if (result.repeat) return privately(say(md(`This has been started already: run \`${result.run}\`.`)));
      return result.queued === undefined ? { kind: 'none' } : privately(startedReply(result).content);
    case 'refused':
      return privately(say(literal(result.why)));
    case 'incomplete':
      return (
        fieldErrors(result.problems, values) ??
        privately(say(literal(whatIsWrong(result.missing, result.problems))))
      );
  }
}

/** Why a button that opens a form opened none. */
export async function whyNoForm(bot: Bot, caller: Caller, id: string): Promise<string> {
  const flow = bot.catalog.flow(id);
  if (!flow) return `There is no flow ${id} any more.`;
  return (await mayNotStart(bot, flow, caller)) ?? `${flow.plan.name} needs no input now: start it again.`;
}

/** Starts the flow whose input was filled in. */
export async function startFromForm(
  bot: Bot,
  caller: Caller,
  id: Extract<ActionId, { kind: 'fill' }>,
  submit: ChatSubmit,
): Promise<Answer> {
  const flow = bot.catalog.flow(id.flow);
  if (!flow) return privately(say(literal(`There is no flow ${id.flow} any more.`)));
  const asked = (await bot.store.delivery(deliveryOf({ ...caller, event: id.event })))?.event;
  const wish = asked && (await wishOf(bot, caller, asked, id, submit.place, flow));
  if (!wish) return privately(say(md('This form is too old: please type the command again.')));
  return startedFromForm(
    await startFlow(bot, { flow, caller, ...wish, values: submit.values }),
    submit.values,
  );
}

/**
 * What was asked for when the form was offered. Ids of forms can be made up: only here, only for this flow, and where
 * one person was given the form, only by them.
 */
async function wishOf(
  bot: Bot,
  { person: sender }: Caller,
  asked: ChatEvent,
  { event }: Extract<ActionId, { kind: 'fill' }>,
  place: Place,
  flow: LoadedFlow,
): Promise<Wish | undefined> {
  switch (asked.type) {
    case 'message': {
      const typed = commandOf(bot.settings.prefix, asked);
      const isAsked =
        typed &&
        isSameConversation(asked.message, place) &&
        (await flowOf(bot, typed.word, asked.message))?.id === flow.id;
      return isAsked ? wishOfMessage(asked, typed, flow) : undefined;
    }
    case 'command': {
      const named = firstWord(firstWord(asked.text).rest);
      const isAsked =
        asked.person.id === sender.id &&
        isSameConversation(asked.place, place) &&
        (isOpen(asked) || findFlow(bot, named.word)?.id === flow.id);
      return isAsked && isManual(flow) ? wishOfTyped(asked, event, named.rest, flow) : undefined;
    }
    case 'slash': {
      const isAsked =
        asked.person.id === sender.id && isSameConversation(asked.place, place) && asked.flow === flow.id;
      if (!isAsked) return undefined;
      const offer = await slashOf(bot, flow, asked.place);
      return 'why' in offer ? undefined : wishOfSlash(asked, event, offer.command);
    }
    case 'shortcut':
      return asked.person.id === sender.id && isManual(flow) ? wishOfShortcut(asked, event, flow) : undefined;
    default:
      return undefined;
  }
}
