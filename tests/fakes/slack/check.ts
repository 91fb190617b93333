import { z } from 'zod';
import { type Block, messageBlock, viewBlock } from './blocks.ts';
import { SlackError } from './errors.ts';
import { plainText } from './objects.ts';

/** What blocks may name. */
export interface Known {
  user(id: string): boolean;
  group(id: string): boolean;
  channel(id: string): boolean;
  /** A complete file that is a picture. */
  picture(id: string): boolean;
}

/** Slack refuses messages whose blocks are longer, as JSON, although each block is legal. */
const totalMax = 13_200;
const markdownMax = 12_000;

/** The blocks of a message. Throws `invalid_blocks`, `msg_blocks_too_long` or `invalid_blocks_format`. */
export function checkBlocks(value: unknown, known: Known): Block[] {
  if (!Array.isArray(value)) throw new SlackError('invalid_blocks_format');
  if (JSON.stringify(value).length > totalMax) throw new SlackError('msg_blocks_too_long');
  const read = messageBlocks.safeParse(value);
  if (!read.success) throw new SlackError('invalid_blocks', messagesOf(read.error, '/blocks'));
  const strangers = unknownNames(value, known, '/blocks');
  if (strangers.length > 0) throw new SlackError('invalid_blocks', strangers);
  return read.data;
}

/** A modal or Home view. Throws `invalid_arguments`. */
export function checkView(value: unknown, type: 'modal' | 'home', known: Known): View {
  const read = (type === 'modal' ? modal : home).safeParse(value);
  if (!read.success) throw new SlackError('invalid_arguments', messagesOf(read.error, '/view'));
  const strangers = unknownNames(value, known, '/view');
  if (strangers.length > 0) throw new SlackError('invalid_arguments', strangers);
  return read.data;
}

const uniqueIds = (blocks: readonly { readonly block_id?: string | undefined }[]) => {
  const ids = blocks.flatMap(({ block_id }) => block_id ?? []);
  return new Set(ids).size === ids.length;
};
const uniqueRule = 'block_id must be unique';

const messageBlocks = z
  .array(messageBlock)
  .max(50, 'no more than 50 items allowed')
  .refine(uniqueIds, uniqueRule)
  .refine((blocks) => blocks.filter(({ type }) => type === 'table').length <= 1, 'only_one_table_allowed')
  .refine(
    (blocks) =>
      blocks.reduce((sum, block) => sum + (block.type === 'markdown' ? block.text.length : 0), 0) <=
      markdownMax,
    `markdown blocks must not be longer than ${markdownMax} characters together`,
  );

const viewBlocks = z
  .array(viewBlock)
  .max(100, 'no more than 100 items allowed')
  .refine(uniqueIds, uniqueRule);
const inEveryView = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
};
const modal = z
  .strictObject({
    type: z.literal('modal'),
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    ...inEveryView,
  })
  .refine(
    ({ blocks, submit }) => submit !== undefined || !blocks.some(({ type }) => type === 'input'),
    'submit is required when an input is within the blocks',
  );
const home = z.strictObject({ type: z.literal('home'), ...inEveryView });

/** A checked view. */
export type View = z.infer<typeof modal> | z.infer<typeof home>;

function messagesOf(error: z.ZodError, root: string): string[] {
  return error.issues.map(
    ({ message, path }) => `[ERROR] ${message} [json-pointer:${[root, ...path].join('/')}]`,
  );
}

/** What is named but isn't there, with its place. */
function unknownNames(value: unknown, known: Known, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => unknownNames(each, known, `${at}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): string[] => {
    const here = `${at}/${key}`;
    if (key === 'slack_file') {
      const id = typeof inner === 'object' && inner !== null && 'id' in inner ? inner.id : undefined;
      const fine = typeof id !== 'string' || known.picture(id);
      return fine ? [] : [`[ERROR] invalid slack file [json-pointer:${here}]`];
    }
    if (typeof inner !== 'string') return unknownNames(inner, known, here);
    const isKnown = lookUps[key]?.(known, inner) ?? true;
    return isKnown ? [] : [`[ERROR] invalid ${key}: ${inner} [json-pointer:${here}]`];
  });
}

const lookUps: Readonly<Record<string, (known: Known, id: string) => boolean>> = {
  user_id: (known, id) => known.user(id),
  initial_user: (known, id) => known.user(id),
  usergroup_id: (known, id) => known.group(id),
  channel_id: (known, id) => known.channel(id),
  initial_channel: (known, id) => known.channel(id),
  initial_conversation: (known, id) => known.channel(id),
};
