import { beforeEach, describe, expect, test } from 'vitest';
import { createHeartbeat, type Heartbeat } from '../../../src/adapters/chat/heartbeat.ts';
import type { Inbound } from '../../../src/ports/chat.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createHandClock, type HandClock } from '../../fakes/clock.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';

let clock: HandClock;
let log: KeptLog;
let inbox: Inbound;
let heartbeat: Heartbeat;
let isHearing: boolean;
let missedSinceMs: number | undefined;

const make = () =>
  createHeartbeat({
    platform: 'slack',
    clock,
    log,
    isHearing: () => isHearing,
    missedSinceMs: () => missedSinceMs,
  });
/** What the next process is told. */
const next = () => make().start(inbox);
const settle = () => new Promise(setImmediate);

beforeEach(() => {
  clock = createHandClock();
  log = createKeptLog();
  inbox = createInbox();
  isHearing = true;
  missedSinceMs = undefined;
  heartbeat = make();
});

describe('until when a chat was heard', () => {
  test('is unknown at the very first start, and known after it, however it ended', async () => {
    const firstMs = clock.now();
    expect(await heartbeat.start(inbox)).toBeUndefined();
    clock.pass(30_000);
    expect(await next()).toBe(firstMs);
  });

  test('is noted each minute, and once more at the end', async () => {
    await heartbeat.start(inbox);
    clock.pass(90_000);
    await settle();
    expect(await next()).toBe(clock.now() - 30_000);
    await heartbeat.stop();
    expect(await next()).toBe(clock.now());
    expect(clock.nextMs()).toBeDefined();
  });

  test('is not noted while nothing can be heard', async () => {
    await heartbeat.start(inbox);
    clock.pass(60_000);
    await settle();
    const heardMs = clock.now();
    isHearing = false;
    clock.pass(600_000);
    await settle();
    await heartbeat.stop();
    expect(await next()).toBe(heardMs);
  });

  test('is not later than what may still be missing', async () => {
    await heartbeat.start(inbox);
    missedSinceMs = clock.now() - 5_000;
    clock.pass(60_000);
    await settle();
    expect(await next()).toBe(missedSinceMs);
  });

  test('is noted again after it could not be', async () => {
    await heartbeat.start(inbox);
    const { keepNote } = inbox;
    inbox.keepNote = async () => Promise.reject(new Error('the disk is full'));
    clock.pass(60_000);
    await settle();
    expect(log.lines).toEqual([expect.objectContaining({ level: 'error' })]);
    inbox.keepNote = keepNote;
    clock.pass(60_000);
    await settle();
    expect(await next()).toBe(clock.now());
  });
});
