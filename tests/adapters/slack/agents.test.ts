import { agentsOn } from '../chat/agents.ts';
import { onSlack } from './approvals.ts';

agentsOn(onSlack);
