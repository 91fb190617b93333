import { type Chat, ChatUnavailable } from '../../src/ports/chat.ts';
import type { ChatFault } from '../contracts/chat-harness.ts';

/** What is wrong with platforms. */
export interface Trouble {
  /** The next posts and edits of a platform fail so. */
  fail(platform: string, fault: ChatFault, times: number): void;
  /** A platform answers nothing until trouble ends. */
  takeDown(platform: string): void;
  isDown(platform: string): boolean;
  /** Whether anything is wrong. */
  exists(): boolean;
  /** Uses up a fault. */
  next(platform: string): ChatFault | undefined;
  end(): void;
}

/** Makes a peaceful time. */
export function createTrouble(): Trouble {
  const faults = new Map<string, ChatFault[]>();
  const down = new Set<string>();
  return {
    fail(platform, fault, times) {
      const before = faults.get(platform) ?? [];
      faults.set(platform, [...before, ...Array.from({ length: times }, () => fault)]);
    },
    takeDown: (platform) => void down.add(platform),
    isDown: (platform) => down.has(platform),
    exists: () => down.size > 0 || [...faults.values()].some(({ length }) => length > 0),
    next: (platform) => faults.get(platform)?.shift(),
    end() {
      faults.clear();
      down.clear();
    },
  };
}

/** A wait that platforms ask for, in milliseconds. */
const laterMs = 30_000;

/** A chat as it looks while there is trouble. */
export function troubled(chat: Chat, trouble: Trouble): Chat {
  const { platform } = chat;
  async function attempt<T>(work: () => Promise<T>) {
    if (trouble.isDown(platform)) return { kind: 'unknown', message: 'Nobody answers.' } as const;
    const fault = trouble.next(platform);
    switch (fault) {
      case undefined:
        return work();
      case 'refuse':
        return { kind: 'refused', message: 'The platform says no.' } as const;
      case 'later':
        return { kind: 'later', afterMs: laterMs } as const;
      case 'reset':
        return { kind: 'unknown', message: 'The connection broke.' } as const;
      case 'lost-answer':
        await work();
        return { kind: 'unknown', message: 'The answer was lost.' } as const;
    }
  }
  async function ask<T>(work: () => Promise<T>): Promise<T> {
    if (trouble.isDown(platform)) throw new ChatUnavailable('Nobody answers.');
    return work();
  }
  return {
    platform,
    hasOwnCommands: chat.hasOwnCommands,
    start: (inbound) => chat.start(inbound),
    stop: () => chat.stop(),
    health: () => chat.health(),
    render: (content) => chat.render(content),
    post: (...args) => attempt(() => chat.post(...args)),
    edit: (...args) => attempt(() => chat.edit(...args)),
    find: async (...args) =>
      trouble.isDown(platform) ? { kind: 'later', afterMs: laterMs } : chat.find(...args),
    hasRole: async (...args) => (trouble.isDown(platform) ? undefined : chat.hasRole(...args)),
    nameOf: async (id) => (trouble.isDown(platform) ? id : chat.nameOf(id)),
    conversation: (...args) => ask(() => chat.conversation(...args)),
    knowsRole: (...args) => ask(() => chat.knowsRole(...args)),
    standing: (...args) => ask(() => chat.standing(...args)),
    canRead: (...args) => ask(() => chat.canRead(...args)),
    download: (...args) => ask(() => chat.download(...args)),
    history: (...args) => chat.history(...args),
  };
}
