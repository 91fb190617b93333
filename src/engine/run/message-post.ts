import type { PlanStep } from '../flow/plan.ts';
import { own } from './record.ts';
import type { RunState } from './state.ts';

/** Whether a message step edits in a later round what it posted before. */
export function editsItsPost({ stepType, config }: Pick<PlanStep, 'stepType' | 'config'>): boolean {
  return stepType.editsItsPost?.(config) ?? false;
}

/**
 * Key of the post that a message step makes in a round: the same key never posts twice. A step that edits has one key
 * for all rounds. When nobody could tell whether the post is there and somebody decided to run the step again, that is
 * another post, with another key.
 */
export function messagePost(
  run: Pick<RunState, 'id' | 'start' | 'questions'>,
  step: Pick<PlanStep, 'id' | 'stepType' | 'config'>,
  round: number,
): string {
  const isOne = editsItsPost(step);
  const inherited = isOne || round === 1 ? own(run.start.retryOf?.posts ?? {}, step.id) : undefined;
  const key = inherited ?? `post/${run.id}/${step.id}/${isOne ? 1 : round}`;
  const decided = Object.values(run.questions).filter(
    (question) =>
      question.step === step.id &&
      (isOne || question.round === round) &&
      question.state.status === 'answered' &&
      question.state.action === 'again',
  ).length;
  return decided === 0 ? key : `${key}/again${decided}`;
}
