import type { Command } from './command.ts';
import { completeFlow, switchFlow } from './switching.ts';

/** `/flow enable <flow>` */
export const enable: Command = {
  name: 'enable',
  usage: '<flow>',
  summary: 'Switches a flow on (admins).',
  run: (bot, caller, typed) => switchFlow(bot, caller, typed, true),
  complete: (bot) => completeFlow(bot, true),
};
