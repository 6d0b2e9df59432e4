import { type AlertState, type Labels, withoutEmpty } from './alert.ts';

/** An alert as it is sent to Alertmanager. */
export interface Notification {
  /** Of the labels: a newer notification of the same alert replaces this one. */
  readonly key: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Epoch seconds. */
  readonly startsAt: number;
  /** Epoch seconds; in the future for a firing alert. */
  readonly endsAt: number;
  readonly isFiring: boolean;
  readonly generatorURL: string;
}

/** Labels of all alerts about one analyzer, by which a daemon finds its own alerts in Alertmanager. */
export const ownLabelsOf = (analyzer: string): Labels => ({ source: 'license-exporter', analyzer });

export interface NotificationOptions {
  /** Added to every alert that has no label of that name. */
  readonly commonLabels: Labels;
  /** Seconds after which Alertmanager resolves a firing alert that is not sent again. */
  readonly validity: number;
  readonly generatorURL: string;
}

/** @param now epoch seconds */
export function createNotification(
  key: string,
  { labels, annotations, state, firedAt, resolvedAt, activeAt }: AlertState,
  now: number,
  { commonLabels, validity, generatorURL }: NotificationOptions,
): Notification {
  const startsAt = firedAt ?? activeAt;
  const isFiring = state === 'firing';
  return {
    key,
    labels: { ...commonLabels, ...labels },
    annotations,
    startsAt,
    // Alertmanager refuses an end before the start, which a clock that was set back can cause
    endsAt: Math.max(startsAt, isFiring ? now + validity : (resolvedAt ?? now)),
    isFiring,
    generatorURL,
  };
}

/** How long a test alert lasts. */
export const TEST_MINUTES = 5;

/** The alert of the command `test-alert`. @param now epoch seconds */
export function createTestNotification(
  now: number,
  options: {
    readonly externalLabels: Labels;
    readonly analyzer: string | undefined;
    readonly generatorURL: string;
  },
): Notification {
  const labels = {
    ...options.externalLabels,
    ...ownLabelsOf(options.analyzer ?? ''),
    alertname: 'LicenseExporterTestAlert',
    severity: 'info',
  };
  return {
    key: 'test',
    labels: withoutEmpty(labels),
    annotations: {
      summary: 'This is a test of license-exporter: nothing is wrong.',
      description: 'Somebody ran "license-exporter test-alert" to see whether alerts arrive. No action is needed.',
    },
    startsAt: now,
    endsAt: now + TEST_MINUTES * 60,
    isFiring: true,
    generatorURL: options.generatorURL,
  };
}

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The body of `POST /api/v2/alerts`; startsAt and endsAt are always given, because the defaults for them are traps. */
export function alertsBody(notifications: readonly Notification[]): string {
  return JSON.stringify(
    notifications.map(({ labels, annotations, startsAt, endsAt, generatorURL }) => ({
      labels,
      annotations,
      startsAt: timestamp(startsAt),
      endsAt: timestamp(endsAt),
      generatorURL,
    })),
  );
}
