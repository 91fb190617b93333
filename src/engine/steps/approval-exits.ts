import type { ApprovalConfig } from './approval-schema.ts';

/** The exit of an approval that nobody has decided in time, unless the flow names another. */
export const EXPIRED = 'expired';

/** The exits of an approval. What people agree to comes first: it is followed when a flow has no edges. */
export function exitsOf({ actions, expiresAfter, onExpire }: ApprovalConfig): readonly string[] {
  const ids = actions.map(({ id }) => id);
  const main = ids.includes('approve') ? 'approve' : ids.find((id) => id !== 'reject');
  const ordered = [...ids].sort((one, other) => Number(other === main) - Number(one === main));
  const expires = expiresAfter !== undefined && (onExpire?.exit ?? EXPIRED) === EXPIRED;
  return [...ordered.map(exitOfAction), ...(expires ? [EXPIRED] : [])];
}

/** The exit by which an approval leaves when an action has decided it. */
export function exitOfAction(action: string): string {
  switch (action) {
    case 'approve':
      return 'approved';
    case 'reject':
      return 'rejected';
    default:
      return action;
  }
}

/** Whether leaving by an exit ends the run when no edge takes it up: it must not go on as if it had been approved. */
export function needsEdge(exit: string): boolean {
  return exit === 'rejected' || exit === EXPIRED;
}
