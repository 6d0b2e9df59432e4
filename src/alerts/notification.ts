import type { AlertState, Labels } from './alert.ts';

/** An alert as it is sent to Alertmanager. */
export interface Notification {
  /** Of the labels: what comes later about the same alert takes its place. */
  readonly key: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Epoch seconds. */
  readonly startsAt: number;
  /** Epoch seconds: in the future for what fires. */
  readonly endsAt: number;
  readonly isFiring: boolean;
  readonly generatorURL: string;
}

export interface NotificationOptions {
  /** Added where the alert has no label of that name. */
  readonly commonLabels: Labels;
  /** Seconds for which Alertmanager takes a firing alert to go on without hearing of it again. */
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
    // an end before the start is refused, and a clock may have been set back
    endsAt: Math.max(startsAt, isFiring ? now + validity : (resolvedAt ?? now)),
    isFiring,
    generatorURL,
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
