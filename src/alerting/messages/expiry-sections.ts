import { dayOfDate } from '../../base/model/local-time.ts';
import { countText } from '../../base/texts.ts';
import type { Labels } from '../alerts/alert.ts';
import { alertUrl } from '../alerts/links.ts';
import type { Notice } from './ledger.ts';
import { listUrl } from './mail-frame.ts';
import { MAX_ROWS, type Row, type Section } from './mail-sections.ts';
import { line, shortName } from './texts.ts';

/** What expires, by urgency and day: the rows of a mail. */

/** An alert about licenses, with what a mail needs of it. */
export interface Listed {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Since when there is no data; `undefined` with data. */
  readonly unknownSince: number | undefined;
  readonly isNew: boolean;
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

/** Features that a row names. */
const MAX_NAMES = 4;

/** The alerts that a notice sums up: each of one feature, or the notice itself. */
export function listedOf({ labels, annotations, alert, isNew }: Notice): readonly Listed[] {
  const members = alert?.state === 'firing' ? alert.members : [];
  const { impact, step, runbook_url } = annotations;
  const common = { ...(impact && { impact }), ...(step && { step }), ...(runbook_url && { runbook_url }) };
  const all = members.length > 0 ? members : [{ labels, annotations, unknownSince: alert?.unknownSince }];
  return all.map((one) => ({
    labels: one.labels,
    annotations: { ...one.annotations, ...common },
    unknownSince: one.unknownSince,
    isNew,
  }));
}

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
  const names = members.map(nameOf);
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

/** What one vendor license of one owner loses on one day, or one alert without a single date. */
function rowOf(members: readonly [Listed, ...Listed[]], today: number, alertsUrl: string): Row {
  const [first] = members;
  const { alertname = '', expires = '', vendor_license = '', owner = '' } = first.labels;
  const url =
    members.length === 1
      ? alertUrl(alertsUrl, first.labels)
      : listUrl(alertsUrl, [alertname, expires, vendor_license], owner);
  const day = dayOf(expires);
  return {
    date: day === undefined ? '' : expires,
    daysLeft: day === undefined ? undefined : day - today,
    names: isSingle(first)
      ? namesOf(members)
      : line((isDated(first) ? first.annotations.features : undefined) ?? first.annotations.summary ?? ''),
    unlisted: Math.max(0, members.length - MAX_NAMES),
    vendorLicense: shortName(vendor_license),
    owner: shortName(owner),
    isNew: members.some(({ isNew }) => isNew),
    url,
  };
}

const byDate = (a: Row, b: Row): number =>
  // those without a date come last
  (a.date === '' ? 1 : 0) - (b.date === '' ? 1 : 0) ||
  (`${a.date} ${a.vendorLicense} ${a.names}` < `${b.date} ${b.vendorLicense} ${b.names}` ? -1 : 1);

/** What to do about the alerts of a section, as the first one says it. */
export function adviceOf([first]: readonly { readonly annotations: Labels }[]): Pick<
  Section,
  'impact' | 'step' | 'runbook'
> {
  const { impact = '', step = '', runbook_url: runbook } = first?.annotations ?? {};
  return { impact: line(impact), step: line(step), runbook };
}

/** The sections of expiries that have alerts, by urgency. @param today local day @param owner whose mail it is; empty for all others */
export function expirySections(
  alerts: readonly Listed[],
  today: number,
  owner: string,
  { thresholds, alertsUrl }: SectionOptions,
): readonly Section[] {
  /** @param one the title of one, for the subject */
  const sectionOf = (title: string, one: string, members: readonly Listed[], words: readonly string[]): Section => {
    const groups = [...Map.groupBy(members, rowKey).values()];
    const all = groups
      .map((group) => ({ size: group.length, row: rowOf(group as [Listed, ...Listed[]], today, alertsUrl) }))
      .sort((a, b) => byDate(a.row, b.row));
    return {
      title,
      short: `${members.length} ${members.length === 1 ? one : title.toLowerCase()}`,
      count: members.length,
      ...adviceOf(members),
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
    return sectionOf(`Expire within ${days} days`, `expires within ${days} days`, members, [
      'LicenseExpiringSoon',
      severity,
    ]);
  });
  return [sectionOf('Expired', 'expired', of('LicenseExpired'), ['LicenseExpired']), ...soon].filter(
    ({ count }) => count > 0,
  );
}
