import type { Labels } from '../../src/alerting/alerts/alert.ts';
import type { Alertmanager } from '../../src/alerting/alerts/alertmanager.ts';
import { keyOf } from './routed-messages.ts';

/** What Alertmanager makes of the alerts that are sent to it. It has the clock of Prometheus. */

export interface Stored {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A client of the model, as one replica has it. */
interface ClientOptions {
  /** By the clock of the host of the replica, epoch seconds. */
  readonly now: () => number;
  readonly answers: () => boolean;
}

const secondsOf = (value: string): number => Date.parse(value) / 1000;

export class AlertmanagerModel {
  readonly #alerts = new Map<string, Stored>();
  readonly #onStored: (alert: Stored) => void;
  /** Epoch seconds. */
  now = 0;

  /** @param onStored called with each alert that is sent, as it is stored */
  constructor(onStored: (alert: Stored) => void = () => undefined) {
    this.#onStored = onStored;
  }

  /** What fires. */
  *firing(): Generator<Labels> {
    for (const { labels, endsAt } of this.#alerts.values()) if (endsAt > this.now) yield labels;
  }

  /** Takes an alert that the engine or Prometheus sends. */
  put(alert: Stored): void {
    const key = keyOf(alert.labels);
    const stored = this.#merged(alert, this.#alerts.get(key));
    this.#alerts.set(key, stored);
    this.#onStored(stored);
  }

  /** As Alertmanager 0.25 stores an alert: one that overlaps the stored one is merged with it. */
  #merged(alert: Stored, old: Stored | undefined): Stored {
    const overlaps =
      old !== undefined &&
      ((alert.endsAt > old.startsAt && alert.endsAt < old.endsAt) ||
        (alert.startsAt > old.startsAt && alert.startsAt < old.endsAt));
    if (!overlaps) return alert;
    const isResolved = alert.endsAt <= this.now;
    const wasLater = old.endsAt > alert.endsAt && (isResolved ? old.endsAt <= this.now : true);
    const endsAt = wasLater ? old.endsAt : alert.endsAt;
    return { ...alert, startsAt: Math.min(old.startsAt, alert.startsAt), endsAt };
  }

  client({ now, answers }: ClientOptions): Alertmanager {
    /** The client knows how far the clock of Alertmanager is ahead of its own. */
    const ahead = (): number => this.now - now();
    return {
      url: 'http://alertmanager.example.com:9093',
      post: async (write) => {
        if (!answers()) return { is: 'failed', status: undefined, reason: 'it does not answer' };
        for (const { startsAt, endsAt, ...alert } of JSON.parse(write(ahead())))
          this.put({ ...alert, startsAt: secondsOf(startsAt), endsAt: secondsOf(endsAt) });
        return { is: 'accepted' };
      },
      status: async () => ({ is: 'accepted' }),
      close: async () => undefined,
    };
  }
}
