import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askingFlow, createHome, type Home } from './home.ts';

describe('a configuration file with faults', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.flow('asking.flow.yaml', askingFlow);
    writeFileSync(join(home.folder, 'flowbot.yaml'), 'token: xoxb-1\nhumanReminder: soon\n');
  });
  afterAll(() => home.close());

  it.each(['validate', 'doctor', 'start'])(
    'is told by flowbot %s, all of it, before anything is done',
    async (command) => {
      const { code, out, err } = await home.type(command);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(
        /flowbot\.yaml:1:1 error secret: .*\n.*flowbot\.yaml:2:1 error value: humanReminder: "soon" /,
      );
      expect(err).not.toContain('xoxb');
    },
  );
});
