import { labelValues } from '../../base/model/label-value.ts';
import { capitalized } from '../../base/texts.ts';
import { type AlertState, type Labels, withoutEmpty } from './alert.ts';
import { alertUrl } from './links.ts';

/** An alert as it is sent to Alertmanager. */
export interface Notification {
  /** Identifies the alert. A newer notification of the same alert replaces this one. */
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

/** Labels of all alerts about one analyzer. */
export const ownLabelsOf = (analyzer: string): Labels => withoutEmpty({ source: 'license-exporter', analyzer });

/** The labels and links that every alert gets when it is sent. Labels are as long as those of /metrics, which Prometheus relays. */
export interface NotificationOptions {
  /** Added to every alert that does not have a label with the same name. */
  readonly commonLabels: Labels;
  /** After this time Alertmanager resolves a firing alert that is not sent again, seconds. */
  readonly validity: number;
  /** The same after data about an alert was last known, if that is later: what is not known is not resolved. */
  readonly unknownHold: number;
  /** The page of alerts. */
  readonly generatorUrl: string;
}

/** @param now epoch seconds */
export function createNotification(
  key: string,
  { labels, annotations, state, firedAt, resolvedAt, activeAt, unknownSince, ending }: AlertState,
  now: number,
  { commonLabels, validity, unknownHold, generatorUrl }: NotificationOptions,
): Notification {
  const startsAt = firedAt ?? activeAt;
  const isFiring = state === 'firing';
  const keptUntil = Math.max(now + validity, (unknownSince ?? now) + unknownHold);
  return {
    key,
    labels: labelValues({ ...commonLabels, ...labels }),
    // for Alertmanager it is resolved, which is not all
    annotations:
      ending === undefined
        ? annotations
        : { ...annotations, summary: `${annotations.summary} ${capitalized(ending)}.` },
    startsAt,
    // Alertmanager refuses an end before the start; it can occur when the clock is set back
    endsAt: Math.max(startsAt, isFiring ? keptUntil : (resolvedAt ?? now)),
    isFiring,
    generatorURL: alertUrl(generatorUrl, labels),
  };
}

/** How long a test alert lasts, minutes. */
export const TEST_MINUTES = 5;

interface TestOptions {
  readonly externalLabels: Labels;
  readonly analyzer: string;
  readonly shard: string;
  readonly generatorURL: string;
}

/** The alert of the command `test-alert`. @param now epoch seconds */
export const createTestNotification = (
  now: number,
  { externalLabels, analyzer, shard, generatorURL }: TestOptions,
): Notification => ({
  key: 'test',
  labels: withoutEmpty({
    ...externalLabels,
    ...ownLabelsOf(analyzer),
    shard,
    alertname: 'LicenseExporterTestAlert',
    severity: 'info',
  }),
  annotations: {
    summary: 'This is a test of license-exporter: nothing is wrong.',
    description: 'A test with "license-exporter test-alert" checks whether alerts arrive. No action is required.',
  },
  startsAt: now,
  endsAt: now + TEST_MINUTES * 60,
  isFiring: true,
  generatorURL,
});

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

/**
 * The body of `POST /api/v2/alerts`. It always contains startsAt and endsAt, because the defaults of Alertmanager do not fit.
 *
 * @param ahead how far the clock of the Alertmanager is ahead of the clock of this host, seconds
 */
export function alertsBody(notifications: readonly Notification[], ahead: number): string {
  return JSON.stringify(
    notifications.map(({ labels, annotations, startsAt, endsAt, generatorURL }) => ({
      labels,
      annotations,
      startsAt: timestamp(startsAt + ahead),
      endsAt: timestamp(endsAt + ahead),
      generatorURL,
    })),
  );
}
