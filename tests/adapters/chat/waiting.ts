import type { MessageRef, Place } from '../../../src/engine/people.ts';
import type { ChatPlatform } from '../../contracts/chat.ts';

/** A stand-in for a platform, as far as waiting for the bot goes. */
export interface Watched extends Pick<ChatPlatform, 'messages'> {
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  quiet(): Promise<void>;
}

/** The newest message of a place that has a button of this label, once it is there, with the button's id. */
export async function onceAsked(
  platform: Watched,
  place: Place,
  label: string,
): Promise<{ readonly message: MessageRef; readonly button: string }> {
  const newest = async () =>
    (await platform.messages(place))
      .flatMap(({ ref, buttons }) =>
        buttons.filter((button) => button.label === label).map(({ id }) => ({ message: ref, button: id })),
      )
      .at(-1);
  let asked = await newest();
  await platform.until(async () => {
    asked ??= await newest();
    return asked !== undefined;
  });
  if (asked === undefined) throw new Error(`nobody was asked to ${label}`);
  return asked;
}

/** Resolves with the texts of a place when one of them has these words and nothing more happens. */
export async function onceShown(platform: Watched, place: Place, words: string): Promise<readonly string[]> {
  const texts = async () => (await platform.messages(place)).map(({ text }) => text);
  await platform.until(async () => (await texts()).some((text) => text.includes(words)));
  await platform.quiet();
  return texts();
}
