import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { reservedWords } from './triggers.ts';

const stepId = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const flowId = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Words that placeholders begin with, and so no step may be called. */
const reservedStepIds: ReadonlySet<string> = new Set(['input', 'start', 'run', 'secrets', 'item']);

/** Why a text can't be a step's id, as `withFix` writes it; undefined when it can. */
export function stepIdFault(id: string): string | undefined {
  if (reservedStepIds.has(id)) {
    return withFix(
      `A step can't be called "${id}": placeholders use that word.`,
      `Call it "${id}Step", for example.`,
    );
  }
  if (stepId.test(id)) return undefined;
  return withFix(
    `${JSON.stringify(id.slice(0, 80))} can't be a step's id.`,
    'Use a letter, then letters, digits and _, at most 64.',
  );
}

/** Why a text can't name a step of the same flow, as `withFix` writes it; undefined when it can. */
export function stepNameFault(id: string): string | undefined {
  if (!reservedStepIds.has(id)) return stepIdFault(id);
  return withFix(
    `"${id}" is no step.`,
    'Name a step of this flow: a template step can hand on what {{input.…}}, {{start.…}} and {{run.…}} hold.',
  );
}

/** Why a text can't be a flow's id, as `withFix` writes it; undefined when it can. */
export function flowIdFault(id: string): string | undefined {
  if (reservedWords.has(id.toLowerCase())) {
    return withFix(
      `A flow can't be called "${id}": it is a word of the chat command.`,
      `Call it "${id}-flow", for example.`,
    );
  }
  if (flowId.test(id)) return undefined;
  return withFix(
    `${JSON.stringify(id.slice(0, 80))} can't be a flow's id.`,
    'Use a letter, then letters, digits, _ and -, at most 64.',
  );
}

/** A reference to a step of the same flow. Whether it exists is seen when the flow is compiled. */
export const stepIdSchema = idSchema(stepNameFault);

/** The id of a flow. */
export const flowIdSchema = idSchema(flowIdFault);

function idSchema(faultOf: (id: string) => string | undefined) {
  return z.string().superRefine((id, context) => {
    const message = faultOf(id);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}
