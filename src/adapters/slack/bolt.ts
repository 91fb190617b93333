import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { silentLogger } from './logger.ts';

/** Takes what Slack sent. Resolves when it was acknowledged; a rejection makes Slack send it again. */
export type Take = (event: ReceiverEvent) => Promise<void>;

/**
 * A Bolt app that hands everything its receivers get straight to `take`. Bolt itself would acknowledge events before
 * anybody had kept them, and a crash would lose them.
 *
 * @see https://github.com/slackapi/bolt-js/issues/2788
 */
export class DurableApp extends App {
  readonly #take: Take;

  constructor(receiver: Receiver, take: Take) {
    super({ receiver, authorize: async () => ({}), logger: silentLogger, convoStore: false });
    this.#take = take;
  }

  override processEvent(event: ReceiverEvent): Promise<void> {
    return this.#take(event);
  }
}
