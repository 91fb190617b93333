import type { Person, Place } from '../../../src/engine/people.ts';
import type { FieldFiles, SeenForm } from '../../contracts/chat-harness.ts';
import type { Activity } from '../activity.ts';
import { checkView } from './check.ts';
import type { Delivery } from './delivery.ts';
import type { Hands } from './hands.ts';
import { viewWire } from './messages.ts';
import { addUpload, fileWire } from './methods/files.ts';
import { openedView, pushView, replaceView } from './methods/views.ts';
import { type FieldWires, fillIn, madeUpState, type Values } from './submission.ts';
import { isWire } from './wire.ts';
import { knownIn, type OpenView, type Workspace } from './workspace.ts';

/** What people do with forms. Each resolves when the bot has answered and is quiet. */
export interface Forms {
  /** Sends the topmost open form of that id; made up when none is open. */
  submit(person: Person, place: Place, form: string, values: Values, files?: FieldFiles): Promise<void>;
  /** Closes the visible form. */
  closeForm(person: Person): Promise<void>;
  form(person: Person): Promise<SeenForm | undefined>;
}

const noAnswer = 'We had some trouble connecting. Try again?';

/** Makes it. */
export function createForms(options: {
  readonly workspace: Workspace;
  readonly delivery: Delivery;
  readonly activity: Activity;
  readonly hands: Hands;
}): Forms {
  const { workspace, delivery, activity } = options;
  const { common, triggerFor, interact, trouble } = options.hands;

  function topForm(person: Person, id?: string): OpenView | undefined {
    return workspace.modals
      .get(person.id)
      ?.findLast(({ view }) => id === undefined || view.callback_id === id);
  }

  function pop(person: Person): void {
    workspace.modals.set(person.id, workspace.modals.get(person.id)?.slice(0, -1) ?? []);
  }

  /** Files are with Slack before the form is sent. */
  function uploaded(person: Person, files: FieldFiles): FieldWires {
    const wires = Object.entries(files).map(([field, added]) => [
      field,
      added.map((file) => fileWire(workspace, addUpload(workspace, file, person.id))),
    ]);
    return Object.fromEntries(wires);
  }

  /** Does what the answer to a submission says. Throws when Slack can't. */
  function follow(person: Person, open: OpenView | undefined, response: unknown): void {
    const { response_action, errors, view } = isWire(response) ? response : {};
    switch (response_action) {
      case undefined:
        if (open) pop(person);
        return;
      case 'clear':
        workspace.modals.delete(person.id);
        return;
      case 'errors':
        if (open) open.errors = fieldErrors(open, errors);
        return;
      case 'update':
        if (open) replaceView(workspace, open, checkView(view, 'modal', knownIn(workspace)));
        return;
      case 'push':
        pushView(workspace, person.id, checkView(view, 'modal', knownIn(workspace)));
        return;
      default:
        throw new Error(`there is no response_action ${String(response_action)}`);
    }
  }

  return {
    async submit(person, place, form, values, files = {}) {
      const open = topForm(person, form);
      const filled = open
        ? fillIn(open, values, uploaded(person, files))
        : ({ kind: 'filled', values: madeUpState(values) } as const);
      if (filled.kind === 'incomplete') {
        if (open) open.errors = filled.errors;
        return;
      }
      const view = viewWire(
        workspace,
        open ?? madeUpView(workspace, form, place, values),
        workspace.modals.get(person.id),
      );
      const receipt = await delivery.interaction(
        'interactive',
        {
          ...common(person, 'view_submission'),
          trigger_id: triggerFor(person),
          view: { ...view, state: { values: filled.values } },
          response_urls: [],
        },
        true,
      );
      try {
        if (receipt.kind === 'failed') trouble(person, noAnswer);
        else follow(person, open, receipt.response);
      } catch {
        trouble(person, noAnswer);
      }
      await activity.quiet();
    },

    async closeForm(person) {
      const open = topForm(person);
      if (open === undefined) return;
      const isHeard = open.view.type === 'modal' && open.view.notify_on_close === true;
      const view = viewWire(workspace, open, workspace.modals.get(person.id));
      pop(person);
      if (isHeard) await interact(person, { ...common(person, 'view_closed'), view, is_cleared: false });
    },

    async form(person) {
      const open = topForm(person);
      if (open?.view.type !== 'modal') return undefined;
      return {
        id: open.view.callback_id ?? '',
        title: open.view.title.text,
        fields: open.view.blocks.flatMap((block) =>
          block.type === 'input'
            ? [{ id: block.block_id ?? '', label: block.label.text, required: block.optional !== true }]
            : [],
        ),
        errors: open.errors,
      };
    },
  };
}

/** Sentences at fields. Throws when one is for something that is no field. */
function fieldErrors({ view }: OpenView, errors: unknown): Readonly<Record<string, string>> {
  if (!isWire(errors) || Object.keys(errors).length === 0) throw new Error('errors are missing');
  const fields = view.blocks.flatMap((block) => (block.type === 'input' ? [block.block_id] : []));
  return Object.fromEntries(
    Object.entries(errors).map(([id, sentence]) => {
      if (!fields.includes(id) || typeof sentence !== 'string') throw new Error(`${id} is no field`);
      return [id, sentence];
    }),
  );
}

/** A form as the bot would have made it, when none is open. */
function madeUpView(workspace: Workspace, form: string, place: Place, values: Values): OpenView {
  const text = (words: string) => ({ type: 'plain_text' as const, text: words || '-' });
  return openedView(workspace, {
    type: 'modal',
    callback_id: form,
    private_metadata: JSON.stringify({ c: place.conversation, t: place.thread }),
    title: text('Made up'),
    submit: text('Send'),
    blocks: Object.keys(values).map((id) => ({
      type: 'input' as const,
      block_id: id,
      label: text(id),
      element: { type: 'plain_text_input' as const, action_id: 'value' },
    })),
  });
}
