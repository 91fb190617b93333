import { personAddress } from '../engine/people.ts';
import { literal, md } from '../engine/prose.ts';
import { isAdmin, say } from './bot.ts';
import type { Command } from './command.ts';

/** `/flow whoami`: the address to write under `allow` or `approvers`. */
export const whoami: Command = {
  name: 'whoami',
  options: [],
  summary: 'Shows how flows name you, and whether you are an admin.',
  looksOnly: true,
  async run(bot, caller) {
    const address = personAddress(caller.person);
    const admin = isAdmin(bot, caller);
    return {
      ok: true,
      content: say(
        md('You are '),
        literal(caller.person.name),
        md(`, \`${address.replaceAll('`', "'")}\` in flow files`),
        md(admin ? ', and an admin.' : '.'),
      ),
      data: { address, name: caller.person.name, admin },
    };
  },
};
