import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import type { Access, ServerAccess } from './access.ts';

/** Most servers, and most tools of one, that an agent names. */
const SERVERS_MAX = 50;
const TOOLS_MAX = 200;

const permissionSchema = z.enum(['allow', 'ask', 'deny']);

const toolNameSchema = z.string().min(1).max(200);

const serverAccessSchema = z
  .strictObject({
    readOnly: z.boolean().default(false).describe('Only tools that say they change nothing.'),
    tools: z
      .record(toolNameSchema, permissionSchema)
      .refine((tools) => Object.keys(tools).length <= TOOLS_MAX, {
        error: withFix(`These are more than ${TOOLS_MAX} tools.`, 'Write others: for the rest.'),
      })
      .default({})
      .describe('What may be done with each tool, by name; ask = people are asked about each call.'),
    others: permissionSchema.default('deny').describe('The same for tools that are not named.'),
  })
  .refine(({ tools, others }) => [...Object.values(tools), others].some((one) => one !== 'deny'), {
    error: withFix(
      'This allows no tool.',
      'Name tools under tools:, write others: allow or others: ask, or remove the server.',
    ),
  })
  .transform(
    ({ readOnly, tools, others }): ServerAccess => ({
      readOnly,
      tools: new Map(Object.entries(tools)),
      others,
    }),
  );

const listedToolsSchema = z
  .array(toolNameSchema)
  .min(1)
  .max(TOOLS_MAX)
  .transform(
    (names): ServerAccess => ({
      readOnly: false,
      tools: new Map(names.map((name) => [name, 'allow'])),
      others: 'deny',
    }),
  );

/** Which tools of MCP servers an agent may call, by server: all rules, or a list of those that are allowed. */
export const accessSchema = z
  .record(
    z.string().min(1).max(64),
    z.union([listedToolsSchema, serverAccessSchema], {
      error: withFix(
        'This says nothing about tools.',
        'Write a list of those that it may call, or { tools: { name: ask }, others: deny }.',
      ),
    }),
  )
  .refine((servers) => Object.keys(servers).length <= SERVERS_MAX, {
    error: withFix(`These are more than ${SERVERS_MAX} servers.`, 'Divide the work among several agents.'),
  })
  .transform((servers): Access => new Map(Object.entries(servers)));
