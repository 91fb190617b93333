#!/usr/bin/env node
// Plain old JavaScript on purpose: it must run, and explain itself, on any Node that knows modules.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Flowbot needs Node 22.19 or newer, but this is ${process.versions.node}: install a newer one, or all packages of this project ("npm ci"), which bring one.`,
  );
  process.exit(1);
}
// What was compiled is kept in the folder for temporary files: the next start takes half the time.
import('node:module')
  .then(({ enableCompileCache }) => enableCompileCache?.())
  .then(() => import('node:fs'))
  // A checkout runs the sources; the published package runs the build.
  .then(({ existsSync }) => {
    const source = new URL('../src/cli/index.ts', import.meta.url);
    return import(existsSync(source) ? source.href : new URL('../dist/cli/index.js', import.meta.url).href);
  })
  .then(({ main }) => main(process.argv.slice(2)))
  .then((code) => {
    process.exitCode = code;
  });
