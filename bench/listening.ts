// Listeners of a run, in a process of their own: what they do with what they hear must not count as the bot's time.
import { get, type IncomingMessage } from 'node:http';
import { z } from 'zod';

const orders = z.object({ url: z.string(), run: z.string(), listeners: z.number() });

/** Reads all that a run tells, as cheaply as can be: the machine is the bot's too. @returns how many events that were */
async function listen(address: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(address, { agent: false, headers: { accept: 'text/event-stream' } }, resolve).on('error', reject);
  });
  let events = 0;
  let line = '';
  for await (const part of response.setEncoding('latin1')) {
    const lines = `${line}${part}`.split('\n');
    line = lines.pop() ?? '';
    events += lines.filter((one) => one.startsWith('event: ')).length;
  }
  return events;
}

process.on('message', async (message) => {
  const { url, run, listeners } = orders.parse(message);
  const address = `${url}/v1/runs/${run}/events`;
  const counts = await Promise.all(Array.from({ length: listeners }, () => listen(address)));
  const [each = 0] = counts;
  if (counts.some((count) => count !== each)) throw new Error(`Listeners heard differently: ${counts}`);
  process.send?.({ each });
});
process.once('disconnect', () => process.exit());
