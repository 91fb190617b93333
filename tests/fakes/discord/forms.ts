import type { Person, Place } from '../../../src/engine/people.ts';
import type { FieldFiles, SeenForm } from '../../contracts/chat-harness.ts';
import { keptComponents } from './components.ts';
import type { Hands } from './hands.ts';
import { componentTypes, messageFlags } from './limits.ts';
import { messageWire } from './payloads.ts';
import type { Places } from './places.ts';
import { filledIn } from './submission.ts';
import { isWire, textOf, type Wire, wiresOf } from './wire.ts';
import type { OpenModal, World } from './world.ts';

/** What people do with forms. Each resolves when the bot has answered and is quiet. */
export interface Forms {
  /** Sends the form that the person has open; made up when none is open. `files`: what is added, by field. */
  submit(
    person: Person,
    place: Place,
    form: string,
    values: Readonly<Record<string, string>>,
    files?: FieldFiles,
  ): Promise<void>;
  /** Closes the form without sending it. Nobody is told. */
  closeForm(person: Person): void;
  form(person: Person): Promise<SeenForm | undefined>;
}

/** Makes it. */
export function createForms(options: {
  readonly world: World;
  readonly places: Places;
  readonly hands: Hands;
}): Forms {
  const { world, hands } = options;

  return {
    async submit(person, place, form, values, files = {}) {
      const open = world.modals.get(person.id) ?? madeUp(options.places.channelOf(place).id, form, values);
      const channel = world.channels.get(open.channelId);
      if (channel === undefined) throw new Error('the channel of the form is gone');
      const filled = filledIn(world, keptComponents(world, open.components, []), values, files);
      if (filled.kind === 'incomplete') {
        hands.trouble(person, filled.why);
        return;
      }
      world.modals.delete(person.id);
      const { source } = open;
      const isPrivate = source?.onlyFor !== undefined;
      await hands.interact({
        person,
        channel,
        kind: 'modal',
        data: { custom_id: open.customId, components: filled.components, resolved: filled.resolved },
        source,
        message:
          source &&
          messageWire(world, source, { flags: source.flags | (isPrivate ? messageFlags.ephemeral : 0) }),
      });
    },
    closeForm: (person) => void world.modals.delete(person.id),
    async form(person) {
      const open = world.modals.get(person.id);
      if (open === undefined) return undefined;
      return { id: open.customId, title: open.title, fields: open.components.flatMap(seenField), errors: {} };
    },
  };
}

function seenField({ label, component, type }: Wire): SeenForm['fields'] {
  if (type !== componentTypes.label || !isWire(component)) return [];
  // A box that need not be ticked is never missing.
  const standard = component.type !== componentTypes.checkbox;
  const required = typeof component.required === 'boolean' ? component.required : standard;
  return [{ id: textOf(component.custom_id), label: textOf(label), required }];
}

/** A form as the bot would have made it, when none is open: an old one, or one that somebody invented. */
function madeUp(channelId: string, customId: string, values: Readonly<Record<string, string>>): OpenModal {
  return {
    customId,
    title: 'Made up',
    channelId,
    source: undefined,
    components: wiresOf(
      Object.keys(values).map((id) => ({
        type: componentTypes.label,
        label: id,
        component: { type: componentTypes.textInput, custom_id: id, style: 1, required: false },
      })),
    ),
  };
}
