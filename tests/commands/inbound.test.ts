import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer, ChatEvent } from '../../src/ports/chat.ts';
import { createDesk, type Desk, onlyRun, runsOf } from './desk.ts';
import { echo, release, review } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, release, review });
});

/** Takes an event and waits for its answer. */
async function handled(on: Desk, event: ChatEvent): Promise<Answer> {
  return (await on.inbound.receive(event)).answer;
}

function messageOf(text: string, id = 'E900001'): ChatEvent {
  const { ana, here } = desk.red;
  const message = { ...here, id: `M-${id}` };
  return { type: 'message', id, atMs: 1, person: ana, message, text, toBot: false, files: [] };
}

describe('an event', () => {
  test('C13: that comes again, also after a restart, starts one run', async () => {
    const event = messageOf('!echo');
    expect(await handled(desk, event)).toEqual({ kind: 'none' });
    await handled(desk, event);
    const later = await desk.restart();
    await handled(later, event);
    expect(await runsOf(later)).toHaveLength(1);
  });

  test('that shall wait is kept at once, and handled only then', async () => {
    const event = messageOf('!echo');
    const calm = Promise.withResolvers<void>();
    const { answer } = await desk.inbound.receive(event, () => calm.promise);
    expect(await desk.store.undelivered()).toHaveLength(1);
    expect(await runsOf(desk)).toEqual([]);
    calm.resolve();
    expect(await answer).toEqual({ kind: 'none' });
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('C13: that comes three times at once starts one run', async () => {
    const event = messageOf('!echo');
    await Promise.all([1, 2, 3].map(() => handled(desk, event)));
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('with the same id on another platform is another one', async () => {
    const { ana, here } = desk.blue;
    const event = messageOf('!echo');
    await handled(desk, event);
    await handled(desk, { ...event, person: ana, message: { ...here, id: 'M' } } as ChatEvent);
    expect(await runsOf(desk)).toHaveLength(2);
  });

  test('C14: that was kept but not handled is handled at the next start, once', async () => {
    const event = messageOf('!echo');
    await desk.store.receive({ id: 'red:E900001', event, receivedAtMs: 1 });
    const later = await desk.restart();
    expect(await onlyRun(later)).toMatchObject({ flow: 'echo', status: 'succeeded' });
    expect(await desk.store.undelivered()).toEqual([]);
    const again = await later.restart();
    expect(await runsOf(again)).toHaveLength(1);
  });

  test('that was handled, but not marked so, does nothing twice at the next start', async () => {
    const { commit } = desk.store;
    desk.store.commit = async (all) => commit(all.delivered ? {} : all);
    await handled(desk, messageOf('!echo', 'E900001'));
    await handled(desk, messageOf('!release', 'E900002'));
    desk.store.commit = commit;
    expect(await desk.store.undelivered()).toHaveLength(2);
    const later = await desk.restart();
    expect(await runsOf(later)).toHaveLength(1);
    const { red } = later;
    const said = [...(await red.posts({ ...red.here, thread: 'M-E900002' })), ...(await red.posts(red.here))];
    expect(said.filter((post) => post.text.includes('needs more to start'))).toHaveLength(1);
  });

  test('that can’t be handled is answered, kept and logged, and keeps no other from being handled', async () => {
    const { commit } = desk.store;
    desk.store.commit = async () => {
      throw new Error('the disk is full');
    };
    const answer = await handled(desk, messageOf('!echo one', 'E900001'));
    expect(answer).toMatchObject({ kind: 'private' });
    await handled(desk, messageOf('!echo two', 'E900002'));
    expect(desk.log.lines.filter((line) => line.level === 'error')).toHaveLength(2);

    desk.store.commit = async (all) => {
      if (all.run?.state.start.prompt === 'one') throw new Error('the disk is full');
      return commit(all);
    };
    const later = await desk.restart();
    expect(await onlyRun(later)).toMatchObject({ flow: 'echo' });
    expect(await later.store.undelivered()).toHaveLength(1);

    desk.store.commit = commit;
    const last = await later.restart();
    expect(await runsOf(last)).toHaveLength(2);
  });

  test('that could not be kept is refused, so that the platform delivers it again', async () => {
    const { receive } = desk.store;
    desk.store.receive = async () => {
      throw new Error('the disk is full');
    };
    await expect(desk.inbound.receive(messageOf('!echo'))).rejects.toThrow('the disk is full');
    desk.store.receive = receive;
    await handled(desk, messageOf('!echo'));
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('what an adapter keeps is there after a restart, for its platform only', async () => {
    await desk.inbound.keepNote('red', 'heard', 1);
    await desk.inbound.keepNote('red', 'heard', { atMs: 2 });
    const later = await desk.restart();
    expect(await later.inbound.note('red', 'heard')).toEqual({ atMs: 2 });
    expect(await later.inbound.note('blue', 'heard')).toBeUndefined();
    expect(await later.store.note('red/heard')).toEqual({ atMs: 2 });
  });

  test.each([
    ['!echo one', false, true],
    ['!ecko one', false, true],
    ['anything', true, true],
    ['a secret between friends', false, false],
    ['!unrelated to all flows', false, false],
  ])('the message %j (said to the bot: %j) concerns it: %j', (text, toBot, concerns) => {
    expect(desk.inbound.concerns({ text, toBot })).toBe(concerns);
  });

  test('a message that is no command is not kept', async () => {
    await handled(desk, messageOf('a secret between friends', 'E900001'));
    await handled(desk, messageOf('!unrelated to all flows', 'E900002'));
    expect(await desk.store.delivery('red:E900001')).toBeUndefined();
    expect(await desk.store.delivery('red:E900002')).toBeUndefined();
  });

  test('C16: an edit, a preview, our own answer and other bots start nothing more', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '@flowbot echo https://example.com');
    await red.platform.editAs(red.ana, message, '@flowbot echo https://example.com');
    await red.platform.editAs(red.ana, message, '@flowbot release 1.2');
    await red.platform.sayAsBot(red.here, '@flowbot echo again');
    await red.platform.redeliver();
    await desk.settle();
    expect(await runsOf(desk)).toHaveLength(1);
  });
});

describe('buttons and forms', () => {
  test.each(['', 'nope', 'answer:x', 'cancel', 'fill:', 'x'.repeat(5_000), '__proto__:a:b'])(
    'a made-up button %j is answered privately',
    async (button) => {
      expect((await desk.red.pressId(desk.red.ana, button)).text).toBe('This button is not in use any more.');
    },
  );

  test.each([
    ['answer:nope:approve', 'There is no such question.'],
    ['cancel:nope', 'There is no run nope here.'],
    ['again:nope', 'There is no run nope here.'],
    ['retry:nope', 'There is no run nope here.'],
    ['rerun:nope:E1', 'There is no run nope here.'],
    ['fill:nope:E1', 'There is no flow nope any more.'],
  ])('the button %s of something that is not there is answered privately', async (button, answer) => {
    expect((await desk.red.pressId(desk.red.ana, button)).text).toBe(answer);
  });

  test('C20: a comment’s form opens from the click, asking nobody', async () => {
    const flows = {
      review,
      asking: `
triggers: [{ type: command, command: asking }]
steps:
  ask: { type: approval, actions: [{ id: approve, comment: optional }, { id: reject, comment: required }] }
`,
      order: `
triggers: [{ type: command, command: order }]
steps: { call: { type: http, method: POST, url: "https://shop.example/order" } }
`,
    };
    desk = await createDesk(flows, () => ({
      kind: 'failed',
      reason: 'connection',
      message: 'The connection broke.',
      mayHaveArrived: true,
    }));
    const { ana, here, platform } = desk.red;
    await desk.red.say(ana, '!asking');
    await desk.red.say(ana, '!order');
    await desk.red.say(ana, '!review');
    platform.chat.standing = async () => {
      throw new Error('somebody was asked');
    };
    const form = (button: string) =>
      desk.inbound.formFor({
        type: 'click',
        id: 'E',
        atMs: 0,
        person: ana,
        message: { ...here, id: 'M' },
        button,
      });
    expect(await form('comment:k000000001.1:approve')).toMatchObject({
      id: expect.stringMatching(/^answer:k000000001\.1:approve:/),
      title: 'Approve',
      submitLabel: 'Approve',
      fields: [{ id: 'feedback', label: 'Comment', required: false }],
    });
    expect(await form('explain:k000000001.1:reject')).toMatchObject({
      id: expect.stringMatching(/^answer:k000000001\.1:reject:/),
      title: 'Reject',
      submitLabel: 'Reject',
      fields: [{ id: 'feedback', label: 'What should change?', required: true }],
    });
    expect(await form('comment:k000000002.1:output')).toMatchObject({
      title: 'Output of the step',
      submitLabel: 'Done',
      fields: [{ id: 'feedback', label: 'What it gave', required: false }],
    });
    for (const button of [
      'answer:k000000001.1:approve',
      'comment:k000000003.1:approve',
      'comment:k000000001.1:nope',
      'comment:nope.1:approve',
    ]) {
      expect(await form(button), button).toBeUndefined();
    }
  });

  test('no event, however strange, makes the bot throw', async () => {
    const { ana, here } = desk.red;
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .tuple(fc.constantFrom('run', 'status', 'answer', 'retry', 'runs', 'approve', 'enable'), fc.string())
        .map((x) => x.join(' ')),
      fc
        .tuple(fc.constantFrom('answer', 'fill', 'rerun', 'cancel', 'comment'), fc.string())
        .map((x) => x.join(':')),
    );
    let made = 0;
    await fc.assert(
      fc.asyncProperty(text, async (typed) => {
        const base = () => {
          made += 1;
          return { id: `F${made}`, atMs: 0, person: ana };
        };
        const message = { ...here, id: 'M' };
        await handled(desk, { ...base(), type: 'command', place: here, text: typed });
        await handled(desk, { ...base(), type: 'click', message, button: typed });
        await handled(desk, {
          ...base(),
          type: 'slash',
          place: here,
          flow: typed,
          values: { [typed]: typed },
        });
        await handled(desk, {
          ...base(),
          type: 'submit',
          place: here,
          form: typed,
          values: { [typed]: typed },
        });
        await handled(desk, {
          ...base(),
          type: 'message',
          message,
          text: `!${typed}`,
          toBot: true,
          files: [],
        });
        await desk.inbound.formFor({ ...base(), type: 'click', message, button: typed });
        await desk.inbound.complete(typed, ana, here);
        expect(desk.log.lines.filter((line) => line.level === 'error')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
