// Writes what is made from the schemas: JSON Schemas for editors, the reference, and the types of the builder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generatedFiles } from './generated-files.ts';

const root = resolve(import.meta.dirname, '..');

for (const [file, text] of generatedFiles()) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
