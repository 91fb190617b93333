import type { Bot } from '../../commands/bot.ts';
import { isFinal, type RunStatus } from '../../engine/run/state.ts';
import type { StoredRun } from '../../ports/store.ts';

/**
 * Waits until a run has ended, only people or timers can move it on, or the time is over; resolves to where it is then.
 * @param forMs longest wait @param signal ends the wait at once
 */
export async function waitForRun(
  bot: Bot,
  run: string,
  forMs: number,
  signal: AbortSignal,
): Promise<StoredRun | undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settled = (status: RunStatus) => {
    if (isSettled(status)) resolve();
  };
  const ends = [
    bot.events.on('run:ended', (event) => void (event.run === run && settled(event.status))),
    bot.events.on('run:moved', (event) => void (event.run === run && settled(event.status))),
    bot.clock.alarm(bot.clock.now() + forMs, resolve),
  ];
  const onAbort = () => resolve();
  signal.addEventListener('abort', onAbort);
  try {
    // What was told before somebody listened is in the store.
    const stored = await bot.store.run(run);
    if (!stored || isSettled(stored.row.status) || signal.aborted) return stored;
    await promise;
    return await bot.store.run(run);
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const end of ends) end();
  }
}

function isSettled(status: RunStatus): boolean {
  return isFinal(status) || status === 'waiting' || status === 'attention';
}
