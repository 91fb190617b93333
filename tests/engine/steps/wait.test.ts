import { describe, expect, it } from 'vitest';
import { wait } from '../../../src/engine/steps/wait.ts';
import { begin, faults } from './turn.ts';

const nowMs = Date.parse('2027-01-31T08:00:00Z');

describe('wait', () => {
  it.each([
    [{ for: '10m' }, nowMs + 600_000],
    [{ until: '2027-01-31T10:00:00+01:00' }, nowMs + 3_600_000],
    [{ until: '2020-01-01T00:00:00Z' }, Date.parse('2020-01-01T00:00:00Z')],
  ])('sleeps with %j; a time that is past is due at once', (written, untilMs) => {
    expect(begin(wait, written, {}, { nowMs })).toEqual({ kind: 'sleep', untilMs });
  });

  it.each([
    [{}, 'This waits for nothing'],
    [{ for: '1h', until: '2027-01-31T10:00:00Z' }, 'Both for: and until:'],
    [{ until: '2027-01-31T10:00:00' }, 'until: This is no time with an offset'],
    [{ until: 'tomorrow' }, 'until: This is no time with an offset'],
    [{ until: '{{a.text}}' }, 'until: This is no time with an offset'],
    [{ for: 'soon' }, 'for: "soon" is not a length of time'],
  ])('refuses %j', (written, fault) => {
    expect(faults(wait, written)).toEqual([expect.stringContaining(fault)]);
  });
});
