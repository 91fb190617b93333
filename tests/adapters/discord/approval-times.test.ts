import { timesOn } from '../chat/approvals-time.ts';
import { onDiscord } from './approvals.ts';

timesOn(onDiscord);
