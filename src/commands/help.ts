import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { say } from './bot.ts';
import { type Command, usageOf } from './command.ts';
import { flowsFor } from './may-start.ts';
import { waysToStart } from './run.ts';

/** `/flow help`: made from the table, so that it can't be wrong. */
export function createHelp(others: readonly Command[]): Command {
  const help: Command = {
    name: 'help',
    options: [],
    summary: 'Shows this.',
    looksOnly: true,
    async run(bot, caller) {
      const { command } = bot.settings;
      const lines = [help, ...others].flatMap((one): ProsePiece[] => [
        md('- '),
        literal([command, one.name, usageOf(one)].filter((part) => part !== '').join(' ')),
        md(': '),
        literal(one.summary),
        md('\n'),
      ]);
      const flows = await flowsFor(bot, caller);
      const mine = flows.filter(({ why }) => why === undefined);
      const triggers = mine.flatMap(({ flow }) =>
        waysToStart(bot, flow, caller.person.platform).filter((way) => !way.startsWith(`${command} `)),
      );
      const commands = [...new Set(triggers)].join(', ');
      const words: readonly ProsePiece[] =
        commands === '' ? [] : [md('\nIn a conversation you can also type: '), literal(commands)];
      return { ok: true, content: say(md('What I can do:\n\n'), ...lines, ...words) };
    },
  };
  return help;
}
