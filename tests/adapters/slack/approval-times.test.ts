import { timesOn } from '../chat/approvals-time.ts';
import { onSlack } from './approvals.ts';

timesOn(onSlack);
