import { readConfig } from '../../src/config.ts';
import { createFlowbot } from '../../src/main.ts';
import { openWorld } from '../../src/world.ts';
import { createLife, type EndsAt } from './life.ts';
import { mortalChat, mortalHands, mortalHttp, mortalStore } from './mortal.ts';

// A real Flowbot that kills itself at a point given by the environment. Tells its parent when it is ready, and on
// being told to stop, stops and tells which points it has passed.

const endsAt: EndsAt | undefined = process.env.TEST_ENDS_AT && JSON.parse(process.env.TEST_ENDS_AT);
const life = createLife(endsAt, () => process.kill(process.pid, 'SIGKILL'));

const configured = readConfig(process.env, process.cwd());
if (!configured.ok) throw new Error(configured.faults.join('\n'));
const flowbot = await createFlowbot(configured.config, async (config, url, onDead) => {
  const world = await openWorld(config, url, onDead);
  return {
    ...world,
    ...mortalHands(life, world),
    editGapMs: 0,
    store: mortalStore(life, world.store),
    http: mortalHttp(life, world.http),
    chats: world.chats.map((chat) => mortalChat(life, chat)),
  };
});
// A test that is cut off leaves nobody behind.
const leave = (): void => process.exit();
process.once('disconnect', leave);
await flowbot.start();
process.send?.({ url: flowbot.url });
process.once('message', async () => {
  process.off('disconnect', leave);
  await flowbot.stop();
  // What is still on its way would be lost with the connection.
  process.send?.({ points: life.points }, () => process.disconnect());
});
