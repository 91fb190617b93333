import { beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import type { Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';
import { samplePlace as place, sampleContent, sampleDelivery, sampleMove } from './store-samples.ts';

/** What stores promise about posts and about what is kept beside runs. */
export function postTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  describe('posts', () => {
    const post = (key: string, text: string) => ({ key, target: place, content: sampleContent(text) });

    test('a new post is work to do', async () => {
      const card = { ...post('card', 'one'), run: 'r1', target: { ...place, under: 'root' } };
      await store.commit({ posts: [card, post('notice', 'hi')] });
      expect(await store.post('card')).toEqual({ ...card, revision: 1, shown: 0, parts: [] });
      expect((await store.pendingPosts()).map(({ key }) => key)).toEqual(['card', 'notice']);
      expect(await store.post('never')).toBeUndefined();
    });

    test('the same content again is no change', async () => {
      await store.commit({ posts: [post('card', 'one')], posted: [{ key: 'card', shown: 1 }] });
      await store.commit({ posts: [post('card', 'one')] });
      expect(await store.post('card')).toMatchObject({ revision: 1, shown: 1 });
      expect(await store.pendingPosts()).toEqual([]);
    });

    test('other content is a new revision, at the old place', async () => {
      await store.commit({ posts: [post('card', 'one')], posted: [{ key: 'card', shown: 1 }] });
      await store.commit({ posts: [{ ...post('card', 'two'), target: { ...place, conversation: 'C2' } }] });
      const found = await store.post('card');
      expect(found).toEqual({ ...post('card', 'two'), revision: 2, shown: 1, parts: [] });
      expect(await store.pendingPosts()).toEqual([found]);
    });

    test('a post that was given up is no work, until its content changes', async () => {
      await store.commit({
        posts: [post('card', 'one')],
        posted: [{ key: 'card', failed: 'It was deleted.' }],
      });
      expect(await store.post('card')).toMatchObject({ failed: 'It was deleted.' });
      await store.commit({ posts: [post('card', 'one')] });
      expect(await store.pendingPosts()).toEqual([]);
      await store.commit({ posts: [post('card', 'two')] });
      const found = await store.post('card');
      expect(found).not.toHaveProperty('failed');
      expect(await store.pendingPosts()).toEqual([found]);
    });

    test('parts are added and replaced by index; progress of an unknown post is passed over', async () => {
      const intent = (index: number) => ({ index, part: { text: `${index}` }, intentAtMs: 5 });
      const sent = { ...intent(1), message: { ...place, id: 'm1' }, url: 'https://example.com/m1' };
      await store.commit({ posts: [post('card', 'one')] });
      await store.commit({ posted: [{ key: 'card', parts: [intent(1), intent(0)] }] });
      await store.commit({
        posted: [
          { key: 'card', parts: [sent] },
          { key: 'never', parts: [sent], shown: 1 },
        ],
      });
      expect((await store.post('card'))?.parts).toEqual([intent(0), sent]);
      expect(await store.post('never')).toBeUndefined();
    });
  });

  describe('schedules', () => {
    const daily = { id: 'digest', when: 'cron 0 9 * * * UTC', doneMs: 1_000.5 };
    const paused = {
      id: 'digest#2',
      when: 'every 1000 UTC',
      doneMs: 2_000,
      paused: { atMs: 1_500, why: 'Too \u0000loud', by: { platform: 'slack', id: 'U1', name: 'Ana' } },
      resumedAtMs: 1_200,
    };

    test('are kept as they were saved last, and forgotten when they are gone', async () => {
      expect(await store.schedules()).toEqual([]);
      await store.saveSchedules([paused, daily, { ...daily, id: 'old' }]);
      await store.saveSchedules([{ ...daily, doneMs: 3_000 }], ['old', 'never']);
      store = await under().reopen();
      expect(await store.schedules()).toEqual([{ ...daily, doneMs: 3_000 }, paused]);
    });

    test('the runs of one are listed, newest first', async () => {
      await store.commit({ run: sampleMove('r1', 0, { schedule: 'digest' }) });
      await store.commit({ run: sampleMove('r2', 0, { schedule: 'digest#2' }) });
      await store.commit({ run: sampleMove('r3', 0, { schedule: 'digest' }) });
      await store.commit({ run: sampleMove('r4', 0) });
      await store.commit({ run: sampleMove('r1', 1) });
      const ids = async (schedule: string, limit: number) =>
        (await store.runs({ schedule, limit })).map(({ id }) => id);
      expect(await ids('digest', 10)).toEqual(['r3', 'r1']);
      expect(await ids('digest', 1)).toEqual(['r3']);
      expect(await ids('never', 10)).toEqual([]);
    });
  });

  describe('deliveries, versions, switches, notes', () => {
    test('a delivery is kept once, also after its work is done', async () => {
      expect(await store.receive(sampleDelivery('e1'))).toBe(true);
      expect(await store.receive(sampleDelivery('e2'))).toBe(true);
      expect(await store.receive(sampleDelivery('e1', 'other text'))).toBe(false);
      expect(await store.undelivered()).toEqual([sampleDelivery('e1'), sampleDelivery('e2')]);
      await store.commit({ delivered: ['slack:e1', 'slack:never'] });
      expect(await store.undelivered()).toEqual([sampleDelivery('e2')]);
      store = await under().reopen();
      expect(await store.receive(sampleDelivery('e1'))).toBe(false);
      expect(await store.undelivered()).toEqual([sampleDelivery('e2')]);
      expect(await store.delivery('slack:e1')).toEqual(sampleDelivery('e1'));
      expect(await store.delivery('slack:never')).toBeUndefined();
    });

    test('the same delivery twice at once is kept once', async () => {
      const twice = [sampleDelivery('e1'), sampleDelivery('e1')];
      expect(await Promise.all(twice.map((delivery) => store.receive(delivery)))).toEqual([true, false]);
    });

    test('a version is kept as it was first saved', async () => {
      const definition: Json = { steps: { a: { type: 'message' } } };
      await store.saveVersion('v1', definition);
      await store.saveVersion('v1', { other: true });
      expect(await store.version('v1')).toEqual(definition);
      expect(await store.version('v2')).toBeUndefined();
    });

    test('switches are remembered, the last word counts', async () => {
      await store.setSwitch('release', false);
      await store.setSwitch('constructor', false);
      await store.setSwitch('release', true);
      store = await under().reopen();
      expect(await store.switches()).toEqual({ release: true, constructor: false });
    });

    test('a note is remembered, the last one under its key counts', async () => {
      const odd = { at: 1.5, text: 'a\u0000\ud800', list: [null] };
      await store.setNote('slack/heard', 1);
      await store.setNote('slack/constructor', odd);
      await store.setNote('slack/heard', 2);
      await store.setNote('slack/nothing', null);
      store = await under().reopen();
      expect(await store.note('slack/heard')).toBe(2);
      expect(await store.note('slack/constructor')).toEqual(odd);
      expect(await store.note('slack/nothing')).toBeNull();
      expect(await store.note('slack/never')).toBeUndefined();
    });

    test('what is kept for a while is there until its time comes, or it is forgotten', async () => {
      await store.keepPassing('session/a', { by: 'slack:U0ANA' }, 2_000, 1_000);
      await store.keepPassing('session/b', 'first', 9_000, 1_000);
      await store.keepPassing('session/b', 'second', 5_000, 1_000);
      store = await under().reopen();
      expect(await store.passing('session/a', 1_999)).toEqual({ by: 'slack:U0ANA' });
      expect(await store.passing('session/a', 2_000)).toBeUndefined();
      expect(await store.passing('session/b', 4_999)).toBe('second');
      await store.keepPassing('session/c', null, 9_000, 2_000);
      expect(await store.passing('session/a', 0)).toBeUndefined();
      await store.dropPassing('session/b');
      await store.dropPassing('session/never');
      expect(await store.passing('session/b', 0)).toBeUndefined();
      expect(await store.passing('session/c', 8_999)).toBeNull();
    });
  });
}
