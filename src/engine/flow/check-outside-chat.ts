import { checkInput, type InputProblem } from '../data/input.ts';
import { propertiesOf } from '../data/input-fields.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import { mayHaveField } from './check-references.ts';
import type { FlowDefinition } from './definition.ts';
import type { Path } from './issues.ts';
import { suggest } from './nearest.ts';
import type { TriggerDefinition } from './triggers.ts';

type Schedule = Extract<TriggerDefinition, { type: 'schedule' }>;
type Webhook = Extract<TriggerDefinition, { type: 'webhook' }>;

/**
 * What keeps the runs from starting that nobody starts in a chat: those of schedules, webhooks, the API and MCP.
 * @param isInputKnown false: the input can't be read, so whether something fits it is not known
 */
export function outsideChatFaults(
  {
    triggers,
    steps,
    conversation,
    input,
  }: Pick<FlowDefinition, 'triggers' | 'steps' | 'conversation' | 'input'>,
  isInputKnown: boolean,
): readonly Fault[] {
  const needing = [...steps.values()].filter(({ body }) => body?.type.needsHome?.(body.config) === true);
  const [needs] = conversation === undefined ? needing : [];
  const firstWebhook = triggers.findIndex(({ type }) => type === 'webhook');
  const faultsOf = (trigger: TriggerDefinition, position: number): readonly Fault[] => {
    const path = ['triggers', position];
    switch (trigger.type) {
      case 'schedule':
        return [
          ...(needs ? [homeless(path, 'a schedule', needs.id)] : []),
          ...(isInputKnown ? scheduleFaults(trigger, input, path) : []),
        ];
      case 'webhook':
        return [
          ...(position > firstWebhook ? [secondWebhook(path)] : []),
          ...(needs ? [homeless(path, 'a webhook', needs.id)] : []),
          ...(isInputKnown ? webhookFaults(trigger, input, path) : []),
        ];
      case 'api':
        return needs ? [homeless(path, 'the API', needs.id)] : [];
      case 'mcp':
        return needs ? [homeless(path, 'an MCP client', needs.id)] : [];
      case 'command':
      case 'manual':
        return [];
    }
  };
  return triggers.flatMap(faultsOf);
}

function homeless(path: Path, what: string, step: string): Fault {
  return {
    severity: 'error',
    rule: 'conversation',
    path,
    message: `A run that ${what} starts has no conversation, and ${step} needs one.`,
    fix: 'Write conversation: at the top of the flow, such as slack:#releases.',
  };
}

function secondWebhook(path: Path): Fault {
  return {
    severity: 'error',
    rule: 'webhook',
    path,
    message: 'A flow has one webhook at most: its address is the id of the flow.',
    fix: 'Remove it, or write a flow of its own for the other system.',
  };
}

function scheduleFaults({ input }: Schedule, schema: JsonObject | undefined, path: Path): readonly Fault[] {
  const unknown = unknownOf(schema, input);
  return [
    ...unknown.map((field) => unknownField(field, schema, [...path, 'input', field])),
    ...problemsOf(schema, input)
      .filter(({ field }) => !unknown.includes(field))
      .map(
        ({ message }): Fault => ({
          severity: 'error',
          rule: 'schedule-input',
          path,
          message: `The runs of this schedule can't start: ${message}.`,
          fix: 'Write it under input: of the schedule, or give it a default.',
        }),
      ),
  ];
}

function webhookFaults(
  { input, keep }: Webhook,
  schema: JsonObject | undefined,
  path: Path,
): readonly Fault[] {
  const kept = Object.keys(keep);
  const isUnknown = (field: string) => !schema || !mayHaveField(schema, field);
  const unknown = unknownOf(schema, input);
  // What a request brings is only seen when it comes; so is what depends on several fields together.
  const mayCome = ({ field }: InputProblem) =>
    kept.some((name) => field === '' || (field === name && !Object.hasOwn(input, name)));
  return [
    ...kept.filter(isUnknown).map((field) => unknownField(field, schema, [...path, 'keep', field])),
    ...unknown.map((field) => unknownField(field, schema, [...path, 'input', field])),
    ...problemsOf(schema, input)
      .filter((problem) => !mayCome(problem) && !unknown.includes(problem.field))
      .map(
        ({ message }): Fault => ({
          severity: 'error',
          rule: 'webhook-input',
          path,
          message: `The runs of this webhook can't start: ${message}.`,
          fix: 'Take it from the request under keep:, write it under input: of the webhook, or give it a default.',
        }),
      ),
  ];
}

/** Fields of a trigger's own input that the flow's can't have. */
function unknownOf(schema: JsonObject | undefined, input: JsonObject): readonly string[] {
  return schema ? Object.keys(input).filter((field) => !mayHaveField(schema, field)) : [];
}

function unknownField(field: string, schema: JsonObject | undefined, path: Path): Fault {
  const fault = { severity: 'error', rule: 'unknown-input', path } as const;
  return schema
    ? {
        ...fault,
        message: `The input of this flow has no ${JSON.stringify(field)}.`,
        fix: suggest(field, Object.keys(propertiesOf(schema))),
      }
    : {
        ...fault,
        message: `The flow has no input, so ${JSON.stringify(field)} can't be kept.`,
        fix: 'Declare it under input: of the flow, or read it as {{start.json.body}}.',
      };
}

function problemsOf(schema: JsonObject | undefined, input: JsonObject): readonly InputProblem[] {
  const checked = schema ? checkInput(schema, input) : undefined;
  return checked && !checked.ok ? checked.problems : [];
}
