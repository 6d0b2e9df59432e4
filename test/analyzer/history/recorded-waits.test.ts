import { afterEach, describe, expect, it } from 'vitest';
import { waitedDays } from '../../../src/analyzer/history/recorded-waits.ts';
import type { Series } from '../../../src/analyzer/history/sample.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { EndedWaits } from '../../../src/base/model/observation/observation.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createCleanup } from '../../support/harness.ts';
import { onlyFigures } from '../../support/store-samples.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const localTime = createLocalTime('Europe/Berlin');
const DAY = 20_000;
const one: Series = { vendorLicense: 'a;d', feature: 'f', package: '', featureType: 'feature' };
const other: Series = { ...one, feature: 'other' };
const wait: EndedWaits = { cause: 'all_busy', ended: 'got', episodes: 2, people: 1, seconds: 90 };

describe('the people who waited, by day', () => {
  it('are not known on a day of which the denials are not known, or of which nobody is; nobody waited without denials', async () => {
    const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
    cleanup.add(() => store.close());
    const figures = { available: 2, inUse: 2, reserved: undefined, users: undefined };
    const denials = [0, undefined, 5, 4, 0, 3];
    for (const [i, some] of denials.entries()) {
      const at = localTime.startOf(DAY + i);
      runAtOnce(
        store.record(
          at,
          3600,
          onlyFigures([
            [one, { ...figures, denials: some }],
            [other, { ...figures, denials: 0 }],
          ]),
        ),
      );
    }
    runAtOnce(store.addBlocked([[one, { day: DAY + 3, waits: [wait] }]]));
    // whom nobody let wait, although requests were refused
    runAtOnce(store.addBlocked([[one, { day: DAY + 5, waits: [] }]]));
    const read = async (from: number, to: number) =>
      (await waitedDays(store, DAY + from, DAY + to, ({ feature }) => feature === 'f')).map(({ day, waits }) => [
        day - DAY,
        waits,
      ]);
    const all = [
      [0, []],
      [1, undefined],
      [2, undefined],
      [3, [wait]],
      [4, []],
      [5, []],
    ];
    expect(await read(0, 6)).toEqual(all);
    runAtOnce(store.seal(DAY + 4));
    expect(await read(0, 6)).toEqual(all);
    expect(await read(3, 5)).toEqual(all.slice(3, 5));
    expect(await read(7, 9)).toEqual([]);
  });
});
