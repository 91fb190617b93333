import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFlowFolder, type SourceFolder } from '../../src/loader/folder.ts';
import { formatFault } from '../../src/loader/located-fault.ts';
import { foldersBeside, readSources } from '../../src/loader/sources.ts';
import { type FolderWatch, watchFolders } from '../../src/loader/watch.ts';

let root: string;
let flows: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'flowbot-'));
  flows = join(root, 'flows');
  await mkdir(flows);
});

afterEach(() => rm(root, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(flows, name), text);

describe('a folder of flows', () => {
  it('gives its flow files by name and nothing else', async () => {
    await write('b.flow.yaml', 'b');
    await write('a.flow.json', 'a');
    await write('c.flow.yml', 'c');
    await write('d.flow.ts', 'd');
    await write('notes.md', 'no');
    await write('e.yaml', 'no');
    await mkdir(join(flows, 'more'));
    const folder = await readFlowFolder(flows);
    expect(folder.faults).toEqual([]);
    expect(folder.files).toEqual(
      ['a.flow.json', 'b.flow.yaml', 'c.flow.yml', 'd.flow.ts'].map((name) => ({
        file: join(flows, name),
        text: name[0],
      })),
    );
  });

  it('follows links inside and refuses those that lead out', async () => {
    await mkdir(join(flows, '..data'));
    await write('..data/a.flow.yaml', 'a');
    await symlink(join('..data', 'a.flow.yaml'), join(flows, 'a.flow.yaml'));
    await writeFile(join(root, 'secret'), 'b');
    await symlink(join('..', 'secret'), join(flows, 'b.flow.yaml'));
    await symlink('nowhere', join(flows, 'c.flow.yaml'));
    const folder = await readFlowFolder(flows);
    expect(folder.files).toEqual([{ file: join(flows, 'a.flow.yaml'), text: 'a' }]);
    expect(folder.faults.map(formatFault)).toEqual([
      `${join(flows, 'b.flow.yaml')}:1:1 error file: This is a link to a place outside the folder. Put the file itself into the folder.`,
      `${join(flows, 'c.flow.yaml')}:1:1 error file: The file can't be read: ENOENT. Check that it exists and may be read.`,
    ]);
  });

  it('may have more files than a process can hold open', async () => {
    await Promise.all(Array.from({ length: 400 }, (_, index) => write(`f${index}.flow.yaml`, 'x')));
    const folderModule = join(import.meta.dirname, '../../src/loader/folder.ts');
    const count = `const { readFlowFolder } = await import(${JSON.stringify(folderModule)});
      const { files, faults } = await readFlowFolder(${JSON.stringify(flows)});
      console.log(files.length, faults.length);`;
    const limited = 'ulimit -n 200; exec "$0" --input-type=module --eval "$1"';
    expect(execFileSync('sh', ['-c', limited, process.execPath, count], { encoding: 'utf8' })).toBe(
      '400 0\n',
    );
  });

  it('refuses what is no regular file, without waiting for it', async () => {
    execFileSync('mkfifo', [join(flows, 'a.flow.yaml')]);
    await mkdir(join(flows, 'b.flow.yaml'));
    await write('c.flow.yaml', 'c');
    const folder = await readFlowFolder(flows);
    expect(folder.files.map(({ text }) => text)).toEqual(['c']);
    expect(folder.faults.map(({ message }) => message)).toEqual([
      'This is not a file.',
      'This is not a file.',
    ]);
  });

  it('refuses a huge file unread, and says when it is not there itself', async () => {
    await write('a.flow.yaml', 'x'.repeat(1_000_001));
    expect((await readFlowFolder(flows)).faults.map((fault) => fault.message)).toEqual([
      'The file has 1,000,001 bytes; at most 1,000,000 are read.',
    ]);
    expect((await readFlowFolder(join(root, 'none'))).faults.map((fault) => fault.message)).toEqual([
      "The folder can't be read: ENOENT.",
    ]);
  });
});

describe('a folder under watch', () => {
  const watches: FolderWatch[] = [];

  afterEach(async () => {
    await Promise.all(watches.splice(0).map((watch) => watch.close()));
  });

  /** Watches, with the wait for writers in the hands of the test. */
  async function watchByHand(known?: SourceFolder) {
    const waiting: PromiseWithResolvers<void>[] = [];
    const waits = signals<PromiseWithResolvers<void>>();
    const changes = signals<readonly string[]>();
    const watch = await watchFolders(
      [flows],
      () => readFlowFolder(flows),
      (folder) => changes.give(folder.files.map((file) => file.text)),
      {
        ...(known && { known }),
        settle: () => {
          const wait = Promise.withResolvers<void>();
          waiting.push(wait);
          waits.give(wait);
          return wait.promise;
        },
      },
    );
    watches.push({
      close: () => {
        const closed = watch.close();
        for (const wait of waiting) wait.resolve();
        return closed;
      },
    });
    return { waits, changes };
  }

  it('reports the whole folder once writing has ended', async () => {
    await write('a.flow.yaml', 'one');
    const { waits, changes } = await watchByHand({ files: [], faults: [] });
    const first = await waits.take();
    await write('b.flow.yaml', 'half');
    first.resolve();
    const second = await waits.take();
    await write('b.flow.yaml', 'half and half');
    second.resolve();
    const settled = changes.take();
    waits.always((wait) => wait.resolve());
    expect(await settled).toEqual(['one', 'half and half']);
  });

  it('reports new, renamed and removed files, also of a folder that comes later', async () => {
    await rm(flows, { recursive: true });
    const { waits, changes } = await watchByHand();
    waits.always((wait) => wait.resolve());
    await mkdir(flows);
    await write('a.flow.yaml', 'one');
    const next = async (wanted: readonly string[]) => {
      let seen = await changes.take();
      while (JSON.stringify(seen) !== JSON.stringify(wanted)) seen = await changes.take();
      return seen;
    };
    expect(await next(['one'])).toEqual(['one']);
    await write('.a.swap', 'two');
    await rename(join(flows, '.a.swap'), join(flows, 'a.flow.yaml'));
    expect(await next(['two'])).toEqual(['two']);
    await rm(join(flows, 'a.flow.yaml'));
    expect(await next([])).toEqual([]);
  });

  it('can be closed twice, also in the middle of a change', async () => {
    const { waits } = await watchByHand({ files: [], faults: [] });
    const watch = watches.at(-1);
    await write('a.flow.yaml', 'one');
    await waits.take();
    await Promise.all([watch?.close(), watch?.close()]);
  });
});

/** Values that one side gives and the other waits for. */
function signals<T>() {
  const given: T[] = [];
  const takers: ((value: T) => void)[] = [];
  let always: ((value: T) => void) | undefined;
  return {
    give(value: T) {
      const taker = takers.shift();
      if (always) always(value);
      else if (taker) taker(value);
      else given.push(value);
    },
    take: () =>
      new Promise<T>((resolve) => {
        const value = given.shift();
        if (value !== undefined) resolve(value);
        else takers.push(resolve);
      }),
    always(use: (value: T) => void) {
      always = use;
      given.splice(0).forEach(use);
    },
  };
}

describe('the folders of agents and schemas', () => {
  it('are watched too, with the replies one folder further down, and need not exist', async () => {
    const folders = foldersBeside(flows);
    const changes = signals<readonly string[]>();
    const watch = await watchFolders(
      Object.values(folders),
      () => readSources(folders),
      ({ agents, replies }) =>
        changes.give([...(agents?.files ?? []), ...(replies?.files ?? [])].map(({ text }) => text)),
      { settle: async () => {} },
    );
    try {
      const agent = 'runtime: scripted\nreplies: replies/w.yaml\n';
      await mkdir(join(folders.agents, 'replies'), { recursive: true });
      await writeFile(join(folders.agents, 'replies', 'w.yaml'), 'one');
      await writeFile(join(folders.agents, 'w.agent.yaml'), agent);
      let seen = await changes.take();
      while (seen.length < 2) seen = await changes.take();
      expect(seen).toEqual([agent, 'one']);
      await writeFile(join(folders.agents, 'replies', 'w.yaml'), 'two');
      while (seen[1] !== 'two') seen = await changes.take();
    } finally {
      await watch.close();
    }
  });
});
