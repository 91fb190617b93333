// Prints what runs cost on this machine, beside what its disk allows. Only ratios of one run mean anything.
import { join } from 'node:path';
import { printBurst } from './burst.ts';
import { rawCommitRate } from './commits.ts';
import { largeFlow } from './compile.ts';
import { discordCrowd, slackCrowd } from './crowd.ts';
import { discordBurst } from './discord-burst.ts';
import { listenedRun } from './listeners.ts';
import { pausedRuns } from './paused.ts';
import { manySchedules } from './schedules.ts';
import { inFolder } from './setting.ts';
import { slackBurst } from './slack-burst.ts';
import { threeSteps } from './three-steps.ts';

const ROUNDS = 3;

const large = largeFlow();
console.log('a flow of 500 steps and 2,000 edges');
console.log(`  compile, the first of a process       ${large.firstMs.toFixed(0)} ms`);
console.log(
  `  compile, warm                         ${large.warmMs.toFixed(0)} ms   ${(large.warmMs / large.firstMs).toFixed(2)} × the first`,
);
for (const [what, moves] of [
  ['out-degree', large.fanOut],
  ['journal of', large.behind],
] as const) {
  for (const { count, us } of moves) {
    const label = `transition, ${what} ${count}`.padEnd(38);
    console.log(
      `  ${label}${us.toFixed(0)} µs   ${(us / (moves[0]?.us ?? Number.NaN)).toFixed(2)} × the first`,
    );
  }
}

for (let round = 1; round <= ROUNDS; round += 1) {
  const raw = await inFolder((folder) => rawCommitRate(join(folder, 'raw.db')));
  const one = await threeSteps(300, 1);
  const many = await threeSteps(2_000, 32);
  console.log(`round ${round} of ${ROUNDS}`);
  console.log(`  one-row commits (SQLite, WAL, FULL)   ${raw.toFixed(0)} per second`);
  console.log(
    `  three-step flow, 1 in flight          ${one.toFixed(0)} runs per second   ${(one / raw).toFixed(2)} × commits`,
  );
  console.log(
    `  three-step flow, 32 in flight         ${many.toFixed(0)} runs per second   ${(many / raw).toFixed(2)} × commits`,
  );
}

const paused = await pausedRuns(10_000);
console.log('10,000 paused runs');
console.log(`  open until all can be answered        ${paused.openMs.toFixed(0)} ms`);
console.log(
  `  answer until the next step is durable p50 ${paused.answerP50Ms.toFixed(2)} ms, p99 ${paused.answerP99Ms.toFixed(2)} ms`,
);
console.log(`  heap                                  ${paused.heapBytesPerRun.toFixed(0)} bytes a run`);
console.log(`  file                                  ${paused.fileBytesPerRun.toFixed(0)} bytes a run`);

for (const transport of ['socket', 'http'] as const) {
  const burst = await slackBurst(transport, 2_000);
  printBurst(`2,000 events of Slack at once, over ${transport}`, 'acknowledged', burst);
}
printBurst('2,000 messages of Discord at once', 'stored', await discordBurst('messages', 2_000));
printBurst('2,000 commands of Discord at once', 'answered first', await discordBurst('commands', 2_000));

for (const [platform, crowd] of [
  ['Slack', slackCrowd],
  ['Discord', discordCrowd],
] as const) {
  printBurst(`500 people of ${platform} press within a second`, 'answered first', await crowd(500));
}

const scheduled = await manySchedules(10_000);
console.log('10,000 schedules');
console.log(
  `  until all are followed                ${scheduled.startMs.toFixed(0)} ms   ${(scheduled.startMs / scheduled.peer.startMs).toFixed(2)} × tasks of node-cron`,
);
console.log(
  `  heap, with the plans of their flows   ${scheduled.heapBytesEach.toFixed(0)} bytes each   ${(scheduled.heapBytesEach / scheduled.peer.heapBytesEach).toFixed(2)} × tasks of node-cron`,
);
console.log(`  the next time of one                  ${scheduled.nextUs.toFixed(0)} µs`);
console.log(`  a minute in which nothing is due      ${scheduled.idleTickUs.toFixed(0)} µs`);
console.log(`  a minute, for each that is due        ${scheduled.dueUs.toFixed(0)} µs`);

const { alone, followed, events } = await listenedRun(100);
console.log('a run of 200 steps that 100 listeners follow, beside runs of three steps');
console.log(`  nobody listens                        ${alone.stepsPerSecond.toFixed(0)} steps per second`);
console.log(
  `  100 listeners                         ${followed.stepsPerSecond.toFixed(0)} steps per second   ${(followed.stepsPerSecond / alone.stepsPerSecond).toFixed(2)} × nobody`,
);
console.log(
  `  nobody, by processor time             ${alone.stepsPerCpuSecond.toFixed(0)} steps per second of it`,
);
console.log(
  `  100 listeners, by processor time      ${followed.stepsPerCpuSecond.toFixed(0)} steps per second of it   ${(followed.stepsPerCpuSecond / alone.stepsPerCpuSecond).toFixed(2)} × nobody`,
);
console.log(`  events that each listener has had     ${events}`);
