import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { commonStepSchema } from '../engine/flow/step-definition.ts';
import type { Library } from '../engine/library.ts';
import { builtInStepTypes } from '../engine/steps/registry.ts';
import type { PluginStep, PluginSteps } from '../ports/plugins.ts';
import type { DefinedStep } from './define-step.ts';

/** Step types with those of plugins among them. Nothing is to be used of it when there are faults. */
export interface LoadedPlugins {
  /** The built-in ones, then those of plugins. */
  readonly stepTypes: Library['stepTypes'];
  /** The code behind those of plugins. */
  readonly runners: PluginSteps;
  /** Whole sentences that name the module. */
  readonly faults: readonly string[];
}

/**
 * Loads the modules that are named under `plugins`.
 * @param modules paths (that begin with `.` or `/`) and names of packages
 * @param cwd paths and packages are looked for from here
 */
export async function loadPlugins(modules: readonly string[], cwd: string): Promise<LoadedPlugins> {
  const stepTypes = new Map(builtInStepTypes);
  const runners = new Map<string, PluginStep>();
  const faults: string[] = [];
  for (const module of modules) {
    const read = await readModule(module, cwd);
    faults.push(...read.faults);
    for (const { type, stepType, step } of read.steps) {
      const taken = takenFault(module, type, runners);
      if (taken !== undefined) {
        faults.push(taken);
        continue;
      }
      stepTypes.set(type, stepType);
      runners.set(type, step);
    }
  }
  return { stepTypes, runners, faults };
}

function takenFault(module: string, type: string, runners: PluginSteps): string | undefined {
  const where = `plugins: ${module}: the step type ${JSON.stringify(type)}`;
  if (builtInStepTypes.has(type)) return `${where} is built in: give it another name.`;
  if (runners.has(type)) return `${where} is defined by another plugin, too: give it another name.`;
  return undefined;
}

async function readModule(
  module: string,
  cwd: string,
): Promise<{ readonly steps: readonly DefinedStep[]; readonly faults: readonly string[] }> {
  const where = `plugins: ${module}`;
  let exported: unknown;
  try {
    const loaded: { readonly default?: unknown } = await import(addressOf(module, cwd));
    exported = loaded.default;
  } catch (error) {
    const why = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
    return { steps: [], faults: [`${where}: the module can't be loaded (${why}).`] };
  }
  if (exported === undefined) {
    return { steps: [], faults: [`${where}: it has no default export: export default defineStep({ … }).`] };
  }
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  const read = list.map((one) => readStep(one, where));
  return {
    steps: read.flatMap((one) => (typeof one === 'string' ? [] : [one])),
    faults: read.flatMap((one) => (typeof one === 'string' ? [one] : [])),
  };
}

/** Packages stand beside flowbot.yaml; those that only ES modules can import are found from here. */
function addressOf(module: string, cwd: string): string {
  if (/^[./]/.test(module)) return pathToFileURL(resolve(cwd, module)).href;
  try {
    return pathToFileURL(createRequire(resolve(cwd, 'flowbot.yaml')).resolve(module)).href;
  } catch {
    return module;
  }
}

const namePattern = /^[a-z][a-z0-9-]{0,39}$/;
const exitPattern = /^[a-z][A-Za-z0-9_-]{0,39}$/;
const commonKeys = ['type', 'ui', ...Object.keys(commonStepSchema.shape)];

/** A module may export anything: only what `defineStep` makes is taken, and only when it is whole. */
const definedSchema = z.custom<DefinedStep>(
  (value) =>
    isRecord(value) &&
    typeof value.type === 'string' &&
    isRecord(value.stepType) &&
    isRecord(value.step) &&
    typeof value.step.run === 'function' &&
    Array.isArray(value.step.exits),
);

/** The step type, or what is wrong with it. */
function readStep(exported: unknown, where: string): DefinedStep | string {
  const read = definedSchema.safeParse(exported);
  if (!read.success)
    return `${where}: it exports something that defineStep did not make: write export default defineStep({ … }).`;
  const { type, description, stepType, step } = read.data;
  const here = `${where}: the step type ${JSON.stringify(type)}`;
  if (!namePattern.test(type)) {
    return `${here} has a bad name: write lower-case letters, digits and -, beginning with a letter.`;
  }
  if (typeof description !== 'string' || description.trim() === '') {
    return `${here} has no description: say in a sentence what it does.`;
  }
  const { schema } = stepType;
  if (!(schema instanceof z.ZodObject) || !(schema.def.catchall instanceof z.ZodNever)) {
    return `${here} has no strict schema: make it with z.strictObject({ … }) of the z that Flowbot exports.`;
  }
  const clash = Object.keys(schema.shape).find((key) => commonKeys.includes(key));
  if (clash !== undefined) {
    return `${here} has a key ${JSON.stringify(clash)}, which every step has: give it another name.`;
  }
  const exits = step.exits;
  if (exits.length === 0 || new Set(exits).size < exits.length || exits.includes('failed')) {
    return `${here} has bad exits: write each once, and not failed, which every step has.`;
  }
  const bad = exits.find((exit) => typeof exit !== 'string' || !exitPattern.test(exit));
  return bad === undefined
    ? read.data
    : `${here} has an exit ${JSON.stringify(bad)}: write letters, digits, _ and -.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
