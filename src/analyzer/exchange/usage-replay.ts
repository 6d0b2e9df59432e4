import type { LocalTime } from '../../base/model/local-time.ts';
import type { DayOfSamples, Series } from '../history/sample.ts';
import type { LicenseEvent, LicenseRefusal, UsageEvents } from '../sources/log/usage-log.ts';
import { DaemonUse, type OpenSessions, type ReplayCounts } from './daemon-use.ts';
import { type ReplayedDay, ReplayedWaits } from './replayed-waits.ts';

/** Days that are written at once. */
const BATCH = 256;

/** Sessions that were open at the beginning of each part of the log of each daemon. */
export type BegunBefore = ReadonlyMap<string, readonly OpenSessions[]>;

/** How days are named, and where they go. */
export interface ReplayOptions {
  /** The calendar of the days. */
  readonly localTime: LocalTime;
  /** The series of a feature; undefined if it is not imported. */
  readonly seriesOf: (daemon: string, feature: string) => Series | undefined;
  /** Whether a feature that nobody uses is imported too. */
  readonly isListed: (daemon: string, feature: string) => boolean;
  /** The name of the user in a refusal; empty if it has none. */
  readonly userOf: (who: string) => string;
  readonly write: (days: readonly DayOfSamples[]) => void;
  /** Gets the people who waited. */
  readonly writeBlocked: (day: ReplayedDay) => void;
}

/** Replays what logs say of checkouts and checkins, as samples of local days. */
export class UsageReplay implements UsageEvents {
  readonly counts: ReplayCounts = { guessedEnds: 0, unmatched: 0, begunBefore: 0, open: 0, events: 0, denials: 0 };
  readonly #options: ReplayOptions;
  readonly #begunBefore: BegunBefore | undefined;
  readonly #daemons = new Map<string, DaemonUse>();
  readonly #waits: ReplayedWaits;
  #batch: DayOfSamples[] = [];

  /** @param begunBefore what an earlier replay of the same log has found */
  constructor(options: ReplayOptions, begunBefore?: BegunBefore) {
    this.#options = options;
    this.#begunBefore = begunBefore;
    this.#waits = new ReplayedWaits(options);
  }

  /** The sessions that had begun before the log: a replay that begins with them is complete. */
  get begunBefore(): BegunBefore {
    return new Map([...this.#daemons].map(([name, { foundAt }]) => [name, foundAt]));
  }

  /** Whether a replay that begins with `begunBefore` would tell more. */
  get isIncomplete(): boolean {
    return this.#daemons.values().some(({ hasFound }) => hasFound);
  }

  isOn(): void {}

  serving(): void {}

  runs(daemon: string, at: number): void {
    this.#daemon(daemon).runs(at);
  }

  starts(daemon: string, at: number): void {
    this.#daemon(daemon).starts(at);
  }

  stops(daemon: string, at: number): void {
    this.#daemon(daemon).stops(at);
  }

  hasEnded(daemon: string): void {
    this.#daemon(daemon).hasEnded();
  }

  /** Lines of a daemon are missing. */
  loses(daemon: string): void {
    this.#daemon(daemon).loses();
  }

  out(daemon: string, at: number, event: LicenseEvent): void {
    this.#daemon(daemon).out(at, event);
    const { feature, askedFor, user } = event;
    this.#waits.passTo(at);
    this.#waits.got(at, feature, user);
    if (askedFor !== undefined) this.#waits.got(at, askedFor, user);
  }

  in(daemon: string, at: number, event: LicenseEvent): void {
    this.#daemon(daemon).in(at, event);
    this.#waits.passTo(at);
  }

  serves(daemon: string, at: number, feature: string): void {
    if (this.#options.isListed(daemon, feature)) this.asks(daemon, at, feature);
  }

  asks(daemon: string, at: number, feature: string): void {
    this.#daemon(daemon).asks(at, feature);
  }

  denied(daemon: string, at: number, refusal: LicenseRefusal): void {
    this.#daemon(daemon).denied(at, refusal.feature, refusal.client);
    this.#waits.passTo(at);
    this.#waits.refused(daemon, at, refusal);
  }

  bought(daemon: string, at: number, feature: string, licenses: number): void {
    this.#daemon(daemon).bought(at, feature, licenses);
  }

  /** All logs were read. */
  finish(): void {
    for (const daemon of this.#daemons.values()) daemon.finish();
    this.#options.write(this.#batch);
    this.#batch = [];
    for (const day of this.#waits.finish()) this.#options.writeBlocked(day);
  }

  #daemon(name: string): DaemonUse {
    const known = this.#daemons.get(name);
    if (known !== undefined) return known;
    const { localTime, seriesOf } = this.#options;
    const daemon = new DaemonUse({
      localTime,
      seriesOf: (feature) => seriesOf(name, feature),
      write: (day) => this.#add(day),
      counts: this.counts,
      openAt: this.#begunBefore && (this.#begunBefore.get(name) ?? []),
    });
    this.#daemons.set(name, daemon);
    return daemon;
  }

  #add(day: DayOfSamples): void {
    this.#batch.push(day);
    if (this.#batch.length < BATCH) return;
    this.#options.write(this.#batch);
    this.#batch = [];
  }
}
