// Builds the published package: TypeScript to dist, and the files beside it that are not TypeScript.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
cpSync('src/adapters/playground/page', 'dist/adapters/playground/page', { recursive: true });
