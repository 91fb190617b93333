import { literal, md, type Prose } from '../engine/prose.ts';
import { SKIPPED_MAX } from '../engine/schedule/turn.ts';
import { momentIn } from '../engine/schedule/words.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { ScheduleHands, ScheduleNews } from '../runner/schedules.ts';
import { type Bot, say } from './bot.ts';
import { conversationAt, startScheduled } from './start-flow.ts';

/** Starts the runs of schedules, and tells their conversations what did not start. */
export function scheduleHands(bot: Bot): ScheduleHands {
  return {
    async fire(flow, trigger, dueMs) {
      try {
        const startKey = `schedule:${trigger.id}:${dueMs}`;
        const result = await startScheduled(bot, flow, trigger, { dueAtMs: dueMs, startKey });
        return result.kind === 'started' ? { kind: 'started', run: result.run } : result;
      } catch (error) {
        if (error instanceof ChatUnavailable) return { kind: 'later' };
        throw error;
      }
    },

    async tell(flow, { id: schedule, timezone }, news, key) {
      const { conversation, name } = flow.plan;
      const found = conversation === undefined ? undefined : await conversationAt(bot, conversation);
      if (!found) return;
      const { platform, id } = found;
      const content = say(
        md('**'),
        literal(name),
        md('**: '),
        ...wordsOf(bot, schedule, news, (ms) => momentIn(timezone, ms)),
      );
      await bot.store.commit({ posts: [{ key, target: { platform, conversation: id }, content }] });
      bot.outbox.wake(key);
    },
  };
}

function wordsOf(
  { settings }: Bot,
  schedule: string,
  news: ScheduleNews,
  moment: (ms: number) => string,
): Prose {
  switch (news.kind) {
    case 'skipped': {
      const { count, firstMs, lastMs } = news.skipped;
      const were =
        count === 1
          ? `The run for ${moment(firstMs)} was skipped`
          : count < SKIPPED_MAX
            ? `${count} runs were skipped, from ${moment(firstMs)} to ${moment(lastMs)}`
            : `${SKIPPED_MAX} runs or more were skipped, the first for ${moment(firstMs)}`;
      const [made] = news.made;
      const instead =
        made === undefined
          ? ''
          : `; ${news.made.length === 1 ? 'the one' : `${news.made.length} runs from the one`} for ${moment(made)} ${news.made.length === 1 ? 'starts' : 'start'} now`;
      return [literal(`${were}, because Flowbot was not running or not connected${instead}.`)];
    }
    case 'overlapped':
      return [md(`The last run (\`${news.by.id}\`) has not ended. Until it has, the next ones are skipped.`)];
    case 'refused':
      return [literal(`The run for ${moment(news.dueMs)} could not start: ${news.why}`)];
    case 'paused':
      return [
        literal(
          `The schedule is paused: ${news.why}. When that is mended: ${settings.command} schedule resume ${schedule}`,
        ),
      ];
  }
}
