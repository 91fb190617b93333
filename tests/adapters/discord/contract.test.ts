import { chatContract } from '../../contracts/chat.ts';
import { createDiscordHarness } from './harness.ts';

chatContract('Discord', () => createDiscordHarness());
