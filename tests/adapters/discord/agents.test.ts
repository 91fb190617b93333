import { agentsOn } from '../chat/agents.ts';
import { onDiscord } from './approvals.ts';

agentsOn(onDiscord);
