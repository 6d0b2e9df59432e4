import type { Series } from '../history/sample.ts';
import type { LicenseEvent } from '../sources/log/usage-log.ts';
import { type InUse, UsageDay } from './usage-day.ts';

interface Holder {
  licenses: number;
  readonly user: string | undefined;
}

/** A feature, those who hold its licenses, and its slots of today and of the day before. */
export class FeatureUse {
  /** Undefined if it is not imported. */
  readonly series: Series | undefined;
  /** Of which the log has told first. */
  readonly firstDay: number;
  /** Licenses that were found to be in use by others from the beginning of the present part of the log on. */
  others = 0;
  readonly now: InUse = { licenses: 0, users: 0, available: undefined };
  readonly holders = new Map<string, Holder>();
  /** Up to when its slots are filled. */
  at: number;
  before = new UsageDay();
  #today = new UsageDay();
  /** Sessions of each user. */
  readonly #users = new Map<string, number>();

  /** @param start first second of today @param from since when its licenses in use are known */
  constructor(series: Series | undefined, firstDay: number, start: number, from: number) {
    this.series = series;
    this.firstDay = firstDay;
    this.at = from;
    this.#today.begin(start);
  }

  /** As many licenses as now are in use up to a moment of today. */
  advance(to: number): void {
    if (to <= this.at) return;
    this.#today.add(this.at, to, this.now);
    this.at = to;
  }

  /** A new day begins. */
  roll(start: number): void {
    const { before } = this;
    this.before = this.#today;
    this.#today = before;
    before.begin(start);
  }

  /** A session begins. */
  take(event: LicenseEvent): void {
    this.resume(event);
    this.#today.peak(this.at, this.now.licenses);
  }

  /** A session that has begun before goes on: what counts is what it has for a second at least. */
  resume({ client = '', user, licenses }: LicenseEvent): void {
    const holder = this.holders.get(client);
    if (holder === undefined) {
      this.holders.set(client, { licenses, user });
      this.#count(user, 1);
    } else {
      holder.licenses += licenses;
    }
    this.now.licenses += licenses;
  }

  /** @returns licenses that the client did not have */
  give({ client = '', licenses }: LicenseEvent): number {
    const holder = this.holders.get(client);
    if (holder === undefined) return licenses;
    const given = Math.min(licenses, holder.licenses);
    holder.licenses -= given;
    this.now.licenses -= given;
    if (holder.licenses === 0) {
      this.holders.delete(client);
      this.#count(holder.user, -1);
    }
    return licenses - given;
  }

  /** @param start first second of today */
  deny(at: number, start: number): void {
    (at < start ? this.before : this.#today).deny(at);
  }

  clear(): void {
    this.holders.clear();
    this.#users.clear();
    this.now.licenses = 0;
    this.now.users = 0;
  }

  #count(user: string | undefined, by: number): void {
    if (user !== undefined) {
      const name = user.toLowerCase();
      const sessions = (this.#users.get(name) ?? 0) + by;
      if (sessions === 0) this.#users.delete(name);
      else this.#users.set(name, sessions);
    }
    // one without a name may be one of the others
    this.now.users = Math.max(this.#users.size, this.holders.size > 0 ? 1 : 0);
  }
}
