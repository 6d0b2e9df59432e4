import type { LocalTime } from '../../base/model/local-time.ts';
import type { DayOfSamples, Sample, Series } from '../history/sample.ts';
import { RefusedRequests, requestKey } from '../sources/log/refused-requests.ts';
import type { LicenseEvent } from '../sources/log/usage-log.ts';
import { FeatureUse } from './feature-use.ts';
import { type Span, UsageDay } from './usage-day.ts';

/** Seconds after a day in which lines about it may still come. */
const LATE = 120;
/** Seconds in which a daemon starts. */
const SAME_START = 60;

/** What a replay found beside figures. */
export interface ReplayCounts {
  /** Sessions that ended with their daemon, without a line of their own. */
  guessedEnds: number;
  /** Checkins without a checkout, after a start of the daemon. */
  unmatched: number;
  /** Sessions that had begun before the log. */
  begunBefore: number;
  /** Sessions that were open at the end. */
  open: number;
  events: number;
  denials: number;
}

/** The sessions that were open at the beginning of a part of a log. */
export type OpenSessions = readonly LicenseEvent[];

/** The calendar of the days, and where they go. */
export interface DaemonUseOptions {
  readonly localTime: LocalTime;
  /** Undefined for a feature that is not imported. */
  readonly seriesOf: (feature: string) => Series | undefined;
  readonly write: (day: DayOfSamples) => void;
  readonly counts: ReplayCounts;
  /** Sessions that an earlier replay found to be open at the beginning of each part of the log; undefined in the first replay. */
  readonly openAt: readonly OpenSessions[] | undefined;
}

/** A local day of which the log tells. */
interface LogDay {
  readonly day: number;
  readonly start: number;
  /** First second after it. */
  readonly end: number;
  /** Parts of it that the log tells of, in order. */
  readonly covered: Span[];
}

/**
 * The use of the licenses of a vendor daemon, as its log tells it, slot by slot. Each feature has samples from the first day of
 * the log on, and none while the daemon does not run.
 */
export class DaemonUse {
  /** Sessions that were open at the beginning of each part of the log, as far as their ends show it. */
  readonly foundAt: LicenseEvent[][] = [];
  /** Whether some were found that this replay did not begin with, or may be found by the next one. */
  hasFound = false;
  readonly #options: DaemonUseOptions;
  readonly #features: FeatureUse[] = [];
  /** As the log spells them: letters of another case are the same feature. */
  readonly #byName = new Map<string, FeatureUse>();
  /** Whole days, for features that the log names later. */
  readonly #days: LogDay[] = [];
  /** The day of the last line, and the day before, until no line about it can follow. */
  #today: LogDay | undefined;
  #yesterday: LogDay | undefined;
  #isRunning = false;
  /** Up to when this is known. */
  #at = Number.NEGATIVE_INFINITY;
  /** Whether the present part began with a start of the daemon: then nobody had a license. */
  #isSinceStart = false;
  /** When the daemon began to start, until it has given licenses. */
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Sessions that ended with the daemon; lines about them may follow. */
  #cut = 0;

  /** Requests for features. */
  readonly #refused = new RefusedRequests<string>(({ what, at }) => {
    this.#options.counts.denials += 1;
    this.#feature(what).deny(Math.min(at, this.#at), this.#today?.start ?? 0);
  });

  constructor(options: DaemonUseOptions) {
    this.#options = options;
  }

  runs(at: number): void {
    // what ends still writes lines
    if (!this.#isRunning && this.#at !== Number.NEGATIVE_INFINITY) return;
    this.#passTo(at);
  }

  starts(at: number): void {
    // several lines say so, of `lmgrd` and of the daemon
    if (this.#isRunning && at - this.#startedAt <= SAME_START) {
      this.#passTo(at);
      return;
    }
    this.hasEnded();
    this.#cut = 0;
    this.#begin(at, true);
    this.#startedAt = this.#at;
  }

  /** Some time before, if it ran: nobody knows when, so that only what the last line says is known. */
  hasEnded(): void {
    if (this.#isRunning) this.#end();
  }

  stops(at: number): void {
    if (!this.#isRunning) return;
    this.#passTo(at);
    this.#end();
  }

  /** Lines are missing: what happens meanwhile is not known. */
  loses(): void {
    if (this.#isRunning) this.#end();
    this.#at = Number.NEGATIVE_INFINITY;
  }

  out(at: number, event: LicenseEvent): void {
    const { feature: name, client, askedFor } = event;
    if (client !== undefined && !this.#refused.isEmpty) {
      this.#refused.passTo(at);
      this.#refused.forget(requestKey(name, client));
      if (askedFor !== undefined) this.#refused.forget(requestKey(askedFor, client));
    }
    if (!this.#isRunning && this.#at !== Number.NEGATIVE_INFINITY) this.#begin(at, true);
    this.#passTo(at);
    this.#startedAt = Number.NEGATIVE_INFINITY;
    this.#options.counts.events += 1;
    const feature = this.#feature(event.feature);
    feature.advance(this.#at);
    feature.take(event);
    this.#learn(feature, event);
  }

  in(at: number, event: LicenseEvent): void {
    if (!this.#isRunning && this.#at !== Number.NEGATIVE_INFINITY) {
      // a line about a session that has ended with the daemon
      if (this.#cut > 0) {
        this.#cut -= 1;
        this.#options.counts.guessedEnds -= 1;
      }
      return;
    }
    this.#passTo(at);
    const { counts } = this.#options;
    counts.events += 1;
    const feature = this.#feature(event.feature);
    feature.advance(this.#at);
    const rest = feature.give(event);
    if (rest > 0 && this.#isSinceStart) counts.unmatched += 1;
    else if (rest > 0) this.#find({ ...event, licenses: rest });
    this.#learn(feature, event);
  }

  asks(at: number, name: string): void {
    this.runs(at);
    this.#feature(name);
  }

  denied(at: number, name: string, client: string | undefined): void {
    this.asks(at, name);
    const key = client === undefined ? undefined : requestKey(name, client);
    this.#refused.refuse(key, { what: name, at, readAt: 0 });
  }

  bought(at: number, name: string, licenses: number): void {
    this.runs(at);
    const feature = this.#feature(name);
    feature.advance(this.#at);
    feature.now.available = licenses;
  }

  /** The log has ended. */
  finish(): void {
    this.#refused.makeCertain(() => true);
    if (this.#isRunning) {
      for (const { holders } of this.#features) this.#options.counts.open += holders.size;
      this.#close();
    }
    this.#roll(undefined);
    this.#roll(undefined);
    for (const feature of this.#features) this.#writeDaysBefore(feature);
  }

  /** What a line says beside its event. */
  #learn(feature: FeatureUse, { inUse, available, ...event }: LicenseEvent): void {
    if (available !== undefined) feature.now.available = available;
    if (inUse === undefined || this.#isSinceStart) return;
    const known = feature.now.licenses + feature.others;
    if (inUse <= known) return;
    this.hasFound = true;
    // which of them end in the log, the first replay does not know
    if (this.#options.openAt === undefined) return;
    const licenses = inUse - known;
    feature.others += licenses;
    this.#find({ ...event, client: undefined, user: undefined, licenses, inUse, available });
  }

  #find(session: LicenseEvent): void {
    this.hasFound = true;
    this.foundAt.at(-1)?.push(session);
  }

  #feature(name: string): FeatureUse {
    const known = this.#byName.get(name) ?? this.#byName.get(name.toLowerCase());
    if (known !== undefined) {
      this.#byName.set(name, known);
      return known;
    }
    const today = this.#today as LogDay;
    const from = today.covered.at(-1)?.from ?? today.start;
    const feature = new FeatureUse(this.#options.seriesOf(name), today.day, today.start, from);
    this.#features.push(feature);
    this.#byName.set(name, feature).set(name.toLowerCase(), feature);
    feature.advance(this.#at);
    return feature;
  }

  #begin(at: number, isSinceStart: boolean): void {
    const from = Math.max(at, this.#at);
    this.#isRunning = true;
    this.#isSinceStart = isSinceStart;
    this.#at = from;
    this.#enter(from);
    this.#today?.covered.push({ from, to: from });
    for (const feature of this.#features) feature.at = from;
    if (isSinceStart) return;
    for (const feature of this.#features) feature.others = 0;
    const open = this.#options.openAt?.[this.foundAt.length] ?? [];
    this.foundAt.push([...open]);
    for (const event of open) this.#feature(event.feature).resume(event);
    this.#options.counts.begunBefore += open.length;
  }

  /** All sessions end, and the log tells nothing until it begins again. */
  #end(): void {
    this.#close();
    for (const feature of this.#features) {
      this.#cut += feature.holders.size;
      this.#options.counts.guessedEnds += feature.holders.size;
      feature.clear();
    }
  }

  #close(): void {
    for (const feature of this.#features) feature.advance(this.#at);
    this.#cover();
    this.#isRunning = false;
  }

  /** A line of this time: licenses are in use up to then as before. */
  #passTo(time: number): void {
    if (!this.#isRunning) {
      this.#begin(time, false);
      return;
    }
    if (time <= this.#at) return;
    this.#refused.passTo(time);
    for (let today = this.#today; today !== undefined && time >= today.end; today = this.#today) {
      this.#at = today.end;
      for (const feature of this.#features) feature.advance(today.end);
      this.#cover();
      this.#enter(today.end);
      this.#today?.covered.push({ from: today.end, to: today.end });
    }
    this.#at = time;
    if (this.#yesterday !== undefined && time > this.#yesterday.end + LATE) this.#writeYesterday();
  }

  /** The present part of the log reaches up to now. */
  #cover(): void {
    const last = this.#today?.covered.pop();
    if (last !== undefined) this.#today?.covered.push({ from: last.from, to: this.#at });
  }

  /** The day of a time is today. */
  #enter(at: number): void {
    if (this.#today !== undefined && at < this.#today.end) return;
    const { localTime } = this.#options;
    const day = localTime.dayOf(at);
    this.#roll({ day, start: localTime.startOf(day), end: localTime.startOf(day + 1), covered: [] });
  }

  #roll(next: LogDay | undefined): void {
    this.#writeYesterday();
    this.#yesterday = this.#today;
    this.#today = next;
    for (const feature of this.#features) feature.roll(next?.start ?? 0);
  }

  #writeYesterday(): void {
    const day = this.#yesterday;
    this.#yesterday = undefined;
    if (day === undefined) return;
    this.#days.push(day);
    for (const { series, firstDay, before } of this.#features) {
      if (series === undefined || firstDay > day.day) continue;
      const samples = before.samples(day.covered, day.end);
      if (samples.length > 0) this.#options.write({ series, day: day.day, samples });
    }
  }

  /** Before a log names a feature, nobody has a license of it. */
  #writeDaysBefore({ series, firstDay }: FeatureUse): void {
    if (series === undefined) return;
    for (const { day, start, end, covered } of this.#days) {
      if (day >= firstDay) continue;
      const samples = unusedSamples(start, end, covered);
      if (samples.length > 0) this.#options.write({ series, day, samples });
    }
  }
}

function unusedSamples(start: number, end: number, covered: readonly Span[]): readonly Sample[] {
  const day = new UsageDay();
  day.begin(start);
  return day.samples(covered, end);
}
