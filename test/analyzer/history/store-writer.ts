import { writeSync } from 'node:fs';
import { Recorder } from '../../../src/analyzer/history/recorder.ts';
import { createSlots } from '../../../src/analyzer/history/slots.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { begin, figuresAt, INTERVAL, onlyFigures, origin, series, timeZone } from '../../support/store-samples.ts';

/**
 * Records collections without end and says which are committed: made to be killed. Arguments: the file, and the number of
 * the first collection.
 */
const [path = '', first = ''] = process.argv.slice(2);
const localTime = createLocalTime(timeZone);
const slots = createSlots(localTime, INTERVAL);
const recorder = new Recorder({
  open: () => openStore({ path, localTime, origin, maxSize: 2 ** 30 }),
  localTime,
  sampleDays: 10_000,
  days: 10_000,
  onProblem: (error) => {
    throw error;
  },
  onRecovery: () => {},
});
for (let i = Number(first); ; i += 1) {
  const figures = onlyFigures(series.map((one, s) => [one, figuresAt(i, s)]));
  await recorder.record(slots.of(begin + i * INTERVAL), INTERVAL, figures);
  writeSync(1, `${i}\n`);
}
