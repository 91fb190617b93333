import type { Plan } from './plan.ts';

/** An address of a conversation in a plan, and where it stands. */
export interface Destination {
  readonly address: string;
  readonly path: readonly (string | number)[];
}

/** The conversations a plan posts to: its own, and those of its steps. */
export function destinationsOf(plan: Plan): readonly Destination[] {
  const own = plan.conversation === undefined ? [] : [{ address: plan.conversation, path: ['conversation'] }];
  const steps = [...plan.steps.values()].flatMap((step) =>
    (step.stepType.destinations?.(step.config) ?? []).map(({ address, at }) => ({
      address,
      path: ['steps', step.id, ...at],
    })),
  );
  return [...own, ...steps];
}

/** The conversations that the steps of a plan read. */
export function readsOf(plan: Plan): readonly Destination[] {
  return [...plan.steps.values()].flatMap((step) =>
    (step.stepType.reads?.(step.config) ?? []).map(({ address, at }) => ({
      address,
      path: ['steps', step.id, ...at],
    })),
  );
}

/** All conversations a plan names outside its triggers: those it posts to, and those it reads. */
export function addressesOf(plan: Plan): readonly Destination[] {
  return [...destinationsOf(plan), ...readsOf(plan)];
}

/** Types of the steps that need a conversation in which the run lives. */
export function typesNeedingHome(plan: Plan): readonly string[] {
  return [...plan.steps.values()]
    .filter((step) => step.stepType.needsHome?.(step.config) === true)
    .map(({ type }) => type);
}
