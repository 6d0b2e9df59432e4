import type { Labels } from '../alerts/alert.ts';
import { tellingOf } from '../alerts/telling.ts';

/** Which alerts are in one message. */

/** `urgent expiries`: licenses that end within days, and need no minutes. `digest`: what waits for the hour of the digest. */
export type GroupKind = 'alerts' | 'urgent expiries' | 'digest';

/** What a message is about. */
export interface Group {
  /** In the syntax of Alertmanager, for example `{}:{analyzer="lic:80", vendor_license="lic01;cdslmd"}`. */
  readonly key: string;
  readonly labels: Labels;
  readonly kind: GroupKind;
}

const EXPIRY = /^License(Expired|ExpiringSoon)$/;

/** Whether an alert is about the date on which a license ends. */
export const isExpiry = ({ alertname = '' }: Labels): boolean => EXPIRY.test(alertname);

/** Whether people get a message about an alert. */
export const isForPeople = (labels: Labels): boolean => tellingOf(labels).by !== 'pages';

/** Whether an alert waits for the digest, if there is one. */
export const isForDigest = (labels: Labels): boolean => tellingOf(labels).by === 'digest';

/** Sources that fail together are one message. */
const isSourceDown = ({ alertname }: Labels): boolean => alertname === 'LicenseSourceDown';

const keyOf = (labels: Labels, route: string): string =>
  `{}${route}:{${Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')}}`;

/** Alertmanager would name the routes of such alerts like this. */
const routes: Readonly<Record<GroupKind, string>> = {
  alerts: '',
  'urgent expiries': '/{alertname=~"LicenseExpired|LicenseExpiringSoon"}',
  digest: '/{digest="true"}',
};
const SOURCES_ROUTE = '/{alertname="LicenseSourceDown"}';

/** Sources and vendor licenses each for themselves, and everything else together. */
function subjectOf(labels: Labels): Labels {
  const { license_source, vendor_license } = labels;
  if (isSourceDown(labels)) return {};
  if (license_source !== undefined) return { license_source };
  return vendor_license === undefined ? {} : { vendor_license };
}

export interface GroupOptions {
  readonly analyzer: string;
  readonly hasDigest: boolean;
  /** Who gets messages of their own; `undefined` for all others together. */
  readonly ownerOf: (labels: Labels) => string | undefined;
}

/** The group of an alert. A digest and urgent expiries are grouped by owner only. */
export function groupOf(labels: Labels, { analyzer, hasDigest, ownerOf }: GroupOptions): Group {
  const kind = hasDigest && isForDigest(labels) ? 'digest' : isExpiry(labels) ? 'urgent expiries' : 'alerts';
  const owner = ownerOf(labels);
  const groupLabels = {
    analyzer,
    ...(owner !== undefined && { owner }),
    ...(kind === 'alerts' && subjectOf(labels)),
  };
  return { key: keyOf(groupLabels, isSourceDown(labels) ? SOURCES_ROUTE : routes[kind]), labels: groupLabels, kind };
}
