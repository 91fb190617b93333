import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import ClosingLine from './tests/closing-line.ts';
import LongestFirst from './tests/longest-first.ts';

/** They start no server and change nothing of their process, so that one process can run them all. */
const plain = ['engine', 'commands', 'runner', 'loader', 'testing', 'builder', 'repo'].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'plain', include: plain, isolate: false } },
      { extends: true, test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: plain } },
    ],
    reporters: ['default', new ClosingLine()],
    // Real processes, servers and browsers share two cores with everything else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the gate has cores: many tests wait for processes and servers.
    maxWorkers: 3,
    // Processes that tests start keep what they have compiled for the next ones.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'flowbot-test-compile-cache') },
    sequence: { sequencer: LongestFirst },
  },
});
