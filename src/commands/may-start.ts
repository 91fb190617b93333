import type { Plan } from '../engine/flow/plan.ts';
import { keptOut, noRoles, type Roles, rolesOn } from '../engine/named.ts';
import { textOf } from '../engine/prose.ts';
import type { Pause } from '../ports/store.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import type { Bot, Caller } from './bot.ts';
import { findRoles, isListed } from './roles.ts';

/** A flow, and why somebody may not start it, in a sentence for them. */
export interface FlowForCaller {
  readonly flow: LoadedFlow;
  /** Absent: they may. */
  readonly why?: string;
}

/** All flows, as they are for somebody. */
export async function flowsFor(bot: Bot, caller: Caller): Promise<readonly FlowForCaller[]> {
  const { flows } = bot.catalog;
  const roles = await findRoles(
    bot,
    caller,
    flows.map(({ plan }) => plan.allow),
  );
  return flows.map((flow) => {
    const why = judge(bot, flow, caller, roles);
    return { flow, ...(why !== undefined && { why }) };
  });
}

/** Why somebody may not start a flow, in a sentence for them. */
export async function mayNotStart(bot: Bot, flow: LoadedFlow, caller: Caller): Promise<string | undefined> {
  return judge(bot, flow, caller, await findRoles(bot, caller, [flow.plan.allow]));
}

/** The same at once, as far as it is certain: whoever may have one of the roles is let through, to be checked later. */
export function mayCertainlyNotStart(bot: Bot, flow: LoadedFlow, caller: Caller): string | undefined {
  const possible = rolesOn(caller.person.platform, flow.plan.allow ?? []).map(({ address }) => address);
  return judge(bot, flow, caller, { ...noRoles, held: possible });
}

/** Why a flow's list of people and roles keeps somebody from starting it. */
export async function isNotAllowed(bot: Bot, plan: Plan, caller: Caller): Promise<string | undefined> {
  return judgeAllow(bot, plan, caller, await findRoles(bot, caller, [plan.allow]));
}

function judge(bot: Bot, flow: LoadedFlow, caller: Caller, roles: Roles): string | undefined {
  const { paused } = bot.catalog;
  if (paused) return pausedInWords(paused);
  return bot.catalog.isEnabled(flow)
    ? judgeAllow(bot, flow.plan, caller, roles)
    : `${flow.plan.name} is switched off.`;
}

/** Why nothing starts at all. */
export function pausedInWords({ by, why }: Pause): string {
  return `Nothing starts at the moment: ${by ? `${by.name} has paused Flowbot` : 'Flowbot is paused'}${why === '' ? '' : ` (${why})`}.`;
}

/** The command line of the host is not in any list: a list names people, and fails closed. */
function judgeAllow(bot: Bot, { name, allow }: Plan, { person }: Caller, roles: Roles): string | undefined {
  if (!allow || isListed(bot, allow, person, roles)) return undefined;
  return textOf(keptOut(allow, roles, `start ${name}`));
}
