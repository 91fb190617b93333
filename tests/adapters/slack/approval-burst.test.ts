import { burstOn } from '../chat/approvals-burst.ts';
import { onSlack } from './approvals.ts';

burstOn(onSlack);
