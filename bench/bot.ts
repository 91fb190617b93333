// A Flowbot in a process of its own, for the bursts: what the stand-in does must not count as its time.
import { readConfig } from '../src/config.ts';
import { createFlowbot } from '../src/main.ts';

const configured = readConfig(process.env, process.cwd());
if (!configured.ok) throw new Error(configured.faults.join('\n'));
const flowbot = await createFlowbot(configured.config);
process.once('disconnect', () => process.exit());
await flowbot.start();
process.send?.({ url: flowbot.url });
