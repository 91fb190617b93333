// Makes the pictures of the README and the documentation anew: the browser tests take them on their way.
import { execFileSync } from 'node:child_process';

const folder = process.argv[2] ?? 'docs/images';
execFileSync('vitest', ['run', 'tests/browser'], {
  stdio: 'inherit',
  env: { ...process.env, DOCS_PICTURES: folder },
});
