import { type Finding, fault, ok } from '../adapters/chat/finding.ts';
import { examineDiscord } from '../adapters/discord/examine.ts';
import { examineSlack } from '../adapters/slack/examine.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createLog } from '../adapters/system/log.ts';
import { createSecrets } from '../adapters/system/secrets.ts';
import type { Config } from '../config.ts';
import { loadFlowSet } from '../loader/flow-set.ts';
import { readFlowFolder } from '../loader/folder.ts';
import { surroundingsOf } from '../main.ts';

/** Looks at the installation: flow files and chats. Changes nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  return [...(await examineFlows(config)), ...(await examineChats(config))];
}

async function examineChats({
  slack,
  discord,
  command,
  secrets,
  ownSecrets,
}: Config): Promise<readonly Finding[]> {
  if (!slack && !discord) return [ok('No chat is set up: the playground is used.')];
  const surroundings = { clock: systemClock, log: createLog(createSecrets(secrets, ownSecrets), 'silent') };
  return [
    ...(slack ? await examineSlack(slack, { ...surroundings, command }) : []),
    ...(discord ? await examineDiscord(discord, surroundings) : []),
  ];
}

async function examineFlows(config: Config): Promise<readonly Finding[]> {
  const set = loadFlowSet(await readFlowFolder(config.flowsDir), surroundingsOf(config));
  return [
    ok(`${set.flows.length} flows can be run.`),
    ...set.broken.map(({ file }) => fault(`${file} can’t be loaded: see flowbot validate.`)),
  ];
}
