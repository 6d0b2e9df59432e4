import type { AlertState } from './alert.ts';

/** When what an alert is about began or will happen. The alert itself begins later: when it is seen, and after its `for`. */

/** Epoch seconds. Exactly one of them is there. */
export interface FactTimes {
  /** Since when it has been so, as far as the data says. */
  readonly since: number | undefined;
  /** When something happens that has not happened yet. */
  readonly due: number | undefined;
}

/** Alerts about a server, which has been so since its last collection. */
const ofServer: readonly string[] = ['LicenseServerDown', 'LicenseCollectionStale'];

/** When the license of an alert expires or has expired: the value of these rules is the time until then, or since then. */
const expiryOf = ({ knownAt, value = Number.NaN, labels: { alertname } }: AlertState): number | undefined => {
  if (Number.isNaN(value)) return undefined;
  if (alertname === 'LicenseExpired') return knownAt - value;
  return alertname === 'LicenseExpiringSoon' ? knownAt + value : undefined;
};

/** When something happens that has not happened yet. */
const dueOf = ({ labels: { alertname }, value }: AlertState, expiry: number | undefined): number | undefined => {
  // the value is the day on which the first feature runs out
  if (alertname === 'LicenseRunsOut') return value;
  return alertname === 'LicenseExpiringSoon' ? expiry : undefined;
};

/** @param collectedAt of a vendor license: when it was collected last, epoch seconds; `undefined` if that is not known */
export function factTimes(
  alert: AlertState,
  collectedAt: (vendorLicense: string | undefined) => number | undefined,
): FactTimes {
  const { activeAt, labels } = alert;
  const expiry = expiryOf(alert);
  const due = dueOf(alert, expiry);
  if (due !== undefined) return { since: undefined, due };
  const collection = ofServer.includes(labels.alertname ?? '') ? collectedAt(labels.vendor_license) : undefined;
  return { since: Math.min(activeAt, collection ?? activeAt, expiry ?? activeAt), due };
}
