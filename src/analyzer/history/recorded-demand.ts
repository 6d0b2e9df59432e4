import type { LocalTime } from '../../base/model/local-time.ts';
import type { ImportedDays } from '../../base/model/observation/recording.ts';
import type { BlockedDay } from './blocked-table.ts';
import { StoreError } from './history-file.ts';
import { HourColumns } from './hour-columns.ts';
import type { RecordedBlocked } from './recorded-blocked.ts';
import type { RecordedDenials } from './recorded-denials.ts';
import type { RecordedReclaimable } from './recorded-reclaimable.ts';
import { type WaitedDay, waitedDays } from './recorded-waits.ts';
import type { Series } from './sample.ts';
import type { DayColumns } from './sealed-days.ts';
import type { StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/** The hours of a local day in columns, whose memory is used again for the next day. NaN is unknown. */
export interface DayOfColumns extends Pick<HourColumns, 'count' | 'available' | 'reserved' | 'denials' | 'firstLevel'> {
  readonly day: number;
  /** Hour of the clock, 0 to 23. */
  readonly hour: Float64Array;
  readonly inUse: Float64Array;
  readonly seconds: Float64Array;
}

/**
 * The recorded use of licenses, for readers in the same process: sealed days alone, so that what is read once does not
 * change. Its methods throw `StoreError`.
 */
export interface RecordedDemand {
  /** What the figures are of. */
  readonly origin: string;
  /** The calendar of the days. */
  readonly localTime: LocalTime;
  series(): readonly StoredSeries[];
  /** Days before this one are complete. */
  sealedUntil(): number;
  /** The totals of all days before one. */
  totals(series: StoredSeries, before: number): DayColumns;
  /** The hours of days from one to before another, ascending. */
  hours(series: StoredSeries, from: number, to: number): Generator<DayOfColumns, void>;
  /** The days from one to before another of which the people who waited are known, in order. */
  waits(series: StoredSeries, from: number, to: number): readonly BlockedDay[];
  /** Seconds between two collections of a vendor license; `undefined` if it is not collected. */
  intervalOf(vendorLicense: string): number | undefined;
  /** Resolves when the past that a source knows has been added. */
  pastAdded(): Promise<void>;
  /** Days of that past that are not added yet; `undefined` if all are. */
  pastDaysLeft(): number | undefined;
  /** Registers what is called when an import was added. */
  onImported(listener: () => void): void;
  /** What of a series was imported, the oldest first. */
  imported(series: StoredSeries): readonly ImportedDays[];
  /** The people who waited on days from one to before another, also on days that are not sealed. Rejects with `StoreError`. */
  waitedDays(from: number, to: number, isAskedFor: (series: Series) => boolean): Promise<readonly WaitedDay[]>;
  readonly denials: RecordedDenials;
  readonly blocked: RecordedBlocked;
  readonly reclaimable: RecordedReclaimable;
}

/** The history, and what is known about it without reading it. */
export interface RecordedDemandOptions
  extends Pick<
    RecordedDemand,
    | 'origin'
    | 'localTime'
    | 'intervalOf'
    | 'pastAdded'
    | 'pastDaysLeft'
    | 'onImported'
    | 'denials'
    | 'blocked'
    | 'reclaimable'
  > {
  /** @throws StoreError */
  readonly store: () => Store;
}

/** Enough for the hours of most days. */
const FEW_BYTES = 8192;

/** What the days of one series are read into, one after another. */
interface Memory {
  readonly columns: HourColumns;
  readonly hour: Float64Array;
  bytes: Buffer;
}

/** Days that are read at once: their bytes are in memory together. */
const DAYS_AT_ONCE = 32;

/** Reads the year of one feature after the other into memory that is used again. */
export function createRecordedDemand({ store, localTime, ...options }: RecordedDemandOptions): RecordedDemand {
  /** Memory that no series is read into now. */
  const free: Memory[] = [];

  const take = (): Memory => {
    const known = free.pop();
    if (known !== undefined) return known;
    const columns = new HourColumns();
    return { columns, hour: new Float64Array(columns.index.length), bytes: Buffer.alloc(FEW_BYTES) };
  };

  const decode = (memory: Memory, digits: string, { feature }: StoredSeries): void => {
    if (digits.length > 2 * memory.bytes.length) memory.bytes = Buffer.alloc(digits.length);
    const length = memory.bytes.write(digits, 'hex');
    try {
      memory.columns.decode(memory.bytes.subarray(0, length));
    } catch (error) {
      throw new StoreError(`the history store: a day of ${feature} is damaged`, { cause: error });
    }
  };

  const hourOf = (day: number, { index, count }: HourColumns, hour: Float64Array): void => {
    const clock = localTime.hoursOf(day);
    for (let i = 0; i < count; i += 1) hour[i] = clock[index[i] as number]?.hour ?? Number.NaN;
  };
  return {
    ...options,
    localTime,
    series: () => store().series(),
    sealedUntil: () => store().sealedUntil(),
    imported: (series) => store().imported(series),
    waitedDays: async (from, to, isAskedFor) => {
      if (options.pastDaysLeft() !== undefined)
        throw new StoreError('the history before the start is still being added');
      return waitedDays(store(), from, to, isAskedFor);
    },
    totals: (series, before) => store().sealedColumns(series, before),
    waits: (series, from, to) => store().blocked(series, from, to),
    hours: function* (series, from, to) {
      const memory = take();
      const { columns, hour } = memory;
      try {
        for (let first = from; first < to; first += DAYS_AT_ONCE) {
          for (const [day, digits] of store().encodedHours(series, first, Math.min(to, first + DAYS_AT_ONCE))) {
            decode(memory, digits, series);
            hourOf(day, columns, hour);
            const { count, available, reserved, denials, firstLevel, inUse, seconds } = columns;
            yield { day, count, hour, available, reserved, denials, firstLevel, inUse, seconds };
          }
        }
      } finally {
        free.push(memory);
      }
    },
  };
}
