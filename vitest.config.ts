import { defineConfig } from 'vitest/config';
import ClosingLine from './tests/closing-line.ts';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    // Real processes, servers and browsers share two cores with everything else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
