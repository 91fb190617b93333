import { createHome, type Home } from './flowbot.ts';
import { createScene, Surprise } from './scene.ts';
import { colourStyle, plainStyle } from './terminal.ts';

// A conversation with a real Flowbot, as it happens: `npm run demo`. Exit code 0 when everything was as it should be.

const isTerminal = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const home = createHome();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Surprise(`Interrupted by ${signal}.`)));
  }
});

try {
  await Promise.race([play(home), interrupted]);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Surprise ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await home.close();
}
// Whatever still waits for something would only keep the terminal waiting too.
process.exit();

async function play(home: Home): Promise<void> {
  const scene = createScene(home, isTerminal ? colourStyle : plainStyle);
  scene.narrate('A release, from the first word to the announcement, with a crash in the middle.');
  await scene.start();

  const root = await scene.say('ana', 'releases', '!release 1.2');
  const card = await scene.reply(root, 'the card of the run', (text) => text.includes('is waiting'));
  const run = card.buttons.map(({ id }) => /^cancel:(.+)$/.exec(id)?.[1]).find((id) => id !== undefined);
  if (run === undefined) throw new Surprise('The card of the run should have a button to cancel it.');
  const asked = await scene.reply(root, 'the question', (text) => text.startsWith('Publish these notes?'));
  scene.check(asked.text.includes('Release 1.2'), 'The question should show the draft.');

  await scene.crash();
  await scene.start();
  const after = await scene.replies(root);
  scene.check(after.length === 2, `After the crash there should still be two replies, not ${after.length}.`);
  scene.narrate('Nothing was posted twice, and the question is still open.');

  await scene.answer('bo', asked, 'Reject', 'Please say that this release is *faster*.');
  await scene.reply(root, 'the rejection on the card', (text) => text.includes('❌ Rejected by Bo'));
  const again = await scene.reply(
    root,
    'the question of the second round',
    (text) => text.startsWith('Publish these notes?') && !text.includes('❌') && text.includes('faster'),
  );

  await scene.answer('bo', again, 'Approve');
  await scene.reply(root, 'the approval on the card', (text) => text.includes('✅ Approved by Bo'));
  await scene.post('announcements', 'the announcement', (text) => text.includes('Release 1.2'));
  await scene.reply(root, 'the end of the run', (text) => text.includes('has succeeded'));
  const posts = await scene.posts('announcements');
  scene.check(posts === 1, `There should be one announcement, not ${posts}.`);

  await scene.show(run, [
    'started by Ana',
    'answered “reject” by Bo: Please say that this release is *faster*.',
    'answered “approve” by Bo',
    'publish (round 2) is done',
  ]);
  await scene.stop();
  scene.narrate('One crash, two decisions, one announcement: everything was as it should be.');
}
