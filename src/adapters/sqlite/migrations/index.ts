import { initial } from './001-initial.ts';
import { notes } from './002-notes.ts';
import { schedules } from './003-schedules.ts';
import { audit } from './004-audit.ts';
import { lanes } from './005-lanes.ts';
import { usage } from './006-usage.ts';
import { passing } from './007-passing.ts';
import { usageOfAgents } from './008-usage-of-agents.ts';

/** All changes of the tables, oldest first; a file's `user_version` counts those it has. Append only, never edit. */
export const migrations: readonly string[] = [
  initial,
  notes,
  schedules,
  audit,
  lanes,
  usage,
  passing,
  usageOfAgents,
];
