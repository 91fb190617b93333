import { describe, expect, it } from 'vitest';
import {
  type Circuit,
  CLOSED,
  calledOff,
  failedOnce,
  maySend,
  sending,
} from '../../../src/engine/agents/circuit.ts';

/** After so many failures in a row, the last of them at that time. */
function failed(times: number, atMs = 0): Circuit {
  let circuit = CLOSED;
  for (let time = 0; time < times; time += 1) circuit = failedOnce(circuit, atMs);
  return circuit;
}

describe('a circuit', () => {
  it('opens with the fifth failure in a row, for 30 s', () => {
    expect(maySend(failed(4), 0)).toBe(true);
    expect(maySend(failed(5), 29_999)).toBe(false);
    expect(maySend(failed(5), 30_000)).toBe(true);
  });

  it('lets one turn look whether the provider is back', () => {
    const probing = sending(failed(5));
    expect(maySend(probing, 30_000)).toBe(false);
    expect(maySend(calledOff(probing), 30_000)).toBe(true);
  });

  it('stays closed while turns are sent', () => {
    expect(sending(CLOSED)).toEqual(CLOSED);
  });

  it('is open twice as long each time, up to 5 minutes', () => {
    let circuit = failed(5);
    const pauses: number[] = [];
    for (let time = 0; time < 6; time += 1) {
      const atMs = circuit.openUntilMs ?? 0;
      circuit = failedOnce(sending(circuit), atMs);
      pauses.push((circuit.openUntilMs ?? 0) - atMs);
    }
    expect(pauses).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
  });
});
