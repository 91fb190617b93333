import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type ChatEvent, ChatUnavailable } from '../../src/ports/chat.ts';
import { createDesk, type Desk, onlyRun, runsOf, type Side } from './desk.ts';
import { echo, release } from './flows.ts';

const deploy = `
name: Deploy
triggers: [{ type: command, command: deploy, in: ["red:#releases"] }]
steps: { say: { type: template, text: now } }
`;
const KEPT =
  "A chat that this needs can't be reached at the moment. This is kept, and done as soon as it can.";

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, release, deploy });
});

/** The platform gives no answer about conversations, until what comes back is called. */
function silence({ platform }: Side): () => void {
  const { chat } = platform;
  const { conversation } = chat;
  chat.conversation = async () => {
    throw new ChatUnavailable('Red gives no answer.');
  };
  return () => {
    chat.conversation = conversation;
  };
}

/** Lets what is on its way happen, and waits for no alarm. */
async function rest(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

async function pass(ms: number): Promise<void> {
  desk.clock.pass(ms);
  await rest();
}

async function handled(event: ChatEvent): Promise<Answer> {
  const { answer } = await desk.inbound.receive(event);
  return answer;
}

function told(answer: Answer): string {
  return answer.kind === 'private' ? answer.content.prose.map((piece) => piece.text).join('') : answer.kind;
}

const by = (id: string) => ({ id, atMs: 1, person: desk.red.ana });
const message = (text: string): ChatEvent => ({
  type: 'message',
  ...by('E900001'),
  message: { ...desk.red.here, id: 'M900001' },
  text,
  toBot: true,
  files: [],
});
const command = (text: string): ChatEvent => ({
  type: 'command',
  ...by('E900002'),
  place: desk.red.here,
  text,
});
const page = (): ChatEvent => ({
  type: 'submit',
  ...by('E900003'),
  place: desk.red.here,
  form: 'start:release',
  values: { version: '1' },
});

describe('while a chat gives no answer', () => {
  test.each<[string, () => ChatEvent, string]>([
    ['a command in a conversation', () => message('echo'), 'echo'],
    ['a command that works only in some conversations', () => message('deploy'), 'deploy'],
    ['/flow run', () => command('run echo'), 'echo'],
    ['what was filled in', page, 'release'],
  ])('%s is kept, and done once it answers again', async (_, event, flow) => {
    const answerAgain = silence(desk.red);
    expect(told(await handled(event()))).toBe(KEPT);
    await pass(5_000);
    expect(await runsOf(desk)).toEqual([]);
    expect(await desk.store.pendingPosts()).toEqual([]);
    expect(await desk.red.posts({ ...desk.red.here, thread: 'M900001' })).toEqual([]);

    answerAgain();
    await pass(10_000);
    expect(await onlyRun(desk)).toMatchObject({ flow, startedBy: { name: 'Ana' } });
    expect(await desk.store.undelivered()).toEqual([]);
    expect(desk.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('an event is tried after 5 s, then ever more rarely, up to once a minute', async () => {
    const answerAgain = silence(desk.red);
    await handled(message('deploy'));
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      const waitMs = (desk.clock.nextMs() ?? Number.NaN) - desk.clock.now();
      waits.push(waitMs);
      await pass(waitMs);
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    answerAgain();
    await pass(60_000);
    expect(await onlyRun(desk)).toMatchObject({ flow: 'deploy' });
  });

  test('a bot that stops waits no longer: the next one does it, and waits as well', async () => {
    silence(desk.red);
    await handled(message('deploy'));
    await desk.inbound.stop();
    expect(desk.clock.nextMs()).toBeUndefined();
    expect(await desk.store.undelivered()).toHaveLength(1);
    desk = await desk.restart();
    expect(await onlyRun(desk)).toMatchObject({ flow: 'deploy' });
  });

  test('what the last process kept is tried again as well', async () => {
    const event = message('deploy');
    await desk.store.receive({ id: 'red:E900001', event, receivedAtMs: 1 });
    const answerAgain = silence(desk.red);
    desk.inbound.resume(await desk.store.undelivered());
    await rest();
    expect(await runsOf(desk)).toEqual([]);
    answerAgain();
    await pass(5_000);
    expect(await onlyRun(desk)).toMatchObject({ flow: 'deploy' });
  });
});
