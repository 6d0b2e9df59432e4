import { dayOfDate } from '../../base/model/local-time.ts';
import { countText } from '../../base/texts.ts';
import type { Labels } from '../alerts/alert.ts';
import { alertUrl } from '../alerts/links.ts';
import { listUrl } from './mail-frame.ts';
import { line, shortName } from './texts.ts';

/** What expires, by urgency and day: the rows of a mail. What is not listed is counted. */

/** An alert about licenses, with what a mail needs of it. */
export interface Listed {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Since when there is no data; `undefined` with data. */
  readonly unknownSince?: number | undefined;
}

/** What one vendor license of one owner loses on one day, or one alert without a single date. */
export interface Row {
  /** Such as `2026-12-24`; empty without a single date. */
  readonly date: string;
  /** The features with their licenses, the first of many; or a sentence without a single date. */
  readonly names: string;
  /** Number of alerts that are not named. */
  readonly unlisted: number;
  readonly vendorLicense: string;
  readonly owner: string;
  /** Its alerts on the page of alerts. */
  readonly url: string;
}

/** Licenses of one urgency. */
export interface Section {
  readonly title: string;
  /** For the subject, after the number. */
  readonly short: string;
  /** Number of alerts. */
  readonly count: number;
  /** The first ones. */
  readonly rows: readonly Row[];
  /** Number of alerts that no row names. */
  readonly unlisted: number;
  /** All its alerts on the page of alerts. */
  readonly url: string;
}

/** What decides in which section an expiry is. */
export interface SectionOptions {
  /** Thresholds of LicenseExpiringSoon, seconds left. */
  readonly thresholds: Readonly<Record<'critical' | 'warning' | 'info', number>>;
  /** The page of alerts. */
  readonly alertsUrl: string;
}

const DAY = 86_400;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Rows of a section. Mail programs cut a mail at 102 KB, and nobody reads that far. */
const MAX_ROWS = 15;
/** Features that a row names. */
const MAX_NAMES = 4;

/** The local day of a date, counted from 1970-01-01; `undefined` if it is no date. */
export function dayOf(date: string | undefined): number | undefined {
  const [, year, month, day] = DATE.exec(date ?? '') ?? [];
  return year === undefined ? undefined : dayOfDate(Number(year), Number(month), Number(day));
}

function licensesText(licenses: string | undefined): string {
  if (licenses === undefined) return '';
  if (licenses === 'uncounted') return ' (uncounted)';
  return ` (${countText(Number(licenses), 'license')})`;
}

function nameOf({ labels: { feature = '', version, package: pkg }, annotations: { licenses } }: Listed): string {
  const parts = [feature, version, pkg === undefined ? undefined : `(package ${pkg})`];
  return `${shortName(parts.filter((part) => part !== undefined).join(' '))}${licensesText(licenses)}`;
}

function namesOf(members: readonly Listed[]): string {
  const names = members.map(nameOf).sort();
  const count = names.length > MAX_NAMES ? `${countText(names.length, 'feature')}: ` : '';
  return `${count}${names.slice(0, MAX_NAMES).join(', ')}`;
}

/** Whether it is about one feature and one date. */
const isSingle = ({ labels }: Listed): boolean => labels.feature !== undefined && isDated({ labels });
/** Whether it is about one date: of one feature, or of several of a vendor license. */
const isDated = ({ labels }: Pick<Listed, 'labels'>): boolean => dayOf(labels.expires) !== undefined;

const rowKey = (alert: Listed): string => {
  const { expires, vendor_license, owner } = alert.labels;
  return JSON.stringify(isSingle(alert) ? [expires, vendor_license, owner] : alert.labels);
};

function rowOf(members: readonly [Listed, ...Listed[]], alertsUrl: string): Row {
  const [first] = members;
  const { alertname = '', expires = '', vendor_license = '', owner = '' } = first.labels;
  const url =
    members.length === 1
      ? alertUrl(alertsUrl, first.labels)
      : listUrl(alertsUrl, [alertname, expires, vendor_license], owner);
  return {
    date: isDated(first) ? expires : '',
    names: isSingle(first)
      ? namesOf(members)
      : line((isDated(first) ? first.annotations.features : undefined) ?? first.annotations.summary ?? ''),
    unlisted: Math.max(0, members.length - MAX_NAMES),
    vendorLicense: shortName(vendor_license),
    owner: shortName(owner),
    url,
  };
}

const byDate = (a: Row, b: Row): number =>
  // those without a date come last
  (a.date === '' ? 1 : 0) - (b.date === '' ? 1 : 0) ||
  (`${a.date} ${a.vendorLicense} ${a.names}` < `${b.date} ${b.vendorLicense} ${b.names}` ? -1 : 1);

/** The sections that have alerts, by urgency. @param today local day @param owner whose mail it is; empty for all others */
export function sectionsOf(
  alerts: readonly Listed[],
  today: number,
  owner: string,
  { thresholds, alertsUrl }: SectionOptions,
): readonly Section[] {
  const sectionOf = (title: string, short: string, members: readonly Listed[], words: readonly string[]): Section => {
    const groups = [...Map.groupBy(members, rowKey).values()];
    const all = groups
      .map((group) => ({ size: group.length, row: rowOf(group as [Listed, ...Listed[]], alertsUrl) }))
      .sort((a, b) => byDate(a.row, b.row));
    return {
      title,
      short,
      count: members.length,
      rows: all.slice(0, MAX_ROWS).map(({ row }) => row),
      unlisted: all.slice(MAX_ROWS).reduce((sum, { size }) => sum + size, 0),
      url: listUrl(alertsUrl, words, owner),
    };
  };
  const of = (alertname: string, severity?: string): readonly Listed[] =>
    alerts.filter(
      ({ labels }) => labels.alertname === alertname && (severity === undefined || labels.severity === severity),
    );
  const soon = (['critical', 'warning', 'info'] as const).map((severity): Section => {
    const members = of('LicenseExpiringSoon', severity);
    // an override can have a longer threshold
    const left = members.map(({ labels }) => (dayOf(labels.expires) ?? today) - today);
    const days = left.reduce((most, one) => Math.max(most, one), Math.round(thresholds[severity] / DAY));
    return sectionOf(`Within ${days} days`, `within ${days} days`, members, ['LicenseExpiringSoon', severity]);
  });
  return [
    sectionOf('Expired', 'expired', of('LicenseExpired'), ['LicenseExpired']),
    ...soon,
    sectionOf('Expected to run out of licenses', 'run out', of('LicenseRunsOut'), ['LicenseRunsOut']),
  ].filter(({ count }) => count > 0);
}
