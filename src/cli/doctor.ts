import { type Finding, fault, ok } from '../adapters/chat/finding.ts';
import { platform as discordPlatform } from '../adapters/discord/addresses.ts';
import type { PostedTo } from '../adapters/discord/examine-channels.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createLog } from '../adapters/system/log.ts';
import { createSecrets } from '../adapters/system/secrets.ts';
import type { Config } from '../config.ts';
import { parseAddress } from '../engine/flow/address.ts';
import { destinationsOf } from '../engine/flow/destinations.ts';
import { loadFlowSet } from '../loader/flow-set.ts';
import { openSources } from '../loader/sources.ts';
import type { FlowSet } from '../runner/catalog.ts';
import { openHands, surroundingsOf } from '../world.ts';
import { examineAgents } from './doctor-agents.ts';

/** Looks at the installation: flow files, agents and chats. Changes nothing; agents are asked for one word. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const { flowsDir: flows, agentsDir: agents, schemasDir: schemas } = config;
  const set = loadFlowSet(await openSources({ flows, agents, schemas }), await surroundingsOf(config));
  return [...examineFlows(set), ...(await examineHands(config, set)), ...(await examineChats(config, set))];
}

async function examineHands(config: Config, { agents }: FlowSet): Promise<readonly Finding[]> {
  const secrets = createSecrets(config.secrets, config.ownSecrets);
  const hands = openHands(config, secrets);
  try {
    // Providers and programs say what they like.
    return secrets.redact(await examineAgents(agents.values(), hands));
  } finally {
    await hands.close();
  }
}

async function examineChats(
  { slack, discord, command, secrets, ownSecrets }: Config,
  set: FlowSet,
): Promise<readonly Finding[]> {
  if (!slack && !discord) return [ok('No chat is set up: the playground is used.')];
  const surroundings = { clock: systemClock, log: createLog(createSecrets(secrets, ownSecrets), 'silent') };
  // The clients of the platforms are large, and most people have but one.
  const findings: Finding[] = [];
  if (slack) {
    const { examineSlack } = await import('../adapters/slack/examine.ts');
    findings.push(...(await examineSlack(slack, { ...surroundings, command })));
  }
  if (discord) {
    const { examineDiscord } = await import('../adapters/discord/examine.ts');
    const named = postedTo(discordPlatform, set);
    findings.push(...(await examineDiscord(discord, { ...surroundings, postedTo: named })));
  }
  return findings;
}

function examineFlows({ flows, broken }: FlowSet): readonly Finding[] {
  return [
    ok(flows.length === 1 ? '1 flow can be run.' : `${flows.length} flows can be run.`),
    ...broken.map(({ file }) => fault(`${file} can’t be loaded: see flowbot validate.`)),
  ];
}

/** The conversations of a platform that flows post to, each with the flows that do. */
function postedTo(platform: string, { flows }: FlowSet): readonly PostedTo[] {
  const named = new Map<string, Set<string>>();
  for (const { id, plan } of flows) {
    for (const { address } of destinationsOf(plan)) {
      const { platform: at = platform, rest } = parseAddress(address) ?? { rest: address };
      if (at === platform) named.set(rest, (named.get(rest) ?? new Set()).add(id));
    }
  }
  return [...named].map(([address, ids]) => ({ address, flows: [...ids] }));
}
