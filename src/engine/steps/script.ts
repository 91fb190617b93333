import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { collect, type Resolved, resolveText } from '../data/resolve.ts';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../data/room.ts';
import type { Scope } from '../data/scope.ts';
import { type Template, templateReferences, templateSchema } from '../data/template.ts';
import type { Json } from '../json.ts';
import { inputReferences, inputsSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

export { type ScriptReport, scriptResult } from './script-result.ts';

const schema = z.strictObject({
  run: z
    .string()
    .min(1)
    .max(1000)
    .refine((run) => !run.includes('{{'), {
      error: withFix('What is run is fixed, without placeholders.', 'Write placeholders under args.'),
    })
    .refine((run) => !/\p{Cc}/u.test(run), {
      error: withFix('The name of a program has no control characters.', 'Write it on one line.'),
    })
    .describe('The program, or the name of a built-in script; no shell reads it.'),
  args: z
    .array(templateSchema(4000))
    .max(100)
    .default([])
    .describe('Its arguments, one each, with placeholders.'),
  inputs: inputsSchema.describe('Earlier steps whose output it gets as JSON on its standard input.'),
  writes: writesSchema,
});

/**
 * Runs a program in the workspace of the run. Each argument is one, whatever its values hold. On its standard input
 * it gets `{ input, run, steps }`: the input of the run, `{ id, flow, startedAt }`, and for each step under `inputs`
 * its `{ text, json }`, or null when it did not run on this path.
 */
export const script: StepType<z.output<typeof schema>> = {
  type: 'script',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  calls: true,
  writes: (config) => config.writes,
  references: (config) => [
    ...config.args.flatMap((argument, index) => templateReferences(argument, ['args', index])),
    ...inputReferences(config.inputs),
  ],
  begin: ({ config, scope, stepOutput }) => {
    const args = collect(config.args, (template) => argumentOf(template, scope));
    if (!args.ok) return { kind: 'failed', failure: args.failure };
    const steps = config.inputs.map((id) => {
      const { output } = stepOutput(id);
      return [id, output ? { text: output.text, json: output.json } : null] as const;
    });
    const stdin = {
      input: whole(scope, 'input'),
      run: whole(scope, 'run'),
      steps: Object.fromEntries(steps),
    };
    const failure = takeRoomForData(roomFor(TEXT_MAX_CHARS), stdin);
    if (failure) return { kind: 'failed', failure };
    return { kind: 'script', call: { run: config.run, args: args.value, stdin } };
  },
};

/** The system ends an argument where a NUL stands, so it would be another one. */
function argumentOf(template: Template, scope: Scope): Resolved<string> {
  const text = resolveText(template, scope);
  if (!text.ok || !text.value.includes('\0')) return text;
  const sources = template.parts.flatMap((part) => (part.kind === 'placeholder' ? [part.source] : []));
  const message = `An argument can't hold a NUL character, which ${sources.join(' or ')} has: give it under inputs instead.`;
  return { ok: false, failure: { code: 'bad-argument', message, retry: 'never' } };
}

function whole(scope: Scope, root: string): Json {
  const found = scope.lookup([root]);
  return found.found ? found.value : null;
}
