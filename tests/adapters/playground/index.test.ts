import { chatContract } from '../../contracts/chat.ts';
import { createPlaygroundHarness } from './harness.ts';

chatContract('the playground', createPlaygroundHarness);
