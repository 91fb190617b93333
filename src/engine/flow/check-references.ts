import { propertiesOf } from '../data/input-fields.ts';
import type { Fault } from '../fault.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Reference } from '../steps/step-type.ts';
import { type Certainty, certaintyOf } from './certainty.ts';
import type { FlowDefinition } from './definition.ts';
import { FAULTS_MAX } from './issues.ts';
import { suggest } from './nearest.ts';
import type { ResolvedEdge } from './resolve-edges.ts';

/** A reference, and the step that makes it; no step: the flow's own `output`. */
export interface PlacedReference {
  readonly step?: string;
  /** The step may also read itself: conditions of its own edges. */
  readonly includesItself?: boolean;
  /** Its place from the top of the flow. */
  readonly reference: Reference;
}

/** What `start` and `run` hold; those that end in a dot hold more. */
const START_PATHS = [
  'text',
  'json',
  'json.prompt',
  'json.user',
  'json.userId',
  'json.conversation',
  'json.files',
  'json.files.',
  'json.schedule',
  'json.dueAt',
  'json.body',
  'json.body.',
  'json.headers',
  'json.headers.',
  'json.query',
  'json.query.',
];
const RUN_PATHS = ['id', 'flow', 'startedAt'];
/** Keywords by which a schema can have properties that do not stand under `properties`. */
const OPEN_KEYWORDS = ['patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref', 'dependentSchemas'];

/**
 * Checks that everything a flow reads can be there by the time it is read. What comes before what is checked only
 * when the flow's shape is sound: else it would but repeat what is wrong with that.
 */
export function checkReferences(
  flow: FlowDefinition,
  edges: readonly ResolvedEdge[],
  references: readonly PlacedReference[],
  isSound: boolean,
): readonly Fault[] {
  const certainty = isSound ? certaintyOf(flow.steps, edges) : undefined;
  let found = 0;
  // Suggestions take time, and those of faults that are but counted are never read.
  const hint: Hint = (word, candidates) => (found < FAULTS_MAX ? suggest(word, candidates) : undefined);
  const faultsOf = (placed: PlacedReference): readonly Fault[] => {
    const { reference } = placed;
    const [root = '', ...path] = reference.lookup;
    switch (root) {
      case 'input':
        return inputFaults(flow.input, path, reference, hint);
      case 'start':
        return pathFaults(START_PATHS, path, reference, hint);
      case 'run':
        return pathFaults(RUN_PATHS, path, reference, hint);
      case 'secrets':
        return secretFaults(flow, placed);
      case 'item':
        return [fault(reference, 'unknown-step', `${reference.source}: only a map step has items.`)];
    }
    if (!flow.steps.has(root)) {
      const sentence = `here is no step ${JSON.stringify(root)}.`;
      const message = reference.source === root ? `T${sentence}` : `${reference.source}: t${sentence}`;
      return [fault(reference, 'unknown-step', message, hint(root, flow.steps.keys()))];
    }
    return certainty ? orderFaults(flow, placed, certainty) : [];
  };
  return references.flatMap((placed) => {
    const faults = faultsOf(placed);
    found += faults.length;
    return faults;
  });
}

/** What to write instead of an unknown word; nothing when there are many faults already. */
type Hint = (word: string, candidates: Iterable<string>) => string | undefined;

/** Whether the step that is read has run by then. */
function orderFaults(
  flow: FlowDefinition,
  { step, includesItself, reference }: PlacedReference,
  certainty: Certainty,
): readonly Fault[] {
  const [root = '', ...path] = reference.lookup;
  const { source } = reference;
  if (isAlwaysThere(flow, root, path) || (includesItself && root === step)) return [];
  if (step === undefined) return certainty.surelyRuns(root) ? [] : [maybeMissing(reference, root)];
  if (!certainty.canPrecede(root, step)) {
    const message = `${source === root ? '' : `${source}: `}${root} can never have run before ${step}.`;
    const fix = `Lead edges from ${root} to ${step}, or read an earlier step.`;
    return [fault(reference, 'never-before', message, fix)];
  }
  return reference.optional || certainty.surelyPrecedes(root, step) ? [] : [maybeMissing(reference, root)];
}

/** An approval's feedback is there before anybody was asked: then it is empty. */
function isAlwaysThere(flow: FlowDefinition, root: string, path: readonly string[]): boolean {
  return flow.steps.get(root)?.type === 'approval' && path.join('.') === 'json.feedback';
}

function maybeMissing(reference: Reference, root: string): Fault {
  return {
    ...fault(
      reference,
      'maybe-missing',
      `${reference.source}: ${root} does not run on every path that leads here; where it did not, this fails.`,
      'Read it only behind the exit that needs it.',
    ),
    severity: 'warning',
  };
}

function inputFaults(
  input: JsonObject | undefined,
  path: readonly string[],
  reference: Reference,
  hint: Hint,
): readonly Fault[] {
  const [name] = path;
  if (!input) {
    return [
      fault(
        reference,
        'unknown-input',
        `${reference.source}: the flow has no input.`,
        'Declare it under input:.',
      ),
    ];
  }
  if (name === undefined || mayHaveField(input, name)) return [];
  const message = `${reference.source}: the input has no ${JSON.stringify(name)}.`;
  return [fault(reference, 'unknown-input', message, hint(name, Object.keys(propertiesOf(input))))];
}

/** Whether an input of this schema can have a field. */
export function mayHaveField(schema: JsonObject, name: string): boolean {
  const { properties, additionalProperties = false } = schema;
  if (!isJsonObject(properties) || Object.hasOwn(properties, name)) return true;
  return additionalProperties !== false || OPEN_KEYWORDS.some((key) => Object.hasOwn(schema, key));
}

function pathFaults(
  known: readonly string[],
  path: readonly string[],
  reference: Reference,
  hint: Hint,
): readonly Fault[] {
  const written = path.join('.');
  if (known.some((one) => written === one || (one.endsWith('.') && written.startsWith(one)))) return [];
  const root = reference.lookup[0] ?? '';
  const message = `${reference.source}: ${root} has no ${JSON.stringify(written)}.`;
  const names = known.filter((one) => !one.endsWith('.'));
  return [fault(reference, 'unknown-path', message, hint(written, names))];
}

function secretFaults(flow: FlowDefinition, { reference, step }: PlacedReference): readonly Fault[] {
  const place = String(reference.at[2] ?? '');
  if (
    step !== undefined &&
    flow.steps.get(step)?.type === 'http' &&
    (place === 'headers' || place === 'body')
  ) {
    return [];
  }
  return [
    fault(
      reference,
      'secret-place',
      `${reference.source}: a secret can't stand here, where people or other systems would see it.`,
      'Secrets can stand in the headers and the body of http steps.',
    ),
  ];
}

function fault(reference: Reference, rule: string, message: string, fix?: string): Fault {
  return { severity: 'error', rule, path: reference.at, message, ...(fix !== undefined && { fix }) };
}
