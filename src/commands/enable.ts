import type { Command } from './command.ts';
import { completeFlow, switchFlow } from './switching.ts';

/** `/flow enable <flow>` */
export const enable: Command = {
  name: 'enable',
  options: [{ name: 'flow', summary: 'The flow to switch on.', required: true, completes: true }],
  summary: 'Switches a flow on (admins).',
  run: (bot, caller, typed) => switchFlow(bot, caller, typed, true),
  complete: (bot, _caller, typed) => completeFlow(bot, typed, true),
};
