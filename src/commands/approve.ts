import { answerByName } from './answering.ts';
import type { Command } from './command.ts';
import { COMMENT, completeQuestion, QUESTION } from './open-questions.ts';
import { firstWord } from './typed.ts';

/** `/flow approve <run> [comment]` */
export const approve: Command = {
  name: 'approve',
  options: [QUESTION, COMMENT],
  summary: 'Approves what a run waits for.',
  async run(bot, caller, typed) {
    const { word: name, rest: feedback } = firstWord(typed);
    return answerByName(bot, caller, { name, action: 'approve', feedback });
  },
  complete: completeQuestion,
};
