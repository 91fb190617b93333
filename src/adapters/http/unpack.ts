import { addAbortSignal, type Duplex, pipeline } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { quotable, Stop } from './failure.ts';

/** Most encodings on top of each other. */
const MOST_ENCODINGS = 4;

type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd';

const ENCODINGS: Readonly<Record<string, Encoding | 'identity'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
  identity: 'identity',
};

/**
 * Unpacks a body as it comes.
 *
 * @param header the `content-encoding`: the encodings in the order they were applied
 * @throws Stop `encoding`, naming the encodings, when they are unknown or the body is broken or cut short
 */
export async function* unpack(
  packed: AsyncIterable<Buffer>,
  header: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const encodings = parseEncodings(header);
  try {
    yield* encodings.reduceRight((chunks, encoding) => unpackOne(chunks, encoding, signal), packed);
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(
      'encoding',
      `The answer is said to be packed with ${encodings.join(', ')}, but it can't be unpacked: it is broken or was cut short.`,
    );
  }
}

function parseEncodings(header: string): Encoding[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > MOST_ENCODINGS) {
    throw new Stop(
      'encoding',
      `The answer is packed ${names.length} times over; at most ${MOST_ENCODINGS} are unpacked.`,
    );
  }
  return names.flatMap((name) => {
    const encoding = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
    if (encoding === undefined) {
      throw new Stop('encoding', `The answer is packed with ${quotable(name)}, which can't be unpacked.`);
    }
    return encoding === 'identity' ? [] : [encoding];
  });
}

async function* unpackOne(
  packed: AsyncIterable<Buffer>,
  encoding: Encoding,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks = packed[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return; // no body at all is no broken one
  const decoder = addAbortSignal(signal, decoderFor(encoding, first.value));
  yield* pipeline(startingWith(first.value, chunks), decoder, () => {}); // its error comes out of the decoder
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function decoderFor(encoding: Encoding, start: Buffer): Duplex {
  switch (encoding) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      // Some servers leave out the zlib header that the standard asks for; its low four bits are always 8.
      return ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
  }
}
