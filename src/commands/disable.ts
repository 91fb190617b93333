import type { Command } from './command.ts';
import { completeFlow, switchFlow } from './switching.ts';

/** `/flow disable <flow>` */
export const disable: Command = {
  name: 'disable',
  usage: '<flow>',
  summary: 'Switches a flow off (admins).',
  run: (bot, caller, typed) => switchFlow(bot, caller, typed, false),
  complete: (bot) => completeFlow(bot, false),
};
