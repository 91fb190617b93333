import type { Command } from './command.ts';
import { completeFlow, switchFlow } from './switching.ts';

/** `/flow disable <flow>` */
export const disable: Command = {
  name: 'disable',
  options: [{ name: 'flow', summary: 'The flow to switch off.', required: true, completes: true }],
  summary: 'Switches a flow off (admins).',
  run: (bot, caller, typed) => switchFlow(bot, caller, typed, false),
  complete: (bot, _caller, typed) => completeFlow(bot, typed, false),
};
