import type { Fault } from '../fault.ts';
import { parseAddress } from './address.ts';
import type { Plan } from './plan.ts';

/** A plan and the file it came from. */
export interface FiledPlan {
  readonly file: string;
  readonly plan: Plan;
}

/**
 * Faults that only show when flows are put beside each other: one id (in any case) or one command twice. The earlier
 * one (in the order given) stands; each fault belongs to the later one and names both files.
 */
export function checkTogether(flows: readonly FiledPlan[]): readonly (Fault & { readonly file: string })[] {
  return flows.flatMap((flow, index) => {
    const earlier = flows.slice(0, index);
    return [...idFaults(flow, earlier), ...commandFaults(flow, earlier)];
  });
}

function idFaults(flow: FiledPlan, earlier: readonly FiledPlan[]): readonly (Fault & { file: string })[] {
  const id = flow.plan.id.toLowerCase();
  const same = earlier.find((other) => other.plan.id.toLowerCase() === id);
  if (!same) return [];
  return [
    {
      file: flow.file,
      severity: 'error',
      rule: 'duplicate-flow',
      path: ['id'],
      message: `The id ${flow.plan.id} is used by ${same.file} and by ${flow.file}.`,
      fix: 'Give one of them another id.',
    },
  ];
}

function commandFaults(
  flow: FiledPlan,
  earlier: readonly FiledPlan[],
): readonly (Fault & { file: string })[] {
  return flow.plan.triggers.flatMap((trigger, position) => {
    if (trigger.type !== 'command') return [];
    const same = earlier.flatMap(({ file, plan }) =>
      plan.triggers.flatMap((theirs) =>
        theirs.type === 'command' && theirs.command === trigger.command ? [{ file, plan, theirs }] : [],
      ),
    );
    const typed = same.find(({ theirs }) => overlap(trigger.in, theirs.in));
    // A slash command is offered everywhere, and there can be but one of a name.
    const offered = same.find(({ theirs }) => trigger.slash && theirs.slash);
    const rival = typed ?? offered;
    if (!rival) return [];
    const both = `${rival.plan.id} (${rival.file}) and ${flow.plan.id} (${flow.file})`;
    return [
      {
        file: flow.file,
        severity: 'error' as const,
        rule: 'duplicate-command',
        path: ['triggers', position, 'command'],
        message: typed
          ? `The command ${trigger.command} starts ${both} in the same conversation.`
          : `The slash command /${trigger.command} starts ${both}, and it is offered in every conversation.`,
        fix: typed
          ? 'Give one of them another command, or other conversations under in:.'
          : 'Give one of them another command, or leave out slash: in one of them.',
      },
    ];
  });
}

/** No list means every conversation. */
function overlap(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (!one || !other) return true;
  return one.some((mine) => other.some((theirs) => mayBeSame(mine, theirs)));
}

/** Whether two addresses may mean one place: what only one of them says (platform, server) does not tell them apart. */
function mayBeSame(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return agree(a.platform, b.platform) && agree(a.server, b.server) && a.name === b.name;
}

function partsOf(text: string) {
  const { platform, rest } = parseAddress(text.toLowerCase()) ?? { rest: text };
  const slash = rest.lastIndexOf('/');
  return { platform, server: slash < 0 ? undefined : rest.slice(0, slash), name: rest.slice(slash + 1) };
}

function agree(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
