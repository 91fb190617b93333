import { cardsOn } from '../chat/approvals-cards.ts';
import { onDiscord } from './approvals.ts';

cardsOn(onDiscord);
