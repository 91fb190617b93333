import {
  checkInput,
  coerceText,
  formFields,
  type InputProblem,
  inputFromText,
  inputFromValues,
} from '../engine/data/input.ts';
import { parseAddress } from '../engine/flow/address.ts';
import { lanesBelow } from '../engine/flow/check-lanes.ts';
import { typesNeedingHome } from '../engine/flow/destinations.ts';
import type { ScheduleTrigger } from '../engine/flow/plan.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Mention, Person, Place } from '../engine/people.ts';
import type { Form, FormField } from '../engine/post.ts';
import type { RunSchedule, RunStart } from '../engine/run/event.ts';
import type { Conversation } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Started } from '../runner/runs.ts';
import type { Bot, Caller } from './bot.ts';
import { mayNotStart } from './may-start.ts';
import { rememberRefusedStart } from './remember.ts';

/** What somebody asks of a flow, as it was typed and where. */
export interface Wish {
  readonly trigger: RunStart['trigger'];
  /** All that was typed. */
  readonly text: string;
  /** What followed the command. */
  readonly prompt: string;
  /** Values that were given one by one, by field: then the prompt only tells of them. */
  readonly given?: Readonly<Record<string, string>>;
  readonly home?: Place;
  readonly files?: readonly JsonObject[];
  readonly mentions?: readonly Mention[];
  /** What a repeat of the same wish would share. */
  readonly startKey: string;
}

/** A wish to start a flow, from whichever entrance. */
export interface StartRequest extends Wish {
  readonly flow: LoadedFlow;
  readonly caller: Caller;
  /** Values of a form: for the fields it shows they count instead of the prompt, also when they are empty. */
  readonly values?: Readonly<Record<string, string>>;
  /** Input as data (command line). */
  readonly data?: JsonObject;
  /** Further people who have asked for it: those whose run it repeats. */
  readonly requesters?: readonly Person[];
}

/** What became of the wish. */
export type StartResult =
  | Started
  /** Input is missing or wrong; `fields` make a form that holds what is known. */
  | {
      readonly kind: 'incomplete';
      readonly missing: readonly InputProblem[];
      readonly problems: readonly InputProblem[];
      readonly fields: readonly FormField[];
    };

/**
 * Starts a flow if it may be started, its run has a place to live, and its input is whole. Every entrance goes
 * through here. Rejects with `ChatUnavailable` when nobody can tell now whether that place can be reached.
 */
export async function startFlow(bot: Bot, request: StartRequest): Promise<StartResult> {
  const { flow, caller } = request;
  const why = await mayNotStart(bot, flow, caller);
  if (why !== undefined) {
    await rememberRefusedStart(bot, caller, flow.id, why);
    return { kind: 'refused', why };
  }
  // Before the input: nobody fills in a form only to be refused.
  const home = await findHome(bot, request);
  if (home.kind === 'refused') return home;
  const read = readInput(flow.plan.input, request);
  if (read.kind === 'incomplete') return read;
  const passage = await bot.coolDowns.take(bot, flow, caller, home.kind === 'found' ? home.place : undefined);
  if (passage.kind === 'wait' && (await bot.store.runOfStartKey(request.startKey)) === undefined) {
    return { kind: 'refused', why: passage.why };
  }
  const giveBack = () => passage.kind === 'free' && passage.giveBack();
  try {
    const started = await launch(bot, flow, request.startKey, {
      trigger: request.trigger,
      text: request.text,
      prompt: request.prompt,
      input: read.input,
      person: caller.person,
      ...(request.requesters && { requesters: request.requesters }),
      files: request.files ?? [],
      ...livingIn(home),
    });
    if (started.kind === 'refused' || started.repeat) giveBack();
    return started;
  } catch (error) {
    giveBack();
    throw error;
  }
}

/**
 * Starts the run of a schedule.
 * @param dueAtMs the time that it is for (epoch ms) @param person who wanted it now, if somebody did
 */
export async function startScheduled(
  bot: Bot,
  flow: LoadedFlow,
  { id, input, timezone }: ScheduleTrigger,
  {
    dueAtMs,
    startKey,
    person,
  }: { readonly dueAtMs: number; readonly startKey: string; readonly person?: Person },
): Promise<Started> {
  return startOutsideChat(bot, flow, startKey, {
    trigger: 'schedule',
    text: '',
    input,
    schedule: { id, dueAtMs, timezone, ...(await lastDue(bot, id, dueAtMs)) },
    ...(person && { person }),
  });
}

/**
 * Starts a run of which its flow's file says that it starts, so that who may start the flow does not matter. It lives
 * in the flow's conversation. Rejects with `ChatUnavailable` when nobody can tell now whether that can be reached.
 * @param startKey undefined: no repeat of it can be told
 */
export async function startOutsideChat(
  bot: Bot,
  flow: LoadedFlow,
  startKey: string | undefined,
  start: Omit<RunStart, 'home' | 'homeName' | 'prompt' | 'files'>,
): Promise<Started> {
  const home = await findHome(bot, { flow });
  if (home.kind === 'refused') return home;
  return launch(bot, flow, startKey, { ...start, prompt: '', files: [], ...livingIn(home) });
}

/** Runs that are looked at for the one before: clocks that were set back, and starts by hand, leave later ones. */
const LOOKED_AT = 20;

/** The time before a time of a schedule that a run was for which succeeded. */
async function lastDue(
  { store }: Bot,
  schedule: string,
  beforeMs: number,
): Promise<Pick<RunSchedule, 'lastDueAtMs'>> {
  for (const { id } of await store.runs({ schedule, statuses: ['succeeded'], limit: LOOKED_AT })) {
    const dueAtMs = (await store.run(id))?.state.start.schedule?.dueAtMs;
    if (dueAtMs !== undefined && dueAtMs < beforeMs) return { lastDueAtMs: dueAtMs };
  }
  return {};
}

async function launch(
  bot: Bot,
  flow: LoadedFlow,
  startKey: string | undefined,
  start: RunStart,
): Promise<Started> {
  const { version, plan, definition } = flow;
  await bot.plans.add(version, definition, plan);
  return bot.runs.start({
    version,
    plan,
    atMs: bot.clock.now(),
    start,
    ...(startKey !== undefined && { startKey }),
  });
}

function livingIn(home: Exclude<Home, { kind: 'refused' }>): Pick<RunStart, 'home' | 'homeName'> {
  return home.kind === 'found' ? { home: home.place, homeName: home.name } : {};
}

/** The form for a flow's input. @param id what comes back with it. */
export function inputForm(flow: LoadedFlow, id: string, fields: readonly FormField[]): Form {
  return { id, title: flow.plan.name, submitLabel: 'Start', fields };
}

function readInput(
  schema: JsonObject | undefined,
  request: StartRequest,
): { readonly kind: 'whole'; readonly input: JsonObject } | Extract<StartResult, { kind: 'incomplete' }> {
  if (!schema) return { kind: 'whole', input: request.data ?? {} };
  const { platform } = request.caller.person;
  if (request.data) return checked(schema, platform, request.data, []);
  const { values, given } = request;
  const typed = given
    ? inputFromValues(schema, given)
    : inputFromText(schema, request.prompt, request.mentions);
  if (values) {
    const filled = coerceText(schema, values);
    const notShown = Object.entries(typed.input).filter(([field]) => !Object.hasOwn(values, field));
    return checked(schema, platform, { ...Object.fromEntries(notShown), ...filled.input }, filled.problems);
  }
  const { missing, problems } = typed;
  if (missing.length + problems.length === 0) return { kind: 'whole', input: typed.input };
  return { kind: 'incomplete', missing, problems, fields: formFields(schema, typed.input, platform) };
}

/** @param found what is wrong already; a field is not complained about twice. */
function checked(
  schema: JsonObject,
  platform: string,
  data: JsonObject,
  found: readonly InputProblem[],
): ReturnType<typeof readInput> {
  const result = checkInput(schema, data);
  if (result.ok && found.length === 0) return { kind: 'whole', input: result.input };
  const known = new Set(found.map((problem) => problem.field));
  const more = result.ok ? [] : result.problems.filter((problem) => !known.has(problem.field));
  const fields = formFields(schema, data, platform);
  return { kind: 'incomplete', missing: [], problems: [...found, ...more], fields };
}

/** Where a run is going to live. Started outside chat, it may live nowhere. */
type Home =
  | { readonly kind: 'found'; readonly place: Place; readonly name: string }
  | { readonly kind: 'nowhere' }
  | Extract<Started, { kind: 'refused' }>;

async function findHome(bot: Bot, { flow, home }: Pick<StartRequest, 'flow' | 'home'>): Promise<Home> {
  const { plan } = flow;
  if (home) {
    const found = await reached(bot, home);
    return found
      ? { kind: 'found', place: home, name: found.name }
      : { kind: 'refused', why: nobodyWouldSee };
  }
  if (plan.conversation !== undefined) {
    const found = await conversationAt(bot, plan.conversation);
    return found
      ? { kind: 'found', place: { platform: found.platform, conversation: found.id }, name: found.name }
      : { kind: 'refused', why: `The conversation ${plan.conversation} of this flow can't be reached.` };
  }
  const lanes = lanesBelow(plan, (id) => bot.catalog.flow(id)?.plan);
  const needing = [plan, ...lanes].flatMap(typesNeedingHome);
  if (needing.length === 0) return { kind: 'nowhere' };
  const what = needing.includes('approval') ? 'asks people' : 'posts where it was started';
  return {
    kind: 'refused',
    why: `${plan.name} ${what}: write conversation: in its file, so that it can be started outside chat.`,
  };
}

/** Why no run may live where the bot is not. */
export const nobodyWouldSee =
  'Flowbot is not in this conversation, so nobody would see the run: let it in first (on Slack: /invite; on Discord: give it access to the channel).';

/** The conversation of a place, if the bot can post there. */
export async function reached(
  bot: Bot,
  { platform, conversation }: Place,
): Promise<Conversation | undefined> {
  return bot.chats.get(platform)?.conversation(conversation);
}

/** A conversation by its address; without a platform it is that of the only chat there is. */
export async function conversationAt(bot: Bot, address: string): Promise<Conversation | undefined> {
  const parsed = parseAddress(address);
  const platform = parsed?.platform ?? (bot.chats.size === 1 ? [...bot.chats.keys()][0] : undefined);
  const chat = platform === undefined ? undefined : bot.chats.get(platform);
  return parsed && chat?.conversation(parsed.rest);
}
