import type { Player } from './cast.ts';
import type { Attempt } from './record.ts';
import { refusals } from './rules.ts';

/**
 * Checks what somebody is told by what they did, and that others are told nothing.
 * @param attempt what they did about a question; undefined = they did nothing
 */
export function checkTold(
  player: Player,
  attempt: Attempt | undefined,
  news: readonly string[],
  hasDied: boolean,
  didSomething: boolean,
): void {
  const said = JSON.stringify(news);
  if (!didSomething && news.length > 0) throw new Error(`${player.name} did nothing, and is told ${said}.`);
  if (!attempt) return;
  if (news.length > 1) throw new Error(`${player.name} is told more than once: ${said}.`);
  const [words] = news;
  if (words === undefined) {
    const isSilent = attempt.outcome !== 'refused' && !(attempt.isCommand && attempt.outcome === 'counted');
    if (isSilent || hasDied) return;
    throw new Error(`${player.name} is told nothing (${attempt.outcome}).`);
  }
  switch (attempt.outcome) {
    case 'refused': {
      const wanted = [...attempt.possible].flatMap((verdict) =>
        verdict === 'counts' || verdict === 'unfit' ? [] : [refusals[verdict]],
      );
      if (wanted.some((pattern) => pattern.test(words))) return;
      throw new Error(`${player.name} is refused with other words: ${said}.`);
    }
    case 'counted':
      if (attempt.isCommand && words.startsWith('Recorded: ')) return;
      throw new Error(`${player.name} is told ${said} although it counted.`);
    case 'unfit':
      if (/filled in|amount/i.test(words)) return;
      throw new Error(`${player.name} is told ${said}.`);
    case 'pending':
      if (isKept(words)) return;
      throw new Error(`${player.name} is told ${said}.`);
    case 'lost':
      // The adapter of a process that is dying may get to say so.
      if (words.startsWith('This could not be kept')) return;
      throw new Error(`${player.name} is told ${said}.`);
    case 'form':
      throw new Error(`${player.name} is told ${said} (${attempt.outcome}).`);
  }
}

/** Whether somebody is told that what they want waits for a chat. */
export function isKept(words: string): boolean {
  return words.includes('be reached at the moment');
}
