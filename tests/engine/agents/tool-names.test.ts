import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { offeredNames } from '../../../src/engine/agents/tool-names.ts';

describe('what models call tools', () => {
  test.each([
    ['files', 'read_file', 'files__read_file'],
    ['my-server', 'do it!', 'my-server__do_it_'],
    ['s', 'ü'.repeat(100), `s__${'_'.repeat(61)}`],
  ])('%s, %s: %s', (server, tool, name) => {
    expect([...offeredNames([{ server, tool }]).keys()]).toEqual([name]);
  });

  it('is never the same for two, fits every provider, and stays with the tool', () => {
    const tools = fc.array(fc.record({ server: fc.stringMatching(/^[a-c_]{1,40}$/), tool: fc.string() }));
    fc.assert(
      fc.property(tools, (list) => {
        const named = offeredNames(list);
        expect([...named.values()]).toEqual(list);
        for (const name of named.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });
});
