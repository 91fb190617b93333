import { answerByName } from './answering.ts';
import type { Command } from './command.ts';
import { COMMENT, completeQuestion, QUESTION } from './open-questions.ts';
import { firstWord } from './typed.ts';

/** `/flow reject <run> [comment]` */
export const reject: Command = {
  name: 'reject',
  options: [QUESTION, COMMENT],
  summary: 'Rejects what a run waits for.',
  async run(bot, caller, typed) {
    const { word: name, rest: feedback } = firstWord(typed);
    return answerByName(bot, caller, { name, action: 'reject', feedback });
  },
  complete: completeQuestion,
};
