import { flowOperations } from './flows.ts';
import type { Operation } from './operation.ts';
import { otherOperations } from './others.ts';
import { questionOperations } from './questions.ts';
import { runOperations } from './runs.ts';

/** Everything that the API does, in the order in which its document shows it. */
export const OPERATIONS: readonly Operation[] = [
  ...flowOperations,
  ...runOperations,
  ...questionOperations,
  ...otherOperations,
];
