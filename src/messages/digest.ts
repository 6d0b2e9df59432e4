import type { AlertState, Labels } from '../alerts/alert.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { DigestContent } from './channel.ts';
import { isExpiry, isForDigest } from './groups.ts';
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

/** Collects the alerts that can wait for the next digest, by owner. */
export interface Digest {
  /** Takes the alerts of an evaluation. */
  take(handOver: HandOver): void;
  /** Begins the run that is due, if its data is known. Returns whether something has changed. */
  check(at: number, startedAt: number): boolean;
  /** When the next run is. */
  nextCheck(at: number): number;
  /** The digests that have not been sent and have something to list. */
  due(isInhibited: (labels: Labels) => boolean): readonly { readonly run: number; readonly content: DigestContent }[];
  markSent(key: string, run: number): void;
  state(): ReceiverState['digest'];
}

const isListed = (labels: Labels): boolean => isExpiry(labels) || isForDigest(labels);

/** A digest that goes on where the saved one ended. */
export function createDigest({ initial, schedule, ownerOf }: DigestOptions): Digest {
  let { run, waiting } = initial;
  /** Alerts of the newest evaluation that a digest can list; `undefined` before the first one. */
  let alerts: readonly AlertState[] | undefined;
  let hasData = false;
  /** Whether all alerts are known that hold now, or have been waited for. */
  let isReady = false;

  /** The last run of the day that was not handled. A digest of an earlier day is outdated. */
  const missed = (at: number): number | undefined => {
    if (schedule === undefined) return undefined;
    let found: number | undefined;
    const from = Math.max(run, schedule.dayStart(at) - 1);
    for (let next = schedule.nextRun(from); next <= at; next = schedule.nextRun(next)) found = next;
    return found;
  };

  const firing = (isInhibited: (labels: Labels) => boolean): ReadonlyMap<string, readonly AlertState[]> =>
    Map.groupBy(
      (alerts ?? []).filter(({ state, labels }) => state === 'firing' && !isInhibited(labels)),
      ({ labels }) => ownerOf(labels) ?? '',
    );

  return {
    take: ({ alerts: sent, evaluated }) => {
      if (schedule === undefined) return;
      // single features: it lists them by day itself
      alerts = [...sent.values()]
        .filter(({ labels }) => isListed(labels))
        .flatMap((alert) => (alert.state === 'firing' && alert.members.length > 0 ? alert.members : [alert]));
      hasData = evaluated.some(({ rule, evaluation }) => isExpiry({ alertname: rule.name }) && !evaluation.hasNoData);
    },
    check: (at, startedAt) => {
      if (alerts === undefined) return false;
      const due = missed(at);
      // soon after a start, a list without alerts is only one that is not known yet
      const isKnown = hasData && (alerts.length > 0 || at >= startedAt + DATA_WAIT);
      const isComplete = isKnown && alerts.every(({ state }) => state !== 'pending');
      isReady = isComplete || at >= Math.max(due ?? run, startedAt) + DATA_WAIT;
      if (due === undefined || !isReady) return false;
      run = due;
      waiting = [...firing(() => false).keys()];
      return true;
    },
    nextCheck: (at) => schedule?.nextRun(at) ?? Number.POSITIVE_INFINITY,
    due: (isInhibited) => {
      if (!isReady) return [];
      const byOwner = firing(isInhibited);
      return waiting.flatMap((owner) => {
        const listed = byOwner.get(owner);
        return listed === undefined ? [] : [{ run, content: { owner, alerts: listed } }];
      });
    },
    markSent: (key, of) => {
      // one of an earlier run does not replace that of today
      if (of === run) waiting = waiting.filter((owner) => digestKey(owner) !== key);
    },
    state: () => ({ run, waiting }),
  };
}
