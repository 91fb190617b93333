// Builds the published package: TypeScript to dist, and the files beside it that are not TypeScript.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
for (const folder of ['adapters/playground/page', 'server/pages/client']) {
  cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true });
}
