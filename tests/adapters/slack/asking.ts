import type { Person } from '../../../src/engine/people.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import type { Transport } from './harness.ts';
import { type Live, onceAsked, openLive } from './live.ts';

/** A flow that asks before it posts. @param approvers further keys of the question */
export const release = (approvers = '') => `
name: Release
triggers: [{ type: command, command: release }, { type: manual }]
steps:
  review: { type: approval, title: Publish?${approvers} }
  publish: { type: message, to: "#releases", text: Published }
edges:
  - review.approved -> publish
`;

/** A run that waits for an answer. @param prepare what is done to the workspace before */
export async function asking(transport: Transport, approvers = '', prepare = (_: SlackStandIn) => {}) {
  const { slack, live } = await openLive(transport, { release: release(approvers) });
  prepare(slack);
  const asked = await slack.say(slack.people.ana, slack.channel, '!release');
  const thread = { ...slack.channel, thread: asked.id };
  const { message, button: approve } = await onceAsked(slack, thread, 'Approve');
  const { button: reject } = await onceAsked(slack, thread, 'Reject');
  await slack.quiet();
  return { slack, live, thread, message, approve, reject };
}

/** The newest run. */
export async function runOf(live: Live) {
  const [run] = await live.flowbot.bot.store.runs({ limit: 10 });
  if (!run) throw new Error('there is no run');
  return run;
}

/** How often its questions were answered. */
export async function decisions(live: Live): Promise<number> {
  const journal = await live.flowbot.bot.store.journal((await runOf(live)).id);
  return journal.filter(({ type }) => type === 'question.answered').length;
}

/** What a person was shown last, and only they. */
export const lastPrivate = async (slack: SlackStandIn, person: Person) =>
  (await slack.privates(person)).at(-1);
