import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** An MCP server whose tools misbehave. It says its process id, and what it sees of its environment. */
const schema = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
const readOnly = { readOnlyHint: true };
const tools = [
  { name: 'pid', inputSchema: schema, annotations: readOnly },
  { name: 'environment', inputSchema: schema, annotations: readOnly },
  { name: 'die', inputSchema: schema },
  { name: 'die-safely', inputSchema: schema, annotations: { idempotentHint: true } },
  { name: 'hang', inputSchema: schema },
  { name: 'hang-safely', inputSchema: schema, annotations: readOnly },
  { name: 'flood', inputSchema: schema },
  { name: 'nonsense', inputSchema: schema },
  { name: 'refuse', inputSchema: schema },
  { name: 'fail', inputSchema: schema },
  { name: 'dig', inputSchema: schema, annotations: readOnly },
  { name: 'leave-one-behind', inputSchema: schema },
  { name: 'greedy', inputSchema: { type: 'object', properties: { t: { pattern: '^(a|a)*$' } } } },
];

const answers: Readonly<Record<string, () => unknown>> = {
  pid: () => text(String(process.pid)),
  environment: () => ({ content: [], structuredContent: { ...process.env } }),
  flood: () => text('x'.repeat(11_000_000)),
  nonsense: () => ({ content: 'hello' }),
  fail: () => ({ ...text('disk full'), isError: true }),
  greedy: () => text('took it'),
};

if (process.argv.includes('broken')) {
  process.stderr.write('no licence for hunter2-hunter2\n');
  process.exit(3);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (result: unknown): void => print({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    const serverInfo = { name: 'odd', version: '1' };
    answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') {
    process.stdout.write('this is no message\n');
    answer({ tools });
  } else if (method === 'tools/call') call(params.name);

  function call(name: string): void {
    if (name === 'die' || name === 'die-safely') process.exit(1);
    if (name === 'dig') {
      const deep = '['.repeat(100_000) + ']'.repeat(100_000);
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${deep}}}}\n`,
      );
    }
    if (name === 'leave-one-behind') {
      // Out of the group of the server, and with its output.
      spawn('sleep', ['30'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
      process.exit(0);
    }
    if (name === 'refuse') print({ jsonrpc: '2.0', id, error: { code: -32603, message: 'not today' } });
    const result = answers[name]?.();
    if (result !== undefined) answer(result); // the others hang
  }
});

function print(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function text(said: string) {
  return { content: [{ type: 'text', text: said }] };
}
