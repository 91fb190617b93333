import { lanesOn } from '../chat/lanes.ts';
import { onSlack } from './approvals.ts';

lanesOn(onSlack);
