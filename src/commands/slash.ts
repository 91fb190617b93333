import { writePair } from '../engine/data/input.ts';
import { parseAddress } from '../engine/flow/address.ts';
import type { Trigger } from '../engine/flow/plan.ts';
import type { Place } from '../engine/people.ts';
import type { ChatSlash } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Bot, Caller } from './bot.ts';
import { type Reply, refuse } from './command.ts';
import { worksIn } from './conversation.ts';
import { otherWays, startReply } from './run.ts';
import { startFlow, type Wish } from './start-flow.ts';
import { shown } from './typed.ts';

/** Starts a flow by its own command, or asks for the input that is missing. */
export async function runSlashCommand(bot: Bot, caller: Caller, event: ChatSlash): Promise<Reply> {
  const flow = bot.catalog.flow(event.flow);
  // Platforms know commands a while longer than there are flows for them.
  if (!flow) return refuse(`There is no flow ${shown(event.flow)} any more.`);
  const offer = await slashOf(bot, flow, event.place);
  if ('why' in offer) return refuse(offer.why);
  const wish = wishOfSlash(event, caller.event, offer.command);
  return startReply(flow, caller, await startFlow(bot, { flow, caller, ...wish }));
}

/** Most conversations named in a sentence. */
const NAMED_MAX = 10;

/** The command of its own by which a flow is started in a place, or a sentence why it is not. */
export async function slashOf(
  bot: Bot,
  flow: LoadedFlow,
  place: Place,
): Promise<{ readonly command: string } | { readonly why: string }> {
  const trigger = slashTrigger(flow);
  if (!trigger)
    return {
      why: `${flow.plan.name} has no command of its own any more. ${otherWays(bot, flow, place.platform)}`,
    };
  const { command, in: addresses } = trigger;
  if (!addresses || (await worksIn(bot, addresses, place))) return { command };
  const named = addresses.slice(0, NAMED_MAX).map((one) => inWords(one, place));
  const left = addresses.length - named.length;
  return { why: `/${command} works only in ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}.` };
}

/** The trigger by which platforms offer a flow as a command of its own. */
export function slashTrigger({ plan }: LoadedFlow): Extract<Trigger, { type: 'command' }> | undefined {
  for (const trigger of plan.triggers) if (trigger.type === 'command' && trigger.slash) return trigger;
  return undefined;
}

/** What such a command asks a flow to do. @param key its event's id, as `eventKey` makes it */
export function wishOfSlash({ person, place, flow, values }: ChatSlash, key: string, command: string): Wish {
  const prompt = Object.entries(values)
    .map(([id, value]) => writePair({ key: id, value }))
    .join(' ');
  return {
    trigger: 'command',
    text: prompt === '' ? `/${command}` : `/${command} ${prompt}`,
    prompt,
    given: values,
    home: place,
    startKey: `slash:${person.platform}:${key}:${flow}`,
  };
}

/** A conversation as people of a place know it: without the platform they are on. */
function inWords(address: string, { platform }: Place): string {
  const parsed = parseAddress(address);
  return parsed?.platform === platform ? parsed.rest : address;
}
