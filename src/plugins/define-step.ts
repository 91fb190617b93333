import type { z } from 'zod';
import type { JsonObject } from '../engine/json.ts';
import type { StepType } from '../engine/steps/step-type.ts';
import type { PluginStep, PluginTurn } from '../ports/plugins.ts';
import { type Filled, fieldReferences, fill } from './fields.ts';

/** What the code of a step returns. */
export interface StepReturn {
  /** Absent = empty. */
  readonly text?: string;
  /** Absent = `{}`. */
  readonly json?: JsonObject;
  /** By which exit the step leaves; needed when there is more than one. It is there as `json.exit`, too. */
  readonly exit?: string;
}

/** A step type as a plugin describes it. */
export interface StepDescription<C> {
  /** What stands behind `type:` in a flow: lower-case letters, digits and `-`. */
  readonly type: string;
  /** One sentence about what it does. */
  readonly description: string;
  /** The keys of a step of this type, strict; placeholders are read in fields made by `template()` and `data()` only. */
  readonly schema: z.ZodType<C>;
  /** Its exits, the main one first: `['done']`. */
  readonly exits?: readonly [string, ...string[]];
  /**
   * Does it. What it throws fails the attempt, and is tried again where the flow allows it, unless the error has
   * `retry: 'never'`. When Flowbot dies or the time is over meanwhile, people are asked what became of it.
   */
  readonly run: (
    config: Filled<C>,
    turn: PluginTurn,
  ) => StepReturn | undefined | Promise<StepReturn | undefined>;
}

/** A step type that was defined: what a plugin exports. */
export interface DefinedStep {
  readonly type: string;
  readonly description: string;
  readonly stepType: StepType;
  readonly step: PluginStep;
}

/** Defines a step type. A module under `plugins` exports one as its default, or a list of them. */
export function defineStep<C>(description: StepDescription<C>): DefinedStep {
  const { type, schema, exits = ['done'], run } = description;
  const stepType: StepType<C> = {
    type,
    schema,
    exits: () => exits,
    plainEdges: exits.length === 1,
    calls: true,
    exitOf: (_config, { json }) => exits.find((exit) => exit === json.exit) ?? exits[0] ?? 'done',
    references: (config) => fieldReferences(config),
    begin({ config, scope }) {
      const filled = fill(config, scope);
      if (!filled.ok) return { kind: 'failed', failure: filled.failure };
      return { kind: 'plugin', call: filled.value };
    },
  };
  return {
    type,
    description: description.description,
    // Sound as `known` of the registry is: a type is only given configs that its own schema parsed.
    stepType: stepType as StepType,
    // What is filled is what `begin` made of such a config, and comes back from the journal as it was.
    step: { exits, run: (config, turn) => run(config as Filled<C>, turn) },
  };
}
