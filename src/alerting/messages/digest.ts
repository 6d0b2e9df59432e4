import type { AlertState, Labels } from '../alerts/alert.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { DigestContent } from './channel.ts';
import { isExpiry } from './message-group.ts';
import type { ReceiverState } from './receiver-state.ts';

/** When digests are due, and what is in them. Times are epoch seconds. */

/** When digests are sent. */
export interface DigestSchedule {
  /** The first run after a time; infinite if it never runs. */
  nextRun(after: number): number;
  /** When the local day of a time begins. */
  dayStart(at: number): number;
}

/** When digests are due, whose they are, and what an earlier process left. */
export interface DigestOptions {
  readonly initial: ReceiverState['digest'];
  /** `undefined` without digests. */
  readonly schedule: DigestSchedule | undefined;
  readonly ownerOf: (labels: Labels) => string | undefined;
}

/** How long a digest waits for the data of its alerts, seconds. After a long outage, they must hold for `for` first. */
const DATA_WAIT = 1800;

const PREFIX = 'digest ';

/** What the digest of an owner is called among the messages. */
export const digestKey = (owner: string): string => `${PREFIX}${owner}`;

/** Whether a digest, the mail of `alerting.email.digest`, lists an alert while it fires: LicenseExpired, LicenseExpiringSoon, LicenseRunsOut. */
const isInDigest = (labels: Labels): boolean => isExpiry(labels) || labels.alertname === 'LicenseRunsOut';

/**
 * Whether an alert is mailed by the digest alone, because licenses must be ordered within weeks, not minutes. Critical expiries are
 * mailed at once too. Without a digest, nothing waits (`email-channel.ts`).
 */
export const waitsForDigest = (labels: Labels): boolean =>
  isInDigest(labels) && !(isExpiry(labels) && labels.severity === 'critical');

/** Collects the alerts that can wait for the next digest, by owner. It goes on where the saved one ended. */
export class Digest {
  readonly #schedule: DigestSchedule | undefined;
  readonly #ownerOf: DigestOptions['ownerOf'];
  #run: number;
  #waiting: readonly string[];
  /** Alerts of the newest evaluation that a digest can list; `undefined` before the first one. */
  #alerts: readonly AlertState[] | undefined;
  #hasData = false;
  /** Whether all alerts are known that hold now, or have been waited for. */
  #isReady = false;

  constructor({ initial: { run, waiting }, schedule, ownerOf }: DigestOptions) {
    this.#schedule = schedule;
    this.#ownerOf = ownerOf;
    this.#run = run;
    this.#waiting = waiting;
  }

  /** Takes the alerts of an evaluation. */
  take({ alerts, evaluated }: HandOver): void {
    if (this.#schedule === undefined) return;
    // single features: it lists them by day itself
    this.#alerts = [...alerts.values()]
      .filter(({ labels }) => isInDigest(labels))
      .flatMap((alert) => (alert.state === 'firing' && alert.members.length > 0 ? alert.members : [alert]));
    this.#hasData = evaluated.some(
      ({ rule, evaluation }) => isExpiry({ alertname: rule.name }) && !evaluation.hasNoData,
    );
  }

  /** Begins the run that is due, if its data is known. Returns whether something has changed. */
  check(at: number, startedAt: number): boolean {
    const alerts = this.#alerts;
    if (alerts === undefined) return false;
    const due = this.#missed(at);
    // soon after a start, a list without alerts is only one that is not known yet
    const isKnown = this.#hasData && (alerts.length > 0 || at >= startedAt + DATA_WAIT);
    const isComplete = isKnown && alerts.every(({ state }) => state !== 'pending');
    this.#isReady = isComplete || at >= Math.max(due ?? this.#run, startedAt) + DATA_WAIT;
    if (due === undefined || !this.#isReady) return false;
    this.#run = due;
    this.#waiting = [...this.#firing(() => false).keys()];
    return true;
  }

  /** When the next run is. */
  nextCheck(at: number): number {
    return this.#schedule?.nextRun(at) ?? Number.POSITIVE_INFINITY;
  }

  /** The digests that have not been sent and have something to list. */
  due(isInhibited: (labels: Labels) => boolean): readonly { readonly run: number; readonly content: DigestContent }[] {
    if (!this.#isReady) return [];
    const byOwner = this.#firing(isInhibited);
    return this.#waiting.flatMap((owner) => {
      const alerts = byOwner.get(owner);
      return alerts === undefined ? [] : [{ run: this.#run, content: { owner, alerts } }];
    });
  }

  markSent(key: string, run: number): void {
    // one of an earlier run does not replace that of today
    if (run === this.#run) this.#waiting = this.#waiting.filter((owner) => digestKey(owner) !== key);
  }

  state(): ReceiverState['digest'] {
    return { run: this.#run, waiting: this.#waiting };
  }

  /** The last run of the day that was not handled. A digest of an earlier day is outdated. */
  #missed(at: number): number | undefined {
    const schedule = this.#schedule;
    if (schedule === undefined) return undefined;
    let found: number | undefined;
    const from = Math.max(this.#run, schedule.dayStart(at) - 1);
    for (let next = schedule.nextRun(from); next <= at; next = schedule.nextRun(next)) found = next;
    return found;
  }

  #firing(isInhibited: (labels: Labels) => boolean): ReadonlyMap<string, readonly AlertState[]> {
    return Map.groupBy(
      (this.#alerts ?? []).filter(({ state, labels }) => state === 'firing' && !isInhibited(labels)),
      ({ labels }) => this.#ownerOf(labels) ?? '',
    );
  }
}
