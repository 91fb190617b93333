import { z } from 'zod';
import type { Json } from '../engine/json.ts';
import { COMMAND_LINE } from '../engine/people.ts';

const jsonSchema: z.ZodType<Json> = z.json();

const commandSchema = z.discriminatedUnion('kind', [
  /** What would follow `/flow` in a chat. */
  z.strictObject({ kind: z.literal('chat'), text: z.string() }),
  /** Starts a flow. Without `input` the prompt is read as in a chat. */
  z.strictObject({
    kind: z.literal('run'),
    flow: z.string(),
    prompt: z.string(),
    input: z.record(z.string(), jsonSchema).optional(),
  }),
  /** Answers a question, by its own name or that of its run. */
  z.strictObject({
    kind: z.literal('answer'),
    name: z.string(),
    action: z.string(),
    feedback: z.string(),
    values: z.record(z.string(), jsonSchema).optional(),
  }),
  /** A run's card and journal. */
  z.strictObject({ kind: z.literal('show'), run: z.string() }),
  /** The picture of a flow or run. */
  z.strictObject({ kind: z.literal('picture'), of: z.string() }),
  /** What the agents of a flow, or of a run, are told; of one step, or of all that ask one. */
  z.strictObject({ kind: z.literal('prompt'), of: z.string(), step: z.string().optional() }),
  /** A stretch of the audit, behind an entry. */
  z.strictObject({
    kind: z.literal('audit'),
    run: z.string().optional(),
    afterN: z.number().optional(),
    limit: z.int().positive().max(1_000),
  }),
]);

/** What the command line sends over the local socket. */
export const requestSchema = z.strictObject({
  /** Random, made by the sender: a repeat of the request does nothing twice. */
  event: z.string().min(1).max(100),
  person: z.strictObject({
    platform: z.literal(COMMAND_LINE),
    id: z.string().min(1),
    name: z.string().min(1),
  }),
  command: commandSchema,
});

/** What comes back. */
export const answerSchema = z.strictObject({
  /** False = refused, or not understood. */
  ok: z.boolean(),
  /** For people. */
  text: z.string(),
  /** The same for programs; null when there is nothing. */
  data: jsonSchema,
});

/** A stretch of the audit, as the answer to `audit` has it. */
export const stretchSchema = z.strictObject({
  /** Read before the links. */
  head: z.strictObject({ count: z.number(), hash: z.string() }).nullable(),
  links: z.array(z.strictObject({ n: z.number(), hash: z.string(), text: z.string() })),
});

export type CliCommand = z.output<typeof commandSchema>;
export type CliRequest = z.output<typeof requestSchema>;
export type CliAnswer = z.output<typeof answerSchema>;

/** Said when the other end does not speak this protocol. */
export const OTHER_VERSION = 'The running Flowbot is of another version than this command: restart it.';
