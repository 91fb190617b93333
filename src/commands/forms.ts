import { formFields, type InputProblem } from '../engine/data/input.ts';
import { FEEDBACK_MAX_CHARS } from '../engine/limits.ts';
import type { Place } from '../engine/people.ts';
import type { Form } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import type { Answer, ChatClick, ChatEvent, ChatSubmit } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { type ActionId, parseActionId, writeActionId } from './action-ids.ts';
import { type Bot, type Caller, deliveryOf, privately, say } from './bot.ts';
import { commandOf, flowOf, whatIsWrong, wishOfMessage } from './conversation.ts';
import type { Drafts } from './drafts.ts';
import { findFlow, isManual, wishOfCommand } from './run.ts';
import { mayNotStart, startFlow, type Wish } from './start-flow.ts';
import { firstWord } from './typed.ts';

/** The form that a click opens first. From the click alone: platforms wait 3 s and take no detour. */
export function formFor(bot: Bot, drafts: Drafts, click: ChatClick): Form | undefined {
  const id = parseActionId(click.button);
  switch (id?.kind) {
    case 'answer':
      return id.form === 'none' ? undefined : commentForm(id);
    case 'fill': {
      const flow = bot.catalog.flow(id.flow);
      // Nobody fills in a form only to be refused.
      if (!flow?.plan.input || mayNotStart(bot, flow, callerOf(click)) !== undefined) return undefined;
      const fields = formFields(flow.plan.input, {});
      const blank: Form = { id: click.button, title: flow.plan.name, submitLabel: 'Start', fields };
      return drafts.fill(blank);
    }
    default:
      return undefined;
  }
}

function callerOf({ person, message, atMs }: ChatClick): Caller {
  return { person, place: message, event: '', atMs };
}

function commentForm(id: Extract<ActionId, { kind: 'answer' }>): Form {
  const isOutput = id.action === 'output';
  return {
    id: writeActionId({ ...id, form: 'none' }),
    title: isOutput ? 'Output of the step' : 'Your feedback',
    submitLabel: isOutput ? 'Done' : 'Send',
    fields: [
      {
        id: 'feedback',
        label: isOutput ? 'What it gave' : 'Feedback',
        type: 'multiline',
        required: id.form === 'required',
        maxLength: FEEDBACK_MAX_CHARS,
      },
    ],
  };
}

/** Why a button that opens a form opened none. */
export function whyNoForm(bot: Bot, caller: Caller, id: string): string {
  const flow = bot.catalog.flow(id);
  if (!flow) return `There is no flow ${id} any more.`;
  return mayNotStart(bot, flow, caller) ?? `${flow.plan.name} needs no input now: start it again.`;
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
  const wish = asked && (await wishOf(bot, asked, id, submit.place, flow));
  if (!wish) return privately(say(md('This form is too old: please type the command again.')));
  const result = await startFlow(bot, { flow, caller, ...wish, values: submit.values });
  switch (result.kind) {
    case 'started':
      return result.repeat
        ? privately(say(md('This has been started already: run '), md(`\`${result.run}\`.`)))
        : { kind: 'none' };
    case 'refused':
      return privately(say(literal(result.why)));
    case 'incomplete':
      return atFields(result.problems, submit) ?? privately(say(literal(whatIsWrong([], result.problems))));
  }
}

/** What was asked for when the form was offered. Ids of forms can be made up: only here, and only for this flow. */
async function wishOf(
  bot: Bot,
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
      const { rest } = firstWord(asked.text);
      const caller: Caller = { person: asked.person, place: asked.place, event, atMs: asked.atMs };
      const named = firstWord(rest);
      const isAsked = isSameConversation(asked.place, place) && findFlow(bot, named.word)?.id === flow.id;
      return isAsked && isManual(flow) ? wishOfCommand(caller, named.rest, flow) : undefined;
    }
    default:
      return undefined;
  }
}

function isSameConversation(one: Place, other: Place): boolean {
  return one.platform === other.platform && one.conversation === other.conversation;
}

/** The sentences at the fields of the form; undefined when one belongs to no field that was shown. */
function atFields(problems: readonly InputProblem[], { values }: ChatSubmit): Answer | undefined {
  const errors: Record<string, string> = {};
  for (const problem of problems) {
    const [field = ''] = problem.field.split('.');
    if (!Object.hasOwn(values, field)) return undefined;
    errors[field] = errors[field] === undefined ? problem.message : `${errors[field]}; ${problem.message}`;
  }
  return { kind: 'errors', errors };
}
