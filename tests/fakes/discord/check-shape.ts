import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type BodyFault, inside } from './check-faults.ts';
import { type Loose, list, loose } from './tree.ts';

/** A schema of Discord's OpenAPI document, or one of those below that are put together from several. */
export type SchemaName =
  | 'MessageCreateRequest'
  | 'MessageEditRequestPartial'
  | 'IncomingWebhookRequestPartial'
  | 'IncomingWebhookUpdateRequestPartial'
  | 'CreateTextThreadWithMessageRequest'
  | 'CreateTextThreadWithoutMessageRequest'
  | 'CreateForumThreadRequest'
  | 'CreatePrivateChannelRequest'
  | 'InteractionCallback'
  | 'Commands'
  | 'ChannelEdit';

/**
 * What the document has against a body. A property that it does not know is a fault at every level: Discord would
 * drop it without a word.
 */
export function shapeFaults(name: SchemaName, body: unknown): readonly BodyFault[] {
  const validate = validatorOf(name);
  if (validate(body)) return [];
  return readable(validate.errors ?? []);
}

const prefix = '#/components/schemas/';
const validators = new Map<SchemaName, ValidateFunction>();
let shared: Ajv2020 | undefined;

/** Reading the document and compiling take long: once, and only what is used. */
function validatorOf(name: SchemaName): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  shared ??= schemas();
  const validate = shared.compile({ $ref: `discord${prefix}${name}` });
  validators.set(name, validate);
  return validate;
}

function schemas(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, formats });
  const text = readFileSync(new URL('openapi/discord-openapi.json', import.meta.url), 'utf8');
  const known = loose(loose(loose(JSON.parse(text)).components).schemas);
  const amended = amend({ ...known, ...assembled, ...corrections(known) }, known);
  ajv.addSchema({ components: { schemas: amended } }, 'discord');
  return ajv;
}

const refTo = (name: string) => ({ $ref: prefix + name });

const assembled = {
  InteractionCallback: {
    oneOf: [
      refTo('ApplicationCommandAutocompleteCallbackRequest'),
      refTo('CreateMessageInteractionCallbackRequest'),
      refTo('ModalInteractionCallbackRequest'),
      refTo('UpdateMessageInteractionCallbackRequest'),
    ],
  },
  Commands: { type: 'array', items: refTo('ApplicationCommandUpdateRequest') },
  ChannelEdit: { anyOf: [refTo('UpdateThreadRequestPartial'), refTo('UpdateGuildChannelRequestPartial')] },
};

/** Where the documentation says something else than the document, the documentation is right. */
function corrections(known: Loose): Loose {
  const command = loose(known.ApplicationCommandUpdateRequest);
  const attachment = loose(known.MessageAttachmentRequest);
  return {
    // @see https://docs.discord.com/developers/interactions/application-commands: a bit set, written as text
    ApplicationCommandUpdateRequest: withProperty(command, 'default_member_permissions', {
      type: ['string', 'null'],
      pattern: '^\\d+$',
    }),
    // @see https://docs.discord.com/developers/reference#uploading-files: new files are numbered
    MessageAttachmentRequest: withProperty(attachment, 'id', {
      type: ['string', 'integer'],
      pattern: '^\\d+$',
    }),
  };
}

function withProperty(schema: Loose, name: string, property: Loose): Loose {
  return { ...schema, properties: { ...loose(schema.properties), [name]: property } };
}

/** The same schema, but strict about properties, and with unions that say which member is meant. */
function amend(schema: unknown, known: Loose): unknown {
  if (Array.isArray(schema)) return schema.map((each) => amend(each, known));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { oneOf, ...others } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, amend(value, known)]),
  );
  return {
    ...('properties' in others && others.type === 'object' && { additionalProperties: false }),
    ...others,
    ...(oneOf !== undefined && unionOf(list(oneOf).map(loose), known)),
  };
}

/** With `oneOf` every member complains when none fits: as far as possible, only the one that is meant does. */
function unionOf(members: readonly Loose[], known: Loose): Loose {
  const others = members.filter(({ type }) => type !== 'null');
  const union = byType(others, known) ?? (others.length === 1 ? others[0] : undefined) ?? { anyOf: others };
  if (others.length === members.length) return union;
  return { if: { type: 'null' }, else: union };
}

/** The union of members that are told apart by their `type`; undefined = these aren't. */
function byType(members: readonly Loose[], known: Loose): Loose | undefined {
  const tags = members.map(({ $ref }) => {
    const member = typeof $ref === 'string' ? loose(known[$ref.slice(prefix.length)]) : {};
    return list(loose(loose(member.properties).type).enum);
  });
  if (members.length < 2 || tags.some((tag) => tag.length === 0)) return undefined;
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { enum: tags.flat() } },
    allOf: members.map((member, index) => ({
      if: { required: ['type'], properties: { type: { enum: tags[index] } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: member,
    })),
  };
}

const integers = { type: 'number', validate: (value: number) => Number.isInteger(value) } as const;
const formats = {
  int32: {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31,
  },
  int64: integers,
  double: { type: 'number', validate: Number.isFinite },
  snowflake: /^\d{1,20}$/,
  nonce: /^.{1,25}$/su,
  uri: URL.canParse,
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
} as const;

/** Without what only follows from other errors; a wrong type behind the others, as it comes from members not meant. */
function readable(errors: readonly ErrorObject[]): readonly BodyFault[] {
  const told = errors.filter(({ keyword }) => !['oneOf', 'anyOf', 'if'].includes(keyword));
  const isType = ({ keyword }: ErrorObject) => keyword === 'type';
  return [...told.filter((error) => !isType(error)), ...told.filter(isType)].map(faultOf);
}

function faultOf({ instancePath, keyword, message, params }: ErrorObject): BodyFault {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const { missingProperty, additionalProperty, allowedValues } = loose(params);
  if (keyword === 'required' && typeof missingProperty === 'string')
    return { path: inside(path, missingProperty), message: 'This is required.' };
  if (keyword === 'additionalProperties' && typeof additionalProperty === 'string')
    return { path: inside(path, additionalProperty), message: 'Discord does not know this property.' };
  if (keyword === 'enum') return { path, message: `This must be one of ${list(allowedValues).join(', ')}.` };
  return { path, message: `This ${message ?? 'is wrong'}.` };
}
