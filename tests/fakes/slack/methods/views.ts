import { checkView, type View } from '../check.ts';
import { SlackError } from '../errors.ts';
import { viewWire } from '../messages.ts';
import type { Args, Method } from '../method.ts';
import { knownIn, type OpenView, type Workspace } from '../workspace.ts';

const triggerLifeMs = 3000;
const stackMax = 3;

/** Methods that show modals and Home. */
export const viewMethods: Readonly<Record<string, Method>> = {
  'views.open': {
    args: ['trigger_id', 'view'],
    required: ['trigger_id', 'view'],
    run(args, workspace) {
      const view = readView(args, workspace, 'modal');
      const person = useTrigger(workspace, args.need('trigger_id'));
      const opened = openedView(workspace, view);
      workspace.modals.set(person, [opened]);
      return { view: viewWire(workspace, opened) };
    },
  },
  'views.push': {
    args: ['trigger_id', 'view'],
    required: ['trigger_id', 'view'],
    run(args, workspace) {
      const view = readView(args, workspace, 'modal');
      const person = useTrigger(workspace, args.need('trigger_id'));
      const opened = pushView(workspace, person, view);
      return { view: viewWire(workspace, opened, workspace.modals.get(person)) };
    },
  },
  'views.update': {
    args: ['view_id', 'external_id', 'view', 'hash'],
    required: ['view'],
    run(args, workspace) {
      const found = findModal(workspace, args.text('view_id'), args.text('external_id'));
      if (found === undefined) throw new SlackError('not_found');
      const view = readView(args, workspace, 'modal');
      replaceView(workspace, found.open, view, args.text('hash'));
      return { view: viewWire(workspace, found.open, found.stack) };
    },
  },
  'views.publish': {
    args: ['user_id', 'view', 'hash'],
    required: ['user_id', 'view'],
    run(args, workspace) {
      const person = args.need('user_id');
      if (!workspace.users.has(person)) {
        throw new SlackError('invalid_arguments', ['[ERROR] invalid user_id [json-pointer:/user_id]']);
      }
      const view = readView(args, workspace, 'home');
      const home = workspace.homes.get(person) ?? openedView(workspace, view);
      replaceView(workspace, home, view, args.text('hash'));
      workspace.homes.set(person, home);
      return { view: viewWire(workspace, home) };
    },
  },
};

/** Puts a modal over those a person has open. Throws `push_limit_reached`, or `not_found` when none is open. */
export function pushView(workspace: Workspace, person: string, view: View): OpenView {
  const stack = workspace.modals.get(person) ?? [];
  if (stack.length === 0) throw new SlackError('not_found');
  if (stack.length >= stackMax) throw new SlackError('push_limit_reached');
  const opened = openedView(workspace, view);
  workspace.modals.set(person, [...stack, opened]);
  return opened;
}

/** Shows something else in an open view. Throws `hash_conflict` when the view has changed since. */
export function replaceView(workspace: Workspace, open: OpenView, view: View, hash?: string): void {
  if (hash !== undefined && hash !== open.hash) throw new SlackError('hash_conflict');
  open.view = withIds(workspace, view);
  open.errors = {};
  open.hash = workspace.nextId(`${Math.floor(workspace.nowMs() / 1000)}.h`);
}

/** A view that is shown for the first time. */
export function openedView(workspace: Workspace, view: View): OpenView {
  const hash = workspace.nextId(`${Math.floor(workspace.nowMs() / 1000)}.h`);
  return { id: workspace.nextId('V'), hash, view: withIds(workspace, view), errors: {} };
}

/** Blocks without an id get one. */
function withIds(workspace: Workspace, view: View): View {
  const blocks = view.blocks.map((block) => ({
    ...block,
    block_id: block.block_id ?? workspace.nextId('b'),
  }));
  return { ...view, blocks };
}

function readView(args: Args, workspace: Workspace, type: 'modal' | 'home'): View {
  return checkView(args.json('view'), type, knownIn(workspace));
}

function useTrigger(workspace: Workspace, id: string): string {
  const trigger = workspace.triggers.get(id);
  if (trigger === undefined) throw new SlackError('invalid_trigger_id');
  if (trigger.used) throw new SlackError('exchanged_trigger_id');
  if (workspace.nowMs() - trigger.atMs > triggerLifeMs) throw new SlackError('expired_trigger_id');
  trigger.used = true;
  return trigger.person;
}

function findModal(
  { modals }: Workspace,
  viewId: string | undefined,
  externalId: string | undefined,
): { readonly open: OpenView; readonly stack: readonly OpenView[] } | undefined {
  for (const stack of modals.values()) {
    const open = stack.find(({ id, view }) =>
      viewId === undefined ? externalId !== undefined && view.external_id === externalId : id === viewId,
    );
    if (open) return { open, stack };
  }
  return undefined;
}
