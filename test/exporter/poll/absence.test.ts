import { describe, expect, it } from 'vitest';
import type { Reading } from '../../../src/base/model/snapshot.ts';
import { createAbsence } from '../../../src/exporter/poll/plausibility.ts';

/** When an endpoint counts as absent. */

const reading = (status: number | undefined): Reading<unknown> =>
  status === 200
    ? { at: 0, seconds: 0, ok: true, value: 1 }
    : {
        at: 0,
        seconds: 0,
        ok: false,
        failure: { kind: status === undefined ? 'timeout' : 'status', message: '', code: String(status) },
      };

/** Seconds, whether GetProducts is good, and the status of each part. */
type Attempt = readonly [at: number, isServing: boolean, ...statuses: (number | undefined)[]];

describe('an endpoint is absent', () => {
  it.each<[string, boolean, Attempt[]]>([
    [
      'after 404 in two attempts 5 min apart',
      true,
      [
        [0, true, 404],
        [300, true, 404],
      ],
    ],
    [
      'after 405 and 501 for each part',
      true,
      [
        [0, true, 405, 501],
        [60, true, 404, 404],
        [301, true, 501, 404],
      ],
    ],
    [
      'not before 5 min',
      false,
      [
        [0, true, 404],
        [299, true, 404],
      ],
    ],
    ['not after one attempt', false, [[1000, true, 404]]],
    [
      'not while GetProducts fails',
      false,
      [
        [0, false, 404],
        [300, false, 404],
      ],
    ],
    [
      'not when GetProducts failed in between',
      false,
      [
        [0, true, 404],
        [100, false, 404],
        [300, true, 404],
      ],
    ],
    [
      'not after another status',
      false,
      [
        [0, true, 500],
        [300, true, 500],
      ],
    ],
    [
      'not if it answered differently in between',
      false,
      [
        [0, true, 404],
        [100, true, undefined],
        [300, true, 404],
      ],
    ],
    [
      'not if one part exists',
      false,
      [
        [0, true, 404, 200],
        [300, true, 404, 200],
      ],
    ],
    [
      'until it answers',
      false,
      [
        [0, true, 404],
        [300, true, 404],
        [3900, true, 404, 200],
      ],
    ],
    [
      'still if it cannot be reached later',
      true,
      [
        [0, true, 404],
        [300, true, 404],
        [3900, false, undefined],
      ],
    ],
  ])('%s: %s', (_, isAbsent, attempts) => {
    const absence = createAbsence(false);
    for (const [at, isServing, ...statuses] of attempts) absence.observe(statuses.map(reading), at, isServing);
    expect(absence.isAbsent).toBe(isAbsent);
  });
});
