import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A database path in a new folder that goes away with the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'flowbot.db');
}
