import { z } from 'zod';
import { type Incoming, ignored } from './incoming.ts';
import { readEvent } from './parse-event.ts';
import { readClick, readCommand, readShortcut, readSubmit } from './parse-interaction.ts';

/**
 * Reads what Slack sent over either transport. Whatever it is not sure about is ignored.
 *
 * @param team our workspace: an app that is installed in several gets the events of all of them.
 */
export function parseIncoming(body: unknown, team: string): Incoming {
  const envelope = envelopeShape.parse(body);
  if ((installedIn(envelope) ?? team) !== team) return ignored;
  switch (envelope.type) {
    case 'event_callback':
      return readEvent(envelope.event);
    case 'block_actions':
      return readClick(body);
    case 'view_submission':
      return readSubmit(body);
    case 'shortcut':
    case 'message_action':
      return readShortcut(body);
    default:
      return readCommand(body);
  }
}

// Of what comes most, each kind is told from the others by one look: failed attempts are slow.
const envelopeShape = z
  .object({
    type: z.string().optional(),
    event: z.unknown().optional(),
    team_id: z.string().nullish(),
    authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
    view: z.object({ app_installed_team_id: z.string().nullish() }).nullish(),
  })
  .catch({ type: 'unknown' });

/**
 * The workspace whose installation is meant, as far as it is said. People of other organisations press buttons in
 * channels that are shared with them, so nothing that tells who they are tells that.
 */
function installedIn(envelope: z.infer<typeof envelopeShape>): string | undefined {
  const { authorizations, view, team_id: outer } = envelope;
  return authorizations?.[0]?.team_id ?? view?.app_installed_team_id ?? outer ?? undefined;
}
