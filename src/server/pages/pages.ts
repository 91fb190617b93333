import { againPages } from './again.ts';
import { agentPages } from './agents.ts';
import { auditPages } from './audit.ts';
import { flowPages } from './flows.ts';
import { homePages } from './home.ts';
import type { Page } from './page.ts';
import { questionPages } from './questions.ts';
import { referencePages } from './reference.ts';
import { runPages } from './run.ts';
import { runListPages } from './runs.ts';
import { schedulePages } from './schedules.ts';

/** All pages, and what their forms do. */
export const PAGES: readonly Page[] = [
  ...homePages,
  ...runListPages,
  ...runPages,
  ...againPages,
  ...questionPages,
  ...flowPages,
  ...schedulePages,
  ...agentPages,
  ...auditPages,
  ...referencePages,
];
