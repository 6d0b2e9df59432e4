import type { Labels } from '../alerts/alert.ts';

/** Which alerts are in one message. */

/** What a message is about. */
export interface Group {
  /** In the syntax of Alertmanager, for example `{}:{analyzer="lic:80", vendor_license="lic01;cdslmd"}`. */
  readonly key: string;
  readonly labels: Labels;
  readonly isAboutExpiries: boolean;
}

const EXPIRY = /^License(Expired|ExpiringSoon)$/;

/** Whether an alert is about the date on which a license ends. */
export const isExpiry = ({ alertname = '' }: Labels): boolean => EXPIRY.test(alertname);

/** Whether people get a message about an alert. One for information is no reason to act, except for what must be ordered in time. */
export const isForPeople = (labels: Labels): boolean => labels.severity !== 'info' || isExpiry(labels);

/** Alertmanager would name the route of such alerts like this. */
const EXPIRY_ROUTE = '/{alertname=~"LicenseExpired|LicenseExpiringSoon"}';

const keyOf = (labels: Labels, route: string): string =>
  `{}${route}:{${Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')}}`;

/** Sources and vendor licenses each for themselves, and everything else together. */
function subjectOf(labels: Labels): Labels {
  const { license_source, vendor_license } = labels;
  if (license_source !== undefined) return { license_source };
  return vendor_license === undefined ? {} : { vendor_license };
}

/**
 * The group of an alert. Expiries are grouped by owner only.
 *
 * @param owner who gets messages of their own; `undefined` for all others together
 */
export function groupOf(labels: Labels, analyzer: string, owner: string | undefined): Group {
  const isAboutExpiries = isExpiry(labels);
  const groupLabels = {
    analyzer,
    ...(owner !== undefined && { owner }),
    ...(!isAboutExpiries && subjectOf(labels)),
  };
  return { key: keyOf(groupLabels, isAboutExpiries ? EXPIRY_ROUTE : ''), labels: groupLabels, isAboutExpiries };
}
