import { burstOn } from '../chat/approvals-burst.ts';
import { onDiscord } from './approvals.ts';

burstOn(onDiscord);
