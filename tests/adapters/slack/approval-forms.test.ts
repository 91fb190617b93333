import { formsOn } from '../chat/approvals-forms.ts';
import { onSlack } from './approvals.ts';

formsOn(onSlack);
