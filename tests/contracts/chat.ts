import { afterEach, beforeEach, describe } from 'vitest';
import { downloadContract } from './chat-downloads.ts';
import { eventContract } from './chat-events.ts';
import { fileContract } from './chat-files.ts';
import type { ChatHarness, ChatSkips } from './chat-harness.ts';
import { historyContract } from './chat-history.ts';
import { peopleContract } from './chat-people.ts';
import { postContract } from './chat-posts.ts';
import { textContract } from './chat-text.ts';

export type {
  ChatFault,
  ChatHarness,
  ChatPlatform,
  ChatSkips,
  FieldFiles,
  GivenFile,
  Inbox,
  SeenFile,
  SeenForm,
  SeenMessage,
} from './chat-harness.ts';
export { createInbox } from './chat-harness.ts';

/**
 * What every chat platform's adapter must do. `makeHarness` gives a new platform with the adapter connected to it;
 * the suite closes it.
 */
export function chatContract(
  name: string,
  makeHarness: () => Promise<ChatHarness>,
  skips: ChatSkips = {},
): void {
  describe(`${name} as a chat platform`, () => {
    let current: ChatHarness | undefined;
    const harness = () => {
      if (current === undefined) throw new Error('the harness is made before each test');
      return current;
    };
    beforeEach(async () => {
      current = await makeHarness();
    });
    afterEach(async () => {
      await current?.close();
    });

    eventContract(harness, skips);
    postContract(harness, skips);
    textContract(harness);
    fileContract(harness, skips);
    downloadContract(harness);
    historyContract(harness);
    peopleContract(harness);
  });
}
