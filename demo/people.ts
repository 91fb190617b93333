import type { Root } from 'mdast';
import type { Form } from '../src/engine/post.ts';

/** A message as people of the playground see it. */
export interface Message {
  readonly id: string;
  readonly conversation: string;
  readonly thread: string | null;
  readonly author: { readonly id: string; readonly name: string };
  readonly edited: boolean;
  readonly body: Body;
}

/** What a message says: what a person typed, or what the bot posted. */
export type Body =
  | { readonly kind: 'typed'; readonly text: string }
  | {
      readonly kind: 'post';
      readonly tree: Root;
      readonly buttons: readonly { readonly id: string; readonly label: string }[];
    }
  | { readonly kind: 'file'; readonly name: string };

/** People of the playground, acting over its HTTP API as its page does. Calls reject when Flowbot is gone. */
export interface People {
  say(as: string, conversation: string, text: string): Promise<void>;
  /** Presses a button; the result is the form that it opens, if it opens one. */
  press(as: string, message: string, button: string): Promise<Form | undefined>;
  /** Sends a form. */
  send(
    as: string,
    conversation: string,
    form: string,
    values: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** The newest messages of a conversation, oldest first, threads apart. */
  messages(conversation: string): Promise<readonly Message[]>;
  /** A thread, oldest first, its first message included. */
  thread(root: string): Promise<readonly Message[]>;
  /** Calls for everything that is new or changed in what Ana sees; resolves when Flowbot is gone. */
  listen(onChange: () => void): Promise<void>;
}

/** @param url address of a running Flowbot */
export function createPeople(url: string): People {
  async function post(path: string, body: object): Promise<{ readonly form?: Form }> {
    const headers = { 'content-type': 'application/json', origin: url };
    return read(
      await fetch(`${url}/playground/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    );
  }

  async function get<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
    return read<T>(await fetch(`${url}/playground/api/${path}?${new URLSearchParams(query)}`));
  }

  return {
    async say(as, conversation, text) {
      await post('say', { as, conversation, text });
    },
    press: async (as, message, button) => (await post('click', { as, message, button })).form,
    async send(as, conversation, form, values) {
      await post('submit', { as, conversation, form, values });
    },
    async messages(conversation) {
      return (await get<Listed>('messages', { as: 'ana', conversation })).messages;
    },
    async thread(root) {
      return (await get<Listed>('thread', { as: 'ana', root })).messages;
    },
    async listen(onChange) {
      try {
        const stream = await fetch(`${url}/playground/events?as=ana&after=0`);
        for await (const _ of stream.body ?? []) onChange();
      } catch {
        // Flowbot is gone, which is all there is to say.
      }
    },
  };
}

interface Listed {
  readonly messages: readonly Message[];
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(response.url).pathname}: ${response.status} ${text}`);
  return JSON.parse(text);
}
