import { describe, expect, test } from 'vitest';
import { readTyped } from '../../../src/adapters/playground/typed.ts';

describe('what typed text is', () => {
  test.each([
    ['hello', { kind: 'message', text: 'hello', toBot: false }],
    ['  hello ', { kind: 'message', text: '  hello ', toBot: false }],
    ['@flowbot release now', { kind: 'message', text: 'release now', toBot: true }],
    [' @FlowBot: release', { kind: 'message', text: 'release', toBot: true }],
    ['@flowbot', { kind: 'message', text: '', toBot: true }],
    ['@flowbots release', { kind: 'message', text: '@flowbots release', toBot: false }],
    ['@flowbot-test release', { kind: 'message', text: '@flowbot-test release', toBot: false }],
    ['hello @flowbot', { kind: 'message', text: 'hello @flowbot', toBot: false }],
    [' /flow list', { kind: 'message', text: ' /flow list', toBot: false }],
    ['/flow', { kind: 'command', text: '' }],
    ['/Flow  run a  b ', { kind: 'command', text: 'run a  b' }],
    ['/flow\nrun', { kind: 'command', text: 'run' }],
    ['/flows', { kind: 'unknown', name: '/flows' }],
    ['/etc/hosts is broken', { kind: 'unknown', name: '/etc/hosts' }],
    ['/', { kind: 'unknown', name: '/' }],
  ])('%j', (typed, read) => {
    expect(readTyped(typed, '/flow')).toEqual(read);
  });
});
