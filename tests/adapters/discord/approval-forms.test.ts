import { formsOn } from '../chat/approvals-forms.ts';
import { onDiscord } from './approvals.ts';

formsOn(onDiscord);
