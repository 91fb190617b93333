import { lanesOn } from '../chat/lanes.ts';
import { onDiscord } from './approvals.ts';

lanesOn(onDiscord);
