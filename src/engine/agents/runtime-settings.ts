import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { secretTextSchema, secretTexts } from '../data/secret-text.ts';

const baseUrlSchema = z
  .url({
    protocol: /^https?$/,
    error: withFix('This is no address.', 'Write one such as https://api.example.com/v1.'),
  })
  .max(1_000)
  .refine((url) => URL.canParse(url) && new URL(url).username === '' && new URL(url).password === '', {
    error: withFix('An address holds no password.', 'Give the access under apiKey or headers.'),
  });

const headersSchema = secretTexts(/^[A-Za-z0-9-]+$/, 'This is no name of a header.').describe(
  'What goes along with every request; secrets as {{secrets.NAME}}.',
);

const apiKeySchema = secretTextSchema
  .refine((text) => text.length === 1 && text[0]?.kind === 'secret', {
    error: withFix('This is no secret.', 'Write "{{secrets.NAME}}" and set FLOWBOT_SECRET_NAME.'),
  })
  .optional();

const temperatureSchema = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe('0 to 2; absent = as the provider has it.');

/** Own keys of agents of the runtime `openai`. */
export const openAiSettingsSchema = z.strictObject({
  baseUrl: baseUrlSchema
    .default('https://api.openai.com/v1')
    .describe('Where the provider is: OpenAI, or any that is compatible.'),
  apiKey: apiKeySchema.describe(
    'The key, as {{secrets.NAME}}; absent = {{secrets.OPENAI_API_KEY}} for OpenAI itself, none for others.',
  ),
  headers: headersSchema,
  temperature: temperatureSchema,
  maxTokens: z.int().min(1).max(1_000_000).optional().describe('Most tokens of one reply.'),
  structured: z
    .enum(['schema', 'object', 'text'])
    .default('schema')
    .describe(
      'How the provider is made to reply with data: by a JSON schema, with any object, or only by being asked.',
    ),
});

/** Own keys of agents of the runtime `anthropic`. */
export const anthropicSettingsSchema = z.strictObject({
  baseUrl: baseUrlSchema.default('https://api.anthropic.com').describe('Where the provider is.'),
  apiKey: apiKeySchema.describe('The key, as {{secrets.NAME}}; absent = {{secrets.ANTHROPIC_API_KEY}}.'),
  headers: headersSchema,
  temperature: temperatureSchema,
  maxTokens: z.int().min(1).max(1_000_000).default(8_192).describe('Most tokens of one reply.'),
  structured: z
    .enum(['tool', 'text'])
    .default('tool')
    .describe('How it is made to reply with data: by a tool that it must call, or only by being asked.'),
});

/** Own keys of agents of the runtime `program`. */
export const programSettingsSchema = z.strictObject({
  command: z
    .tuple([z.string().min(1).max(1_000)], z.string().max(10_000))
    .refine((argv) => argv.length <= 100, {
      error: withFix('These are too many arguments.', 'Write at most 99.'),
    })
    .describe(
      'The program and its arguments, one each; no shell reads them. It gets the prompt on its standard input.',
    ),
  env: secretTexts(/^[A-Za-z_][A-Za-z0-9_]*$/, 'This is no name of a variable.').describe(
    'What its environment holds beside PATH, HOME, LANG and the like; secrets as {{secrets.NAME}}.',
  ),
  passEnv: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'This is no name of a variable.'))
    .max(50)
    .default([])
    .describe("Variables of Flowbot's own environment that it gets, too."),
});

export type OpenAiSettings = z.output<typeof openAiSettingsSchema>;
export type AnthropicSettings = z.output<typeof anthropicSettingsSchema>;
export type ProgramSettings = z.output<typeof programSettingsSchema>;
