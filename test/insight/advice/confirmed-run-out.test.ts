import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { DemandSource } from '../../../src/insight/advice/pass/demand-source.ts';
import { NightlyPass, type PassInputs } from '../../../src/insight/advice/pass/nightly-pass.ts';
import { adviceWith } from '../../support/advice.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';
import { createSnapshot, NOW } from '../../support/scenario.ts';

const method = vi.hoisted(() => ({
  runsOut: undefined as number | undefined,
  state: 'fine' as 'fine' | 'not enough data',
}));
vi.mock('../../../src/insight/advice/method/evaluation.ts', () => ({
  evaluating: function* (_: unknown, { today: computed }: { today: number }) {
    yield;
    const { runsOut: day, state } = method;
    const runsOut = day === undefined ? undefined : { day, earliest: day, latest: undefined };
    return adviceWith({ computed, runsOut, state });
  },
}));

const cleanup = createCleanup();
afterEach(async () => {
  await cleanup.run();
  vi.useRealTimers();
});

const localTime = createLocalTime('UTC');
const today = localTime.dayOf(NOW);

const demand = {
  series: adviceWith(),
  days: {
    day: new Int32Array(),
    available: new Float64Array(),
    inUse: new Float64Array(),
    reserved: new Float64Array(),
    denials: new Float64Array(),
  },
  detail: { kind: 'curve', hoursAtLeast: new Float64Array() },
} as const;

const source: DemandSource = {
  localTime,
  concurrency: 1,
  readsPast: false,
  readsAll: true,
  ready: async () => undefined,
  waitsFor: () => undefined,
  isComplete: () => true,
  intervalOf: () => undefined,
  list: () => ({ items: [{ series: demand.series, exclusion: undefined }], leftOut: 0 }),
  read: async () => demand,
};

it('a date is confirmed by passes of two days, over a restart, and not by two passes of one day', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-confirmed-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const inventory = deriveInventoryNow(createSnapshot({}), NOW, { ...everything, usageWhenNotCurrent: 'withhold' });
  let tolerance = 0;

  /** Makes the file that of another method, as 0.2.0 has written it. */
  const asOfAnotherMethod = (): void => {
    const database = new DatabaseSync(join(folder, 'rightsizing.db'));
    database.exec(`
      UPDATE pass SET summary = json_set(summary, '$.method', 3);
      UPDATE advice SET streak =
        json_object('before', json_extract(streak, '$.before.streak'), 'after', json_extract(streak, '$.after.streak'))`);
    database.close();
  };

  /** A daemon that starts on a day and computes once. */
  const confirmedOn = async (day: number, runsOut: number | undefined): Promise<number | undefined> => {
    vi.useFakeTimers({ toFake: ['Date'], now: localTime.startOf(day) * 1000 });
    method.runsOut = runsOut;
    // another setting makes a second pass of a day necessary
    tolerance += 1;
    const log = createTestLog();
    const writes = createFileWrites('rightsizing.db', log);
    const pass = new NightlyPass({ now: () => Date.now() / 1000, log, writes });
    const inputs: PassInputs = {
      enabled: true,
      tolerance,
      workingTime: { weekdays: new Set([1]), from: 8, to: 18 },
      withoutReservations: [],
      analyzer: 'a',
      file: join(folder, 'rightsizing.db'),
      source,
      owns: () => true,
      scope: '',
      inventory: () => inventory,
      nextRun: () => Number.MAX_SAFE_INTEGER,
    };
    await pass.use(inputs);
    pass.begin();
    await eventually('the pass', () => pass.latest()?.tolerance === tolerance && !pass.status().isRunning);
    const confirmed = pass.latest()?.rows[0]?.confirmedRunsOut;
    await pass.stop();
    return confirmed;
  };

  expect(await confirmedOn(today, today + 90)).toBeUndefined();
  expect(await confirmedOn(today, today + 90)).toBeUndefined();
  expect(await confirmedOn(today + 1, today + 91)).toBe(today + 91);
  // nor does it end with an update to another method
  asOfAnotherMethod();
  expect(await confirmedOn(today + 1, today + 91)).toBe(today + 91);
  // without a date on one day, computed twice, it stays
  expect(await confirmedOn(today + 2, undefined)).toBe(today + 91);
  for (let i = 0; i < 6; i += 1) expect(await confirmedOn(today + 2, undefined)).toBe(today + 91);
  for (let i = 3; i < 8; i += 1) expect(await confirmedOn(today + i, undefined)).toBe(today + 91);
  expect(await confirmedOn(today + 8, undefined)).toBeUndefined();
  // and is not known any more as soon as the data are not enough
  expect(await confirmedOn(today + 9, today + 91)).toBeUndefined();
  expect(await confirmedOn(today + 10, today + 91)).toBe(today + 91);
  method.state = 'not enough data';
  expect(await confirmedOn(today + 11, undefined)).toBeUndefined();
});
