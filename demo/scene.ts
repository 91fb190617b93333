import type { Home, Running } from './flowbot.ts';
import { createPeople, type Message, type People } from './people.ts';
import { bodyText, hang, type Style } from './terminal.ts';

/** Something was not as it should be; the message says what, in a sentence. */
export class Surprise extends Error {
  override readonly name = 'Surprise';
}

/** A message of the bot, as the story needs it. */
interface Seen {
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

type IsIt = (text: string) => boolean;

/** A conversation with Flowbot. Everything that happens in it is printed; what should happen and doesn't rejects. */
export interface Scene {
  narrate(sentence: string): void;
  check(isRight: boolean, sentence: string): void;
  start(): Promise<void>;
  /** Kills Flowbot where it stands. */
  crash(): Promise<void>;
  stop(): Promise<void>;
  /** Somebody types; the result is the id of the message. */
  say(as: string, channel: string, text: string): Promise<string>;
  /** Somebody presses a button, and sends the form that it opens. */
  answer(as: string, card: Seen, label: string, comment?: string): Promise<void>;
  /** Waits for a reply of the bot in a thread; the newest that it is. */
  reply(root: string, what: string, isIt: IsIt): Promise<Seen>;
  replies(root: string): Promise<readonly Seen[]>;
  /** Waits for a post of the bot in a channel. */
  post(channel: string, what: string, isIt: IsIt): Promise<Seen>;
  /** How many posts of the bot a channel has. */
  posts(channel: string): Promise<number>;
  /** Shows the journal of a run, in which these words must stand in this order. */
  show(run: string, words: readonly string[]): Promise<void>;
}

/** Longest time that anything is waited for, in milliseconds. */
const deadlineMs = 15_000;

/** Makes a scene. It prints on standard output. */
export function createScene(home: Home, style: Style): Scene {
  let running: Running | undefined;
  let people: People | undefined;
  let news = Promise.withResolvers<void>();
  let channelAbove = '';
  /** What was printed of each message: of one that has changed, people want to see what is new. */
  const printed = new Map<string, readonly string[]>();

  const print = (text: string) => console.log(text);

  function narrate(sentence: string): void {
    channelAbove = '';
    print(`\n${style.dim('—')} ${style.bold(sentence)}`);
  }

  function printMessage(channel: string, name: string, text: string, depth: number): void {
    if (channelAbove !== channel) print(`\n${style.bold(`#${channel}`)}`);
    channelAbove = channel;
    const margin = '  '.repeat(depth);
    print(hang(text, `${margin}${style.bold(name.padEnd(8))} `, ' '.repeat(margin.length + 9)));
  }

  function printPost({ id, conversation, thread, body }: Message): void {
    const blocks = bodyText(body, style).split('\n\n');
    const before = printed.get(id);
    printed.set(id, blocks);
    const fresh = before ? blocks.filter((block) => !before.includes(block)) : blocks;
    const note = before ? style.dim('(changes what stands above) ') : '';
    printMessage(conversation, 'flowbot', note + fresh.join('\n\n'), thread === null ? 0 : 1);
  }

  function alive(): { readonly flowbot: Running; readonly at: People } {
    if (!running || !people) throw new Surprise('Flowbot should be running.');
    return { flowbot: running, at: people };
  }

  async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const { flowbot } = alive();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Surprise(`Waited ${deadlineMs / 1000} seconds in vain for ${what}.`)),
        deadlineMs,
      );
    });
    try {
      for (;;) {
        const next = news.promise;
        const found = await Promise.race([look(), late, flowbot.failure]);
        if (found !== undefined) return found;
        await Promise.race([next, late, flowbot.failure]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function replies(root: string): Promise<readonly Seen[]> {
    return (await alive().at.thread(root)).filter(isFromBot).map(seen);
  }

  return {
    narrate,
    check(isRight, sentence) {
      if (!isRight) throw new Surprise(sentence);
    },
    async start() {
      narrate('$ flowbot start');
      running = await home.start();
      people = createPeople(running.url);
      void people.listen(() => {
        news.resolve();
        news = Promise.withResolvers();
      });
      print(style.dim(running.greeting));
    },
    async crash() {
      const { flowbot } = alive();
      narrate(`$ kill -9 ${flowbot.pid}`);
      const how = await flowbot.end('SIGKILL');
      if (how !== 'SIGKILL') throw new Surprise(`Flowbot should have been killed, but it ended with ${how}.`);
      print(style.dim('Flowbot is gone while people still think.'));
    },
    async stop() {
      const how = await alive().flowbot.end('SIGTERM');
      if (how !== '0') throw new Surprise(`Flowbot should have stopped with exit code 0, but it was ${how}.`);
    },
    async say(as, channel, text) {
      const { at } = alive();
      printMessage(channel, nameOf(as), text, 0);
      await at.say(as, channel, text);
      const message = (await at.messages(channel)).findLast(({ body }) => bodyText(body) === text);
      if (!message) throw new Surprise(`${text} should stand in #${channel}.`);
      return message.id;
    },
    async answer(as, card, label, comment) {
      const button = card.buttons.find((one) => one.label === label);
      if (!button) throw new Surprise(`The question should have a button ${label}.`);
      const { at } = alive();
      const form = await at.press(as, card.id, button.id);
      if ((form !== undefined) !== (comment !== undefined)) {
        throw new Surprise(`${label} should ${comment === undefined ? 'not ask' : 'ask'} for a comment.`);
      }
      const said = comment === undefined ? '' : ` and writes: ${comment}`;
      printMessage(card.conversation, nameOf(as), style.dim(`presses [ ${label} ]${said}`), 1);
      const [field] = form?.fields ?? [];
      if (form && field) await at.send(as, card.conversation, form.id, { [field.id]: comment ?? '' });
    },
    async reply(root, what, isIt) {
      const { at } = alive();
      const found = await waitFor(what, async () =>
        (await at.thread(root)).filter(isFromBot).findLast(({ body }) => isIt(bodyText(body))),
      );
      printPost(found);
      return seen(found);
    },
    replies,
    async post(channel, what, isIt) {
      const { at } = alive();
      const found = await waitFor(what, async () =>
        (await at.messages(channel)).filter(isFromBot).findLast(({ body }) => isIt(bodyText(body))),
      );
      printPost(found);
      return seen(found);
    },
    async posts(channel) {
      return (await alive().at.messages(channel)).filter(isFromBot).length;
    },
    async show(run, words) {
      narrate(`$ flowbot show ${run}`);
      const shown = await home.run('show', run);
      const journal = shown.slice(shown.indexOf('Journal')).trim();
      print(journal);
      let from = 0;
      for (const word of words) {
        const at = journal.indexOf(word, from);
        if (at < 0) throw new Surprise(`The journal should say “${word}”, in its place.`);
        from = at + word.length;
      }
    },
  };
}

function isFromBot({ author }: Message): boolean {
  return author.id === 'flowbot';
}

function seen({ id, conversation, body }: Message): Seen {
  return { id, conversation, text: bodyText(body), buttons: body.kind === 'post' ? body.buttons : [] };
}

function nameOf(as: string): string {
  return as.charAt(0).toUpperCase() + as.slice(1);
}
