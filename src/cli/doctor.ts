import { examineSlack, type Finding } from '../adapters/slack/examine.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createLog } from '../adapters/system/log.ts';
import { createSecrets } from '../adapters/system/secrets.ts';
import type { Config } from '../config.ts';
import { loadFlowSet } from '../loader/flow-set.ts';
import { readFlowFolder } from '../loader/folder.ts';
import { platformsOf } from '../main.ts';

/** Looks at the installation: flow files and chats. Changes nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const log = createLog(createSecrets(config.secrets, config.ownSecrets), 'silent');
  return [
    ...(await examineFlows(config)),
    ...(config.slack
      ? await examineSlack(config.slack, { command: config.command, clock: systemClock, log })
      : [{ level: 'ok', text: 'No chat is set up: the playground is used.' } as const]),
  ];
}

async function examineFlows(config: Config): Promise<readonly Finding[]> {
  const set = loadFlowSet(await readFlowFolder(config.flowsDir), {
    secrets: [...config.secrets.keys()],
    platforms: platformsOf(config),
  });
  return [
    { level: 'ok', text: `${set.flows.length} flows can be run.` },
    ...set.broken.map(
      ({ file }): Finding => ({ level: 'fault', text: `${file} can’t be loaded: see flowbot validate.` }),
    ),
  ];
}
