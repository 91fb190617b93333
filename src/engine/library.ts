import type { Agent } from './agents/agent.ts';
import type { JsonObject } from './json.ts';
import { builtInStepTypes } from './steps/registry.ts';
import type { StepType } from './steps/step-type.ts';

/** What a flow can name that does not stand in its own file; other flows apart. */
export interface Library {
  /** By name, in the order in which people read about them. */
  readonly stepTypes: ReadonlyMap<string, StepType>;
  /** JSON Schemas, by name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** Nothing but the built-in step types. */
export const bareLibrary: Library = { stepTypes: builtInStepTypes, schemas: new Map(), agents: new Map() };
