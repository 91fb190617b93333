import type { Bot, Caller } from '../commands/bot.ts';
import { awaitedNames } from '../commands/drawn.ts';
import { findFlow, unknownFlow } from '../commands/run.ts';
import { findRun } from '../commands/run-actions.ts';
import { flowPicture, runPicture } from '../render/pictures/index.ts';
import type { CliAnswer, CliCommand } from './protocol.ts';
import { asAnswer } from './reply.ts';

/** Shows the picture of a flow, or of a run as it is now, as SVG. */
export async function showPicture(
  bot: Bot,
  caller: Caller,
  { of }: Extract<CliCommand, { kind: 'picture' }>,
): Promise<CliAnswer> {
  const flow = findFlow(bot, of.toLowerCase());
  if (flow) {
    const { svg, alt } = flowPicture(flow.plan);
    return { ok: true, text: svg, data: { flow: flow.id, svg, alt } };
  }
  const found = await findRun(bot, caller, of);
  if ('refused' in found) {
    const [noRun, noFlow] = [found.refused, unknownFlow(bot, of, true)].map(asAnswer);
    return { ok: false, text: `${noRun?.text} ${noFlow?.text}`, data: null };
  }
  const { stored, plan } = found;
  const { svg, alt } = runPicture(plan, stored.state, await awaitedNames(bot, stored.state));
  return { ok: true, text: svg, data: { run: stored.row.id, svg, alt } };
}
