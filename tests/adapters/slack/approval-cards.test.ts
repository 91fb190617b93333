import { cardsOn } from '../chat/approvals-cards.ts';
import { onSlack } from './approvals.ts';

cardsOn(onSlack);
