import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { MessageRef, Person, Place } from '../../engine/people.ts';
import { type Delivery, notice, type Reaction } from './delivery.ts';
import { canSee, directConversation, flowbot, type Member, members, platform } from './directory.ts';
import { describeUpload } from './files.ts';
import { limits } from './limits.ts';
import { addPage } from './page.ts';
import { httpFault, read, requests } from './request.ts';
import { addStream } from './stream.ts';
import { readTyped } from './typed.ts';
import type { Happening, Workspace } from './workspace.ts';

/** What the routes serve. */
export interface RouteOptions {
  readonly workspace: Workspace;
  readonly delivery: Delivery;
  /** Our command with its slash. */
  readonly command: string;
  /** Where the server answers. */
  readonly url: () => string;
}

/** Messages sent at once when a conversation is opened or scrolled back. */
const pageSize = 50;

/** Adds the page, its API and its event stream under `/playground`. */
export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  addPage(app);
  addReading(app, options);
  addFiles(app, options.workspace);
  addUploads(app, options.workspace);
  addActing(app, options);
  addStream(app, options.workspace);
}

function addReading(app: FastifyInstance, { workspace, delivery, command }: RouteOptions): void {
  const get = <T>(name: keyof typeof requests, schema: z.ZodType<T>, answer: (query: T) => unknown) =>
    app.get(`/playground/api/${name}`, async (request) => answer(read(schema, request.query)));

  get('state', requests.state, ({ as }) => ({
    you: as,
    command,
    people: members.filter(({ bot }) => !bot),
    conversations: [...workspace.channels(), directConversation(as.id)].map(({ id, name }) => ({ id, name })),
    privates: workspace.privates(as.id, pageSize),
    version: workspace.version(),
  }));
  get('messages', requests.messages, ({ as, conversation, before }) => {
    placeFor(workspace, as, { conversation });
    const messages = workspace.history(conversation, before, pageSize);
    return { messages, more: messages.length === pageSize };
  });
  get('thread', requests.thread, ({ as, root }) => {
    locate(workspace, as, root);
    return { messages: workspace.thread(root) };
  });
  get('complete', requests.complete, async ({ as, typed, ...where }) => ({
    completions: await delivery.complete(typed, toPerson(as), placeFor(workspace, as, where)),
  }));
}

/** Bytes of posts: for a picture in the page, else only for saving, because nobody knows what is in them. */
function addFiles(app: FastifyInstance, workspace: Workspace): void {
  app.get('/playground/api/file', (request, reply) => {
    const { as, message } = read(requests.file, request.query);
    locate(workspace, as, message);
    const file = workspace.file(message, as.id);
    if (file === undefined) throw httpFault(404, 'This message shows no file.');
    return reply
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .type(file.picture ? file.mediaType : 'application/octet-stream')
      .send(file.bytes);
  });
}

/** Files that people add to forms: sent before the form, which then names them. */
function addUploads(app: FastifyInstance, workspace: Workspace): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/playground/api/upload', { bodyLimit: limits.uploadBytes }, async ({ query, body }) => {
      const { as, name, type } = read(requests.upload, query);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      return { id: workspace.uploads.add({ person: toPerson(as).id, name, type, bytes }).id };
    });
  });
  app.get('/playground/api/upload', (request, reply) => {
    const upload = workspace.uploads.read(read(requests.uploaded, request.query).id);
    if (upload === undefined) throw httpFault(404, 'There is no such file.');
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(upload.name)}`)
      .type('application/octet-stream')
      .send(upload.bytes);
  });
}

function addActing(app: FastifyInstance, { workspace, delivery, command, url }: RouteOptions): void {
  const post = <T>(
    name: keyof typeof requests,
    schema: z.ZodType<T>,
    act: (body: T) => Reaction | Promise<Reaction>,
  ) => app.post(`/playground/api/${name}`, async (request) => act(read(schema, request.body)));
  const done: Reaction = { kind: 'none' };

  /** Writes a message; what a person wrote is also an event. */
  const say = (author: Member, place: Place, text: string, event?: (message: MessageRef) => Happening) => {
    const said = workspace.say(author, place, text, event);
    if (said.kind === 'refused') throw httpFault(409, said.message);
    return said.event === undefined ? done : delivery.offer(said.event);
  };
  const happen = (happening: Happening) => delivery.offer(workspace.keep(happening));

  post('say', requests.say, ({ as, text, ...where }) => {
    const place = placeFor(workspace, as, where);
    if (as.bot) return say(as, place, text);
    const person = toPerson(as);
    const typed = readTyped(text, command);
    switch (typed.kind) {
      case 'message':
        return say(as, place, text, (message) => {
          return { type: 'message', person, message, text: typed.text, toBot: typed.toBot, files: [] };
        });
      case 'command':
        return happen({ type: 'command', person, place, text: typed.text });
      case 'unknown': {
        const sentence = `${typed.name} is not a command here; ${command} is.`;
        for (const part of notice(sentence)) workspace.tell(as.id, place, part);
        return done;
      }
    }
  });
  // No check that the message shows the button: old cards send clicks too, and the bot must cope with them.
  post('click', requests.click, ({ as, message, button }) =>
    happen({ type: 'click', person: toPerson(as), message: locate(workspace, as, message), button }),
  );
  post('submit', requests.submit, ({ as, form, values, files, ...where }) => {
    const place = placeFor(workspace, as, where);
    const added = Object.entries(files).map(([field, ids]) => [field, filesText(workspace, as, ids, url())]);
    const given = { ...values, ...Object.fromEntries(added) };
    return happen({ type: 'submit', person: toPerson(as), place, form, values: given });
  });
  post('edit', requests.edit, ({ as, message, text }) => {
    locate(workspace, as, message);
    if (workspace.rewrite(as, message, text)) return done;
    throw httpFault(409, 'Only your own messages can be edited.');
  });
  post('delete', requests.delete, ({ as, message }) => {
    const ref = locate(workspace, as, message);
    if (workspace.remove(message) === flowbot.id) delivery.deleted(ref);
    return done;
  });
  post('dismiss', requests.dismiss, (body) => {
    if (workspace.dismiss(body.as.id, body.private)) return done;
    throw httpFault(404, 'There is no such private message.');
  });
}

/** What somebody uploaded, as the value of a `files` field. */
function filesText(workspace: Workspace, as: Member, ids: readonly string[], server: string): string {
  const described = ids.map((id) => {
    const upload = workspace.uploads.read(id);
    if (upload?.person !== as.id)
      throw httpFault(404, 'One of the files is not there any more: choose it again.');
    return describeUpload(upload, server);
  });
  return described.length === 0 ? '' : JSON.stringify(described);
}

/** The place somebody names, if they can see it. */
function placeFor(
  workspace: Workspace,
  as: Member,
  where: { readonly conversation: string; readonly thread?: string },
): Place {
  const conversation = workspace.conversation(where.conversation)?.id;
  if (conversation === undefined || !canSee(as.id, conversation)) {
    throw httpFault(404, 'There is no such conversation.');
  }
  if (where.thread === undefined) return { platform, conversation };
  if (workspace.locate(where.thread)?.conversation !== conversation) {
    throw httpFault(404, 'There is no such thread in this conversation.');
  }
  return { platform, conversation, thread: where.thread };
}

/** The message somebody names, if they can see it; it may be gone. */
function locate(workspace: Workspace, as: Member, id: string): MessageRef {
  const message = workspace.locate(id);
  if (message !== undefined && canSee(as.id, message.conversation)) return message;
  throw httpFault(404, 'There is no such message.');
}

/** A member who is a person; bots can only write. */
function toPerson({ id, name, bot }: Member): Person {
  if (bot) throw httpFault(403, `Only people can do this; ${name} is a bot.`);
  return { platform, id, name };
}
