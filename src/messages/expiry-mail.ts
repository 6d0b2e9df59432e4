import type { Labels } from '../alerts/alert.ts';
import { alertUrl } from '../alerts/links.ts';
import { localTimeText } from '../alerts/texts.ts';
import { expiryCalendar } from '../expiries/calendar.ts';
import type { Expiry } from '../expiries/expiry.ts';
import { type Html, html, nameHtml } from '../html/html.ts';
import { createLocalTime, dayOfDate } from '../model/local-time.ts';
import type { DigestContent, GroupContent } from './channel.ts';
import type { MailTexts } from './group-mail.ts';
import { type MailContent, mailOf } from './mail-frame.ts';
import { line, shortName, stateOf, timeText } from './texts.ts';

/** The mails about licenses that expire: the digest, and the message about those that cannot wait for it. */

export interface ExpiryTexts extends MailTexts {
  /** Thresholds of LicenseExpiringSoon, seconds left. */
  readonly thresholds: Readonly<Record<'critical' | 'warning' | 'info', number>>;
}

/** An alert about licenses, with what a mail needs of it. */
interface Listed {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Since when there is no data; `undefined` with data. */
  readonly unknownSince?: number | undefined;
}

/** One license in the table. */
interface Row {
  /** Such as `2026-12-24`; empty without a single date. */
  readonly date: string;
  readonly licenses: string;
  /** The feature, or a sentence without a single one. */
  readonly name: string;
  readonly vendorLicense: string;
  readonly owner: string;
  /** Its row on the page of alerts. */
  readonly url: string;
}

interface Section {
  readonly title: string;
  /** For the subject, after the number of rows. */
  readonly short: string;
  readonly rows: readonly Row[];
}

const DAY = 86_400;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** The local day of a date, counted from 1970-01-01. */
function dayOf(date: string): number | undefined {
  const [, year, month, day] = DATE.exec(date) ?? [];
  return year === undefined ? undefined : dayOfDate(Number(year), Number(month), Number(day));
}

function rowOf({ labels, annotations }: Listed, alertsUrl: string): Row {
  const { feature, version, package: pkg, vendor_license = '', owner = '', expires = '' } = labels;
  const { licenses = '', summary = '' } = annotations;
  const parts = [feature, version, pkg === undefined ? undefined : `(package ${pkg})`];
  const isSingle = feature !== undefined && dayOf(expires) !== undefined;
  return {
    date: isSingle ? expires : '',
    licenses: line(licenses),
    name: line(isSingle ? parts.filter((part) => part !== undefined).join(' ') : summary),
    vendorLicense: line(vendor_license),
    owner: line(owner),
    url: alertUrl(alertsUrl, labels),
  };
}

const byDate = (a: Row, b: Row): number =>
  // those without a date come last
  (a.date === '' ? 1 : 0) - (b.date === '' ? 1 : 0) ||
  (`${a.date} ${a.vendorLicense} ${a.name}` < `${b.date} ${b.vendorLicense} ${b.name}` ? -1 : 1);

/** The sections by urgency. @param today local day */
function sectionsOf(
  alerts: readonly Listed[],
  today: number,
  { thresholds, alertsUrl }: ExpiryTexts,
): readonly Section[] {
  const rowsOf = (alertname: string, severity?: string): readonly Row[] =>
    alerts
      .filter(
        ({ labels }) => labels.alertname === alertname && (severity === undefined || labels.severity === severity),
      )
      .map((alert) => rowOf(alert, alertsUrl))
      .sort(byDate);
  const soon = (['critical', 'warning', 'info'] as const).map((severity): Section => {
    const rows = rowsOf('LicenseExpiringSoon', severity);
    // an override can have a longer threshold
    const left = rows.map(({ date }) => (dayOf(date) ?? today) - today);
    const days = left.reduce((most, days) => Math.max(most, days), Math.round(thresholds[severity] / DAY));
    return { title: `Within ${days} days`, short: `within ${days} days`, rows };
  });
  return [
    { title: 'Expired', short: 'expired', rows: rowsOf('LicenseExpired') },
    ...soon,
    { title: 'Expected to run out of licenses', short: 'run out', rows: rowsOf('LicenseRunsOut') },
  ].filter(({ rows }) => rows.length > 0);
}

const countsText = (sections: readonly Section[]): string =>
  sections.map(({ rows, short }) => `${rows.length} ${short}`).join(', ');

function sectionText({ title, rows }: Section, showsOwner: boolean): readonly string[] {
  const columns = ({ date, licenses, name, vendorLicense, owner }: Row): string =>
    date === ''
      ? name
      : `${date.padEnd(10)}  ${licenses.padStart(9)}  ${name.padEnd(36)}  ${vendorLicense}${showsOwner && owner !== '' ? `  (${owner})` : ''}`;
  return [`${title}:`, ...rows.map(columns), ''];
}

function sectionHtml({ title, rows }: Section, showsOwner: boolean): Html {
  const row = ({ date, licenses, name, vendorLicense, owner, url }: Row): Html =>
    date === ''
      ? html`<tr><td colspan="3"><a href="${url}">${nameHtml(name)}</a></td></tr>\n`
      : html`<tr><td>${date}</td><td><a href="${url}">${nameHtml(name)}</a><br><small>${nameHtml(vendorLicense)}${showsOwner && owner !== '' ? html` · ${nameHtml(owner)}` : undefined}</small></td><td class="n">${licenses}</td></tr>\n`;
  return html`<tr><th colspan="2" scope="colgroup">${title}</th><th class="n" scope="col">Licenses</th></tr>\n${rows.map(row)}`;
}

/** The date of a license as a time in the middle of its day. */
const expiryOf = ({ labels, annotations }: Listed, startOf: (day: number) => number): readonly Expiry[] => {
  const { feature, version = '', package: pkg = '', feature_type: featureType = '', vendor_license = '' } = labels;
  const day = dayOf(labels.expires ?? '');
  if (feature === undefined || day === undefined) return [];
  const count = annotations.licenses;
  const licenses = count === 'uncounted' ? count : count === undefined ? undefined : Number(count);
  const expiration = startOf(day) + DAY / 2;
  return [
    {
      vendorLicense: vendor_license,
      feature,
      version,
      package: pkg,
      featureType,
      licenses,
      expiration,
      owner: labels.owner,
    },
  ];
};

interface Parts {
  readonly title: (counts: string) => string;
  readonly alerts: readonly Listed[];
  /** What is said above the table. */
  readonly notes: readonly string[];
  /** An empty text for all who have no mails of their own. */
  readonly owner: string;
}

function expiryMail({ title, alerts, notes, owner }: Parts, at: number, texts: ExpiryTexts): MailContent {
  const { timeZone, alertsUrl } = texts;
  const localTime = createLocalTime(timeZone);
  const sections = sectionsOf(alerts, localTime.dayOf(at), texts);
  const unknownSince = alerts.flatMap(({ unknownSince }) => unknownSince ?? []);
  const said = [
    ...notes,
    ...(unknownSince.length === 0
      ? []
      : [
          `There is no new data about ${unknownSince.length} of these since ${localTimeText(Math.min(...unknownSince), timeZone)}: listed as last known.`,
        ]),
  ];
  const expiries = alerts.flatMap((alert) => expiryOf(alert, localTime.startOf));
  const calendar =
    expiries.length === 0
      ? undefined
      : expiryCalendar(
          expiries.sort((a, b) => a.expiration - b.expiration),
          {
            name: owner === '' ? 'Expiring licenses' : `Expiring licenses of ${owner}`,
            now: at,
            timeZone,
            url: alertsUrl,
          },
        );
  const heading = `${'Expires'.padEnd(10)}  ${'Licenses'.padStart(9)}  ${'Feature'.padEnd(36)}  Vendor license`;
  const runbooks = new Set(alerts.flatMap(({ annotations }) => annotations.runbook_url ?? []));
  const text = [
    ...said.flatMap((note) => [note, '']),
    ...(sections.length === 0 ? [] : [heading, '']),
    ...sections.flatMap((section) => sectionText(section, owner === '')),
    ...[...runbooks].map((url) => `What to do: ${url}`),
  ];
  const body = [
    said.map((note) => html`<p>${nameHtml(note)}</p>`),
    sections.length === 0
      ? undefined
      : html`<table>${sections.map((section) => sectionHtml(section, owner === ''))}</table>`,
    [...runbooks].map((url) => html`<p><a href="${url}">What to do: ${url.split('#')[1] ?? 'runbook'}</a></p>`),
  ];
  return mailOf(title(countsText(sections)), text, body, texts, calendar);
}

const ofOwner = (owner: string): string => (owner === '' ? '' : ` of ${shortName(owner)}`);

/** All licenses of an owner that expire or have expired. @param at when it is written, epoch seconds */
export const digestMail = ({ owner, alerts }: DigestContent, at: number, texts: ExpiryTexts): MailContent =>
  expiryMail(
    { title: (counts) => `Expiring licenses${ofOwner(owner)}: ${counts}`, alerts, notes: [], owner },
    at,
    texts,
  );

/** Licenses that cannot wait for the digest. @param at when it is written, epoch seconds */
export function expiryGroupMail({ group, notices }: GroupContent, at: number, texts: ExpiryTexts): MailContent {
  const { owner = '' } = group.labels;
  const firing = notices.filter((notice) => stateOf(notice) === 'firing');
  const ended = notices.filter((notice) => stateOf(notice) !== 'firing');
  const notes = ended.map((notice) => {
    const [last] = notice.episodes.slice(-1);
    const summary = line(notice.annotations.summary ?? notice.labels.alertname ?? '');
    const ending = stateOf(notice) === 'resolved' ? 'Over' : 'No data any more about';
    return `${ending}: ${summary} (${last === undefined ? '' : timeText(last, texts.timeZone)})`;
  });
  const title = (counts: string): string => {
    const of = `Urgent expiries${ofOwner(owner)}`;
    if (firing.length > 0) return `${of}: ${counts}`;
    return ended.every((notice) => stateOf(notice) === 'resolved')
      ? `${of}: ${ended.length} resolved`
      : `${of}: no data about ${ended.length}`;
  };
  return expiryMail({ title, alerts: firing, notes, owner }, at, texts);
}
