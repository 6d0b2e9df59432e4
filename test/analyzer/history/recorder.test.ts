import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/analyzer/history/history-file.ts';
import { Recorder } from '../../../src/analyzer/history/recorder.ts';
import type { Figures, Past, PastPiece, Series } from '../../../src/analyzer/history/sample.ts';
import { createSlots } from '../../../src/analyzer/history/slots.ts';
import { openStore, type Recording, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { onlyFigures } from '../../support/store-samples.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const localTime = createLocalTime('Europe/Berlin');
const DAY = 86_400;
/** Midnight in Berlin. */
const MIDNIGHT = Date.UTC(2026, 10, 17, 23) / 1000;
const today = localTime.dayOf(MIDNIGHT);

const one: Series = { vendorLicense: 'a;d', feature: 'f', package: '', featureType: 'feature' };
const figures: Figures = { available: 9, inUse: 3, reserved: 0, users: 2, denials: 1 };

interface Reported {
  readonly problems: string[];
  recoveries: number;
}

const slots = createSlots(localTime, 300);

/** Records at any time of a slot. */
interface TestRecorder
  extends Pick<Recorder, 'store' | 'state' | 'known' | 'addPast' | 'pastDaysLeft' | 'stop'>,
    Reported {
  record(at: number, recording: Recording): Promise<void>;
}

function recorderOf(open: () => Store, more: { sampleDays?: number; days?: number } = {}): TestRecorder {
  const reported: Reported = { problems: [], recoveries: 0 };
  const recorder = new Recorder({
    open,
    localTime,
    sampleDays: 30,
    days: 400,
    ...more,
    onProblem: (error) => reported.problems.push((error as Error).message),
    onRecovery: () => {
      reported.recoveries += 1;
    },
  });
  cleanup.add(() => recorder.stop());
  return Object.assign(reported, {
    record: (at: number, recording: Recording) => recorder.record(slots.of(at), slots.interval, recording),
    store: () => recorder.store(),
    state: () => recorder.state(),
    known: (now: number) => recorder.known(now),
    addPast: (past: Past) => recorder.addPast(past),
    pastDaysLeft: () => recorder.pastDaysLeft(),
    stop: () => recorder.stop(),
  });
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-recorder-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const opener = (path?: string) => () => openStore({ path, localTime, origin: 'test', maxSize: 2 ** 30 });

describe('slots', () => {
  it('divide every local day without gap or overlap, in whole seconds', () => {
    const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago'].map(createLocalTime);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(1, 1.5, 7, 60, 300, 1000, 3600),
        fc.integer({ min: MIDNIGHT - 400 * DAY, max: MIDNIGHT + 400 * DAY }),
        (zone, interval, at) => {
          const timetable = createSlots(zone, interval);
          const [slot, next] = [timetable.of(at), timetable.after(at)];
          expect(Number.isInteger(slot)).toBe(true);
          expect(slot).toBeLessThanOrEqual(at);
          expect(next).toBeGreaterThan(at);
          expect(next - slot).toBeLessThan(interval + 1);
          expect(zone.dayOf(slot)).toBe(zone.dayOf(at));
          expect(timetable.of(next)).toBe(Math.floor(next));
        },
      ),
    );
  });
});

describe('recorder', () => {
  it('seals the days that are over with the first collection of the next', async () => {
    const recorder = recorderOf(opener());
    await recorder.record(MIDNIGHT + 100, onlyFigures([[one, figures]]));
    const store = recorder.store();
    expect(store.sealedUntil()).toBe(today);
    await recorder.record(MIDNIGHT + DAY - 1, onlyFigures([[one, figures]]));
    expect(store.sealedUntil()).toBe(today);
    await recorder.record(MIDNIGHT + DAY, onlyFigures([[one, figures]]));
    expect(store.sealedUntil()).toBe(today + 1);
    const [stored] = store.series();
    expect(stored && [...store.sealedHours(stored, today, today + 5)].map(({ day }) => day)).toEqual([today]);
  });

  it('deletes data after its retention', async () => {
    const recorder = recorderOf(opener(), { sampleDays: 2, days: 4 });
    for (let day = 0; day < 10; day += 1) await recorder.record(MIDNIGHT + day * DAY, onlyFigures([[one, figures]]));
    const store = recorder.store();
    const [stored] = store.series();
    if (stored === undefined) throw new Error('no series');
    const kept = Array.from({ length: 10 }, (_, day) => store.read(stored, today + day)).map((record) =>
      record === undefined ? 'nothing' : 'samples' in record ? 'samples' : 'hours',
    );
    expect(kept).toEqual([...Array(5).fill('nothing'), 'hours', 'hours', 'samples', 'samples', 'samples']);
  });

  it('reports once why nothing can be recorded, tries again with each collection, and reports when it works', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'state'), '');
    const recorder = recorderOf(opener(join(folder, 'state/history.db')));
    for (let i = 0; i < 3; i += 1) await recorder.record(MIDNIGHT + i * 300, onlyFigures([[one, figures]]));
    const message = `the history store (${folder}/state/history.db): it cannot be opened; the directory must exist and be writable`;
    expect(recorder.problems).toEqual([message]);
    expect(() => recorder.store()).toThrow(new StoreError(message));
    rmSync(join(folder, 'state'));
    await recorder.record(MIDNIGHT + 900, onlyFigures([[one, figures]]));
    expect([recorder.problems.length, recorder.recoveries]).toEqual([1, 1]);
    expect(recorder.store().series()).toHaveLength(1);
  });

  const pastOf = (days: number, upTo?: (day: number) => void): Past =>
    function* (until, before): Generator<PastPiece | undefined> {
      for (let day = before - 1; day >= localTime.dayOf(until) - days; day -= 1) {
        upTo?.(day);
        yield undefined;
        const at = localTime.startOf(day);
        if (at >= until) continue;
        const whole = { series: one, day, samples: [{ at, seconds: 3600, ...figures }] };
        yield { series: [whole], completeFrom: day + 1, daysLeft: 3 };
        // a piece twice, as after an interruption in the middle of a day
        yield { series: [whole], completeFrom: day, daysLeft: 3 };
      }
    };

  it('adds the past once, goes on where it was interrupted, and mixes nothing up with the first day', async () => {
    const path = join(temporaryFolder(), 'history.db');
    const first = recorderOf(opener(path));
    await first.record(MIDNIGHT + 7200, onlyFigures([[one, figures]]));
    const adding = first.addPast(
      pastOf(20, (day) => {
        if (day === today - 8) void first.stop();
      }),
    );
    await adding;
    await first.stop();

    const visited: number[] = [];
    const second = recorderOf(opener(path));
    await second.record(MIDNIGHT + 7500, onlyFigures([[one, figures]]));
    await second.addPast(pastOf(20, (day) => visited.push(day)));
    expect(visited[0]).toBe(today - 8);
    expect(visited.at(-1)).toBe(today - 20);
    const store = second.store();
    const [stored] = store.series();
    if (stored === undefined) throw new Error('no series');
    expect(store.days([stored])).toEqual({ first: today - 20, last: today });
    for (let day = today - 20; day < today; day += 1) {
      expect(store.read(stored, day)).toEqual({ samples: [{ at: localTime.startOf(day), seconds: 3600, ...figures }] });
    }
    const onFirstDay = store.read(stored, today);
    expect(onFirstDay && 'samples' in onFirstDay && onFirstDay.samples.map(({ at }) => at - MIDNIGHT)).toEqual([
      0, 7200, 7500,
    ]);
    await second.addPast(pastOf(20, () => expect.unreachable()));
  });

  it('records while it adds the past', async () => {
    const recorder = recorderOf(opener());
    await recorder.record(MIDNIGHT, onlyFigures([[one, figures]]));
    let recorded = 0;
    const adding = recorder.addPast(pastOf(300));
    for (let i = 1; i <= 20; i += 1) {
      await recorder.record(MIDNIGHT + i * 300, onlyFigures([[one, figures]]));
      recorded += 1;
    }
    await adding;
    await eventually('all recorded', () => recorded === 20);
    expect(recorder.problems).toEqual([]);
    expect(recorder.store().days()).toEqual({ first: today - 300, last: today });
  });
});
