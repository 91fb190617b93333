import { chatContract } from '../../contracts/chat.ts';
import { createSlackHarness } from './harness.ts';

chatContract('Slack over Socket Mode', () => createSlackHarness('socket'));
chatContract('Slack over HTTP', () => createSlackHarness('http'));
