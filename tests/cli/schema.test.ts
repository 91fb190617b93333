import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from './home.ts';

const published = (kind: string): unknown =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../schema/${kind}.schema.json`, import.meta.url)), 'utf8'),
  );

describe('flowbot schema', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.close());

  it.each([
    [[], 'flow'],
    [['flow'], 'flow'],
    [['agent'], 'agent'],
  ])('%j prints the schema that is published', async (words, kind) => {
    const { code, out, err } = await home.type('schema', ...words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual(published(kind));
  });

  it('says what there is when it knows nothing of the kind', async () => {
    const { code, out, err } = await home.type('schema', 'floww');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Allowed choices are flow, agent.');
  });
});
