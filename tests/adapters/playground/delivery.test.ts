import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDelivery, type Delivery } from '../../../src/adapters/playground/delivery.ts';
import { openWorkspace, type Workspace } from '../../../src/adapters/playground/workspace.ts';
import type { ChatEvent } from '../../../src/ports/chat.ts';
import { createInbox, type Inbox } from '../../contracts/chat.ts';
import { createHandClock, silentLog } from './harness.ts';

let workspace: Workspace;
let delivery: Delivery;
let inbox: Inbox;
let clock: ReturnType<typeof createHandClock>;
let attempts: number;

beforeEach(() => {
  clock = createHandClock();
  workspace = openWorkspace({ file: ':memory:', clock, ids: { next: () => 'tag' } });
  delivery = createDelivery({ workspace, clock, log: silentLog });
  inbox = createInbox();
  attempts = 0;
});
afterEach(async () => {
  await delivery.stop();
  workspace.close();
});

const place = { platform: 'playground', conversation: 'general' };
const ana = { platform: 'playground', id: 'ana', name: 'Ana' };
const keep = (text: string) => workspace.keep({ type: 'command', person: ana, place, text });
const offer = (text: string) => delivery.offer(keep(text));
const texts = () => inbox.taken.map((event) => (event.type === 'command' ? event.text : event.type));

/** A bot that can't store anything, and counts how often it was asked. */
function broken(): Inbox {
  return {
    ...inbox,
    async receive() {
      attempts += 1;
      throw new Error('the disk is full');
    },
  };
}

describe('delivery', () => {
  test('events wait behind one that can not be stored, and keep their order', async () => {
    delivery.start(inbox);
    inbox.refuseNext(2);
    expect(await offer('first')).toEqual({ kind: 'later' });
    expect(await offer('second')).toEqual({ kind: 'later' });
    expect(await offer('third')).toEqual({ kind: 'none' });
    expect(texts()).toEqual(['first', 'second', 'third']);
  });

  test('the pauses between attempts grow to a minute and no longer', async () => {
    delivery.start(broken());
    await offer('x');
    const pauses: number[] = [];
    for (let pauseMs = 0; pauses.length < 8; ) {
      const before = attempts;
      clock.pass(500);
      pauseMs += 500;
      // What the alarm started has ended when later microtasks run.
      await new Promise(setImmediate);
      if (attempts > before) {
        pauses.push(pauseMs);
        pauseMs = 0;
      }
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
  });

  test('stopping waits for the event under way, which is then not delivered again', async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow: Inbox = {
      ...inbox,
      async receive(event: ChatEvent) {
        begin();
        await stored;
        return inbox.receive(event);
      },
    };
    delivery.start(slow);
    const reaction = offer('slow');
    await begun;
    const order: string[] = [];
    const stopped = delivery.stop().then(() => order.push('stopped'));
    order.push('stored');
    store();
    await stopped;
    expect(order).toEqual(['stored', 'stopped']);
    expect(await reaction).toEqual({ kind: 'none' });
    expect(workspace.oldestEvent()).toBeUndefined();
  });

  test('a bot that is not there yet gets everything when it starts', async () => {
    expect(await offer('early')).toEqual({ kind: 'later' });
    delivery.start(inbox);
    await inbox.until(1);
    expect(texts()).toEqual(['early']);
  });

  test('without a bot there are no completions', async () => {
    expect(await delivery.complete('ru', ana, place)).toEqual([]);
  });
});
