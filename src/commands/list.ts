import type { Trigger } from '../engine/flow/plan.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { type Bot, type Caller, isAdmin, say } from './bot.ts';
import type { Command } from './command.ts';
import { flowsFor, pausedInWords } from './may-start.ts';
import { waysToStart } from './run.ts';

/** `/flow list`: the flows, how to start them, and for admins the files that could not be loaded. */
export const list: Command = {
  name: 'list',
  options: [],
  summary: 'Lists the flows and how to start them.',
  looksOnly: true,
  async run(bot, caller) {
    const flows = await flowsFor(bot, caller);
    const { paused, broken: unsound } = bot.catalog;
    const stopped = paused && pausedInWords(paused);
    const lines = flows.flatMap(({ flow, why }): ProsePiece[] => [
      md('- **'),
      literal(flow.plan.name),
      md('** ('),
      literal(howToStart(bot, flow, caller)),
      md(')'),
      ...(flow.plan.description === undefined ? [] : [md(': '), literal(flow.plan.description)]),
      ...(why === undefined || why === stopped ? [] : [md(' *'), literal(why), md('*')]),
      md('\n'),
    ]);
    const broken = isAdmin(bot, caller) && !caller.isOverheard ? unsound : [];
    const faults = broken.flatMap((file): ProsePiece[] =>
      file.faults.flatMap((fault) => [md('- '), literal(fault), md('\n')]),
    );
    return {
      ok: true,
      content: say(
        ...(stopped === undefined ? [] : [literal(stopped), md('\n\n')]),
        ...(lines.length === 0 ? [md('There are no flows yet.')] : lines),
        ...(faults.length === 0 ? [] : [md('\n\nNot loaded:\n\n'), ...faults]),
      ),
      data: flows.map(({ flow, why }) => ({
        id: flow.id,
        name: flow.plan.name,
        file: flow.file,
        version: flow.version,
        enabled: bot.catalog.isEnabled(flow),
        mayStart: why === undefined,
      })),
    };
  },
};

/** What starts a flow that nobody types. */
const BY: Readonly<Partial<Record<Trigger['type'], string>>> = {
  schedule: 'by its schedule',
  webhook: 'by its webhook',
  api: 'by the API',
  mcp: 'by MCP clients',
};

/** What starts a flow, for somebody on their platform. */
export function howToStart(bot: Bot, flow: LoadedFlow, { person }: Caller): string {
  const own = flow.plan.triggers.flatMap(({ type }) => BY[type] ?? []);
  return [...waysToStart(bot, flow, person.platform), ...new Set(own)].join(' or ') || 'by nothing';
}
