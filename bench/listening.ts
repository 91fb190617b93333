// Listeners of a run, in a process of their own: what they do with what they hear must not count as the bot's time.
import { z } from 'zod';

const orders = z.object({ url: z.string(), run: z.string(), listeners: z.number() });

/** Reads all that a run tells. @returns how many events that were */
async function listen(address: string): Promise<number> {
  const response = await fetch(address, { headers: { accept: 'text/event-stream' } });
  let heard = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += part;
  return heard.split('\nevent: ').length - 1;
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
