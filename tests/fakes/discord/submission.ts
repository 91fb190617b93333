import type { FieldFiles, GivenFile } from '../../contracts/chat-harness.ts';
import { componentTypes } from './limits.ts';
import { attachmentWire, channelWire, memberWire, roleWire, userOf } from './payloads.ts';
import { isWire, numberOf, textOf, textsOf, type Wire, wiresOf } from './wire.ts';
import type { World } from './world.ts';

/** A form as it is sent, or why it can't be. */
export type Filled =
  | { readonly kind: 'filled'; readonly components: readonly Wire[]; readonly resolved: Wire | undefined }
  | { readonly kind: 'incomplete'; readonly why: string };

/** What is named in a submission, by kind and id. */
type Resolved = Record<string, Record<string, unknown>>;

/** Fills in a form as a client does, which does not send what breaks the rules of its fields. */
export function filledIn(
  world: World,
  components: readonly Wire[],
  values: Readonly<Record<string, string>>,
  files: FieldFiles,
): Filled {
  const resolved: Resolved = {};
  const sent: Wire[] = [];
  const known = components.flatMap(({ component }) =>
    isWire(component) ? [textOf(component.custom_id)] : [],
  );
  const foreign = [...Object.keys(values), ...Object.keys(files)].find((id) => !known.includes(id));
  if (foreign !== undefined) throw new Error(`the form has no field ${foreign}, but ${known.join(', ')}`);
  for (const { type, id, component, label } of components) {
    if (!isWire(component)) {
      sent.push({ type, id });
      continue;
    }
    const key = textOf(component.custom_id);
    const field = fill(world, component, values[key], files[key] ?? [], resolved);
    if (typeof field === 'string') return { kind: 'incomplete', why: `${textOf(label)}: ${field}` };
    sent.push({ type, id, component: { type: component.type, id: component.id, custom_id: key, ...field } });
  }
  return {
    kind: 'filled',
    components: sent,
    resolved: Object.keys(resolved).length > 0 ? resolved : undefined,
  };
}

/** The value of a field; a sentence when it can't be sent. */
function fill(
  world: World,
  field: Wire,
  given: string | undefined,
  files: readonly GivenFile[],
  resolved: Resolved,
): Wire | string {
  const isRequired = field.required !== false;
  switch (field.type) {
    case componentTypes.textInput: {
      const value = given ?? textOf(field.value);
      if (value === '') return isRequired ? 'This field is required' : { value };
      const { min_length = 0, max_length = 4000 } = field;
      const isFitting = value.length >= numberOf(min_length) && value.length <= numberOf(max_length);
      return isFitting ? { value } : `Must be between ${min_length} and ${max_length} in length.`;
    }
    case componentTypes.stringSelect:
    case componentTypes.checkboxGroup: {
      const options = wiresOf(field.options);
      const chosen =
        given === undefined ? options.filter((each) => each.default === true) : chosenOf(options, given);
      return counted(
        field,
        chosen.map(({ value }) => value),
        isRequired,
      );
    }
    case componentTypes.radioGroup: {
      const options = wiresOf(field.options);
      const [chosen] =
        given === undefined ? options.filter((each) => each.default === true) : chosenOf(options, given);
      if (chosen === undefined && isRequired) return 'This field is required';
      return { value: chosen?.value ?? null };
    }
    case componentTypes.checkbox:
      return { value: given === undefined ? field.default === true : given === 'true' };
    case componentTypes.userSelect:
    case componentTypes.roleSelect:
    case componentTypes.mentionableSelect:
    case componentTypes.channelSelect: {
      const standard = wiresOf(field.default_values).map(({ id }) => textOf(id));
      const ids = given === undefined ? standard : listed(given);
      for (const id of ids) resolve(world, id, resolved);
      return counted(field, ids, isRequired);
    }
    case componentTypes.fileUpload: {
      const ids = files.map(({ name, type, bytes }) => {
        const id = world.nextId();
        const attachment = { id, filename: name, description: undefined, contentType: type, bytes };
        world.attachments.set(id, attachment);
        add(resolved, 'attachments', id, { ...attachmentWire(world, attachment), ephemeral: true });
        return id;
      });
      return counted(field, ids, isRequired);
    }
    default:
      throw new Error(`a form can't have a component of type ${String(field.type)}`);
  }
}

/** People see labels; values are as good. */
function chosenOf(options: readonly Wire[], given: string): readonly Wire[] {
  return listed(given).map((each) => {
    const found = options.find(({ value }) => value === each) ?? options.find(({ label }) => label === each);
    if (found === undefined) throw new Error(`there is no choice ${each}`);
    return found;
  });
}

/** One value, or a JSON list of them. */
function listed(given: string): readonly string[] {
  if (given === '') return [];
  if (!given.startsWith('[')) return [given];
  const read: unknown = JSON.parse(given);
  return textsOf(read);
}

function counted(field: Wire, values: readonly unknown[], isRequired: boolean): Wire | string {
  if (values.length === 0) return isRequired ? 'This field is required' : { values };
  const { min_values = 1, max_values = field.type === componentTypes.checkboxGroup ? 10 : 1 } = field;
  const isFitting = values.length >= numberOf(min_values) && values.length <= numberOf(max_values);
  return isFitting ? { values } : `Choose between ${min_values} and ${max_values}.`;
}

function resolve(world: World, id: string, resolved: Resolved): void {
  const channel = world.channels.get(id);
  if (channel) add(resolved, 'channels', id, { ...channelWire(world, channel), permissions: '0' });
  for (const { members, roles } of world.guilds.values()) {
    const member = members.get(id);
    const role = roles.get(id);
    if (member) add(resolved, 'members', id, { ...memberWire(member), permissions: '0' });
    if (role) add(resolved, 'roles', id, roleWire(role, 1));
  }
  if (world.users.has(id)) add(resolved, 'users', id, userOf(world, id));
}

function add(resolved: Resolved, kind: string, id: string, value: Wire): void {
  resolved[kind] = { ...resolved[kind], [id]: value };
}
