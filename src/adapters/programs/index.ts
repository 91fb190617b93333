import type { Clock } from '../../ports/clock.ts';
import type { ProgramCall, ProgramOutcome, Programs } from '../../ports/programs.ts';
import { type Failed, failed, notStarted, tooLarge } from './failure.ts';
import { type Group, startGroup } from './group.ts';
import { endOfOutput, type Output, quiet, wholeOutput } from './output.ts';

/** How long a program has to end after it was asked to, in milliseconds. */
const GRACE_MS = 5_000;
/** How much is kept of what a program says beside its output, in bytes. */
const STDERR_MAX_BYTES = 64_000;

/**
 * Creates what runs programs. `close` ends those under way and resolves when they are gone; it may be called twice.
 * @param deps.environment what every program gets: `programEnvironment` chooses it
 */
export function createPrograms(deps: {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string>>;
}): Programs & { close(): Promise<void> } {
  const closing = new AbortController();
  const underWay = new Set<Promise<ProgramOutcome>>();
  return {
    async run(call, signal) {
      const work = runOnce(call, deps, [signal, closing.signal]);
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

async function runOnce(
  call: ProgramCall,
  { clock, environment }: Parameters<typeof createPrograms>[0],
  callers: readonly AbortSignal[],
): Promise<ProgramOutcome> {
  const calledOff = failed(call, 'aborted', 'was ended: nobody waits for it any more.');
  if (callers.some(({ aborted }) => aborted)) return calledOff;
  let group: Group;
  try {
    group = await startGroup(call, { ...environment, ...call.env });
  } catch (error) {
    return notStarted(call, error);
  }
  const ending = createEnding(group, clock);
  const stdout = wholeOutput(call.maxBytes);
  const stderr = endOfOutput(STDERR_MAX_BYTES);
  let chunks = 0;
  const take = (output: Output) => (chunk: Buffer) => {
    chunks += 1;
    if (!output.add(chunk)) ending.end(tooLarge(call));
  };
  group.stdout.on('data', take(stdout));
  group.stderr.on('data', take(stderr));
  const stopWatching = watch(callers, () => ending.end(calledOff));
  const cancelLimit = clock.alarm(clock.now() + call.timeoutMs, () => ending.end(tooLong(call)));

  const status = await group.ended;
  cancelLimit();
  stopWatching();
  await ending.rest();
  await quiet(() => chunks);
  ending.over();
  group.release();
  const said = stderr.bytes().toString();
  const why = ending.why();
  return why ? { ...why, stderr: said } : outcome(call, status, stdout.bytes(), said);
}

/** Ends a program for a reason: the first one counts. */
interface Ending {
  end(why: Failed): void;
  /** Once the program itself has ended: ends the rest of its group. Those that were asked to end get their time. */
  rest(): Promise<void>;
  /** Call always, last. */
  over(): void;
  why(): Failed | undefined;
}

function createEnding(group: Group, clock: Clock): Ending {
  const graceOver = Promise.withResolvers<void>();
  let cancelKill = () => {};
  let why: Failed | undefined;
  return {
    end(reason) {
      if (why) return;
      why = reason;
      group.signal('SIGTERM');
      cancelKill = clock.alarm(clock.now() + GRACE_MS, () => {
        group.signal('SIGKILL');
        graceOver.resolve();
      });
    },
    async rest() {
      if (why) await Promise.race([group.closed, graceOver.promise]);
      group.signal('SIGKILL');
    },
    over: () => cancelKill(),
    why: () => why,
  };
}

function watch(callers: readonly AbortSignal[], onAbort: () => void): () => void {
  for (const caller of callers) {
    if (caller.aborted) onAbort();
    caller.addEventListener('abort', onAbort, { once: true });
  }
  return () => {
    for (const caller of callers) caller.removeEventListener('abort', onAbort);
  };
}

function outcome(call: ProgramCall, status: number | string, bytes: Buffer, stderr: string): ProgramOutcome {
  if (typeof status === 'string') {
    const hint = status === 'SIGKILL' ? ': perhaps this machine had no memory left' : '';
    return failed(call, 'killed', `was ended by ${status}, which Flowbot did not send${hint}.`, stderr);
  }
  try {
    const stdout = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'ended', exitCode: status, stdout, stderr };
  } catch {
    return failed(
      call,
      'encoding',
      'printed something that is no UTF-8 text: write it to a file of the workspace instead.',
      stderr,
    );
  }
}

function tooLong(call: ProgramCall): Failed {
  const message = `did not end within ${call.timeoutMs / 1000} s and was ended; raise the timeout if it must take longer.`;
  return failed(call, 'timeout', message);
}
