import { agentPages } from './agents.ts';
import { auditPages } from './audit.ts';
import { flowPages } from './flows.ts';
import { homePages } from './home.ts';
import type { Page } from './page.ts';
import { questionPages } from './questions.ts';
import { referencePages } from './reference.ts';
import { schedulePages } from './schedules.ts';

/** All pages, and what their forms do. */
export const PAGES: readonly Page[] = [
  ...homePages,
  ...questionPages,
  ...flowPages,
  ...schedulePages,
  ...agentPages,
  ...auditPages,
  ...referencePages,
];
