import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Collector, createCollector } from '../../../src/analyzer/history/collector.ts';
import { Recorder } from '../../../src/analyzer/history/recorder.ts';
import { figuresOf } from '../../../src/analyzer/history/sample.ts';
import { createSlots, type Slots } from '../../../src/analyzer/history/slots.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { getServerDown } from '../../../src/analyzer/server/product-records.ts';
import type { ManagerReader } from '../../../src/analyzer/sources/manager.ts';
import { createManagerSource, type ManagerSource } from '../../../src/analyzer/sources/manager-source.ts';
import { createReader } from '../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread } from '../../../src/analyzer/sources/reading/reading-thread.ts';
import { createTransportHost, type TransportHost } from '../../../src/analyzer/sources/transport/transport-host.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { Source } from '../../../src/base/model/observation/source.ts';
import { createFakeSite } from '../../support/fake-license-tools/fake-site.ts';
import { Expectations } from './expectations.ts';
import { createManagedSite, features, type ManagedSite } from './managed-site.ts';
import { createPlans, type FaultKind, type SourcePlan } from './plan.ts';
import { SimulatedClock } from './simulated-clock.ts';

/**
 * A simulated day of an analyzer with many license managers that fail in turn. Collector, sources, parsers, recorder and
 * store are those of the program; only the clock, and most outputs, are simulated. Everything is compared with what must be
 * known.
 */

const TIME_ZONE = 'Europe/Berlin';
/** An evening: the night between two times of the year follows, and its day has 25 hours. */
const START = Date.UTC(2026, 9, 24, 16) / 1000;
const HOUR = 3600;
const CHECK = 300;
/** A vendor license is down after this long without data, seconds. */
const DOWN_AFTER = 1800;
/** Seconds that a reading may begin after its time. */
const LATE = 1;

export interface DayOptions {
  readonly seed: number;
  readonly sources: number;
  readonly hours: number;
  /** Seconds between collections. */
  readonly interval: number;
  /** An empty directory. */
  readonly folder: string;
  readonly onHour?: (hour: number) => Promise<void>;
}

export interface DayResult {
  readonly problems: readonly string[];
  readonly readings: number;
  readonly skipped: number;
  /** Readings during each kind of fault; `good` are those without. */
  readonly byFault: ReadonlyMap<FaultKind | 'good', number>;
  /** Samples that the history has and must have. */
  readonly samples: number;
}

/** When readings began. All memory is taken at the start, because the memory of the process is watched. */
class Readings {
  readonly #begun: Float64Array;
  count = 0;

  constructor(max: number) {
    this.#begun = new Float64Array(max);
  }

  add(at: number): void {
    this.#begun[this.count] = at;
    this.count += 1;
  }

  /** The last one of each slot, without the first of all, which is due at once. */
  bySlot(slots: Slots): ReadonlyMap<number, number> {
    return new Map([...this.#begun.subarray(1, this.count)].map((at) => [slots.of(at), at]));
  }
}

interface WatchedSource {
  readonly plan: SourcePlan;
  readonly site: ManagedSite;
  readonly source: ManagerSource;
  readonly slots: Slots;
  readonly readings: Readings;
}

const faultAt = ({ faults }: SourcePlan, at: number): FaultKind | undefined =>
  faults.find(({ from, to }) => from <= at && at < to)?.kind;

class SimulatedDay {
  readonly problems: string[] = [];
  readonly byFault = new Map<FaultKind | 'good', number>();
  samples = 0;
  readonly #options: DayOptions;
  readonly #end: number;
  readonly #clock = new SimulatedClock(START);
  readonly #localTime = createLocalTime(TIME_ZONE);
  readonly #expectations: Expectations;
  readonly #host: TransportHost;
  readonly #thread = createReadingThread();
  readonly #watched: readonly WatchedSource[];
  readonly #vendorLicenses: readonly string[];
  readonly #recorder: Recorder;
  readonly #collector: Collector;

  constructor(options: DayOptions) {
    this.#options = options;
    this.#end = START + options.hours * HOUR;
    const { folder } = options;
    const { now } = this.#clock;
    const onProblem = (problem: unknown): void => this.#report(String((problem as Error)?.stack ?? problem));
    this.#host = createTransportHost({ workFolder: join(folder, 'work'), now, elapsed: now, onProblem });
    mkdirSync(join(folder, 'files'));
    const places = { clock: this.#clock, folder: join(folder, 'files'), tools: createFakeSite(join(folder, 'tools')) };
    const plans = createPlans({ ...options, start: START, end: this.#end });
    this.#watched = plans.map((plan) => this.#watch(plan, createManagedSite(plan, places)));
    this.#vendorLicenses = this.#watched.flatMap(({ site }) => site.vendorLicenses);
    const range = { start: START, end: this.#end, interval: options.interval };
    this.#expectations = new Expectations(this.#vendorLicenses, features, range);
    const common = { localTime: this.#localTime, onProblem };
    this.#recorder = new Recorder({
      ...common,
      open: () =>
        openStore({ path: join(folder, 'history.db'), localTime: this.#localTime, origin: 'test', maxSize: 2 ** 30 }),
      sampleDays: 30,
      days: 400,
      onRecovery: () => undefined,
    });
    this.#collector = createCollector({
      ...common,
      sources: this.#watched.map((watched) => this.#sourceOf(watched)),
      now,
      onCollected: ({ source, at, slot, reached }, vendorLicenses) =>
        this.#clock.during(async () => {
          const figures = reached.values().flatMap(({ name, observation }) => figuresOf(observation, name, at));
          await this.#recorder.record(slot, source.interval, { figures, observations: reached, vendorLicenses });
          const own = this.#watched.find(({ plan }) => plan.name === source.name)?.site.vendorLicenses ?? [];
          this.#reportAll(this.#expectations.problemsOf(own, this.#collector.current()));
        }),
    });
  }

  get readings(): number {
    return this.#watched.reduce((sum, { readings }) => sum + readings.count, 0);
  }

  get skipped(): number {
    return this.#watched.reduce((sum, { source }) => sum + (source.health().runs.get('skipped') ?? 0), 0);
  }

  async run(): Promise<void> {
    const uninstall = this.#clock.install();
    try {
      await this.#clock.during(() => this.#recorder.known(START));
      const started = this.#collector.start();
      for (let at = START + CHECK; at <= this.#end; at += CHECK) {
        await this.#clock.runUntil(at);
        this.#checkDown(at);
        if ((at - START) % HOUR === 0) await this.#options.onHour?.((at - START) / HOUR);
      }
      await started;
    } finally {
      uninstall();
      this.#collector.stop();
    }
    this.#checkReadings();
    this.#checkHistory();
    await this.#recorder.stop();
    await Promise.all(this.#watched.map(({ source }) => source.close()));
    this.#host.close();
    await this.#thread.close();
  }

  #report(problem: string): void {
    if (this.problems.length < 20) this.problems.push(`${new Date(this.#clock.now() * 1000).toISOString()} ${problem}`);
  }

  #reportAll<T>(problems: Generator<string, T>): T {
    for (;;) {
      const next = problems.next();
      if (next.done) return next.value;
      this.#report(next.value);
    }
  }

  #watch(plan: SourcePlan, site: ManagedSite): WatchedSource {
    const { now } = this.#clock;
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object, message: string) => this.#report(`${message} ${JSON.stringify(fields)}`),
    };
    const deps = { reader: this.#readerOf(site), now, pseudonymKey: '', log };
    return {
      plan,
      site,
      source: createManagerSource(site.settings, deps),
      slots: createSlots(this.#localTime, plan.interval),
      readings: new Readings(2 + (this.#end - START) / plan.interval),
    };
  }

  #readerOf({ settings, transport }: ManagedSite): ManagerReader {
    return createReader(settings, this.#host, this.#thread, { transport });
  }

  /** Its license manager prints what it must at that time. */
  #sourceOf({ plan, site, source, slots, readings }: WatchedSource): Source {
    const read = async (signal: AbortSignal): ReturnType<Source['read']> => {
      const begun = this.#clock.now();
      const slot = slots.of(begun);
      const fault = faultAt(plan, begun);
      readings.add(begun);
      this.byFault.set(fault ?? 'good', (this.byFault.get(fault ?? 'good') ?? 0) + 1);
      const expected = site.prepare(slot, fault);
      const observations = await source.read(signal);
      this.#expectations.add(site.vendorLicenses, slot, this.#clock.now(), expected);
      return observations;
    };
    return { ...source, read: (signal) => this.#clock.during(() => read(signal)) };
  }

  #checkDown(now: number): void {
    const { down, unsure } = this.#expectations.downAt(now, DOWN_AFTER);
    const found = new Set(getServerDown(this.#collector.current(), now, {}).map(({ Label }) => Label));
    for (const name of this.#vendorLicenses) {
      if (unsure.has(name) || found.has(name) === down.has(name)) continue;
      // before the first reading is over, it is not known
      if (this.#collector.current().some((collected) => collected.name === name))
        this.#report(`${name} is ${found.has(name) ? '' : 'not '}down`);
    }
  }

  /** A source that is not still reading begins in every slot, at its time. */
  #checkReadings(): void {
    for (const { plan, source, slots, readings } of this.#watched) {
      const begun = readings.bySlot(slots);
      for (let slot = slots.of(START); slot + source.offset < this.#end; slot = slots.after(slot)) {
        const due = slot + source.offset;
        const at = begun.get(slot);
        // due before the start, or while its previous reading may go on
        if (due <= START || faultAt(plan, due - plan.interval) === 'hang') continue;
        if (at === undefined) this.#report(`${plan.name} was not read in the slot ${slot}`);
        else if (at < due || at > due + LATE) this.#report(`${plan.name} was read ${at - due} s after its time`);
      }
    }
  }

  #checkHistory(): void {
    const store = this.#recorder.store();
    const [first, last] = [START, this.#end].map((at) => this.#localTime.dayOf(at)) as [number, number];
    const stored = store.series();
    for (const name of this.#vendorLicenses) {
      for (const series of stored.filter(({ vendorLicense }) => vendorLicense === name)) {
        const found = new Map<number, number | undefined>();
        for (let day = first; day <= last; day += 1) {
          const record = store.read(series, day);
          if (record !== undefined && 'samples' in record)
            for (const { at, inUse } of record.samples) found.set(at, inUse);
        }
        this.samples += this.#reportAll(this.#expectations.differences(name, series.feature, found));
      }
    }
  }
}

export async function runSimulatedDay(options: DayOptions): Promise<DayResult> {
  const day = new SimulatedDay(options);
  await day.run();
  const { problems, readings, skipped, byFault, samples } = day;
  return { problems, readings, skipped, byFault, samples };
}
