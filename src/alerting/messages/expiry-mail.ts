import { type Html, html, nameHtml } from '../../base/html/html.ts';
import { createLocalTime } from '../../base/model/local-time.ts';
import { unknown } from '../../base/model/unknown.ts';
import { capitalized, localTimeText } from '../../base/texts.ts';
import { expiryCalendar } from '../expiries/calendar.ts';
import type { Expiry } from '../expiries/expiry.ts';
import type { DigestContent, GroupContent } from './channel.ts';
import { dayOf, type Listed, type Row, type Section, type SectionOptions, sectionsOf } from './expiry-sections.ts';
import type { MailTexts } from './group-mail.ts';
import { type MailContent, mailOf } from './mail-frame.ts';
import { endingOf, endsText, line, shortName, stateOf, timeText } from './texts.ts';

/** The mails about licenses that expire: the digest, and the message about those that cannot wait for it. */

/** The links, the time zone and the thresholds that mails about expiries mention. */
export type ExpiryTexts = MailTexts & SectionOptions;

const DAY = 86_400;
/** Alerts that have ended that are listed. */
const MAX_ENDED = 20;

const countsText = (sections: readonly Section[]): string =>
  sections.map(({ count, short }) => `${count} ${short}`).join(', ');

/** What is not listed, as the end of a sentence. */
const moreText = ({ unlisted }: Row | Section): string => (unlisted === 0 ? '' : ` and ${unlisted} more`);

function sectionText(section: Section, showsOwner: boolean): readonly string[] {
  const text = (row: Row): string => {
    if (row.date === '') return row.names;
    const owner = showsOwner && row.owner !== '' ? ` (${row.owner})` : '';
    const more = row.unlisted === 0 ? '' : `${moreText(row)}: ${row.url}`;
    return `${row.date}  ${row.vendorLicense}${owner}: ${row.names}${more}`;
  };
  const more = section.unlisted === 0 ? [] : [`${moreText(section).trim()}: ${section.url}`];
  return [`${section.title}:`, ...section.rows.map(text), ...more, ''];
}

function sectionHtml(section: Section, showsOwner: boolean): Html {
  const link = (url: string, text: string): Html => html`<a href="${url}">${nameHtml(text)}</a>`;
  const rowHtml = (row: Row): Html => {
    const { date, names, vendorLicense, owner, url } = row;
    if (date === '') return html`<tr><td colspan="2">${link(url, names)}</td></tr>\n`;
    const whose = showsOwner && owner !== '' ? html` · ${nameHtml(owner)}` : undefined;
    return html`<tr><td>${date}</td><td>${link(url, `${names}${moreText(row)}`)}<br><small>${nameHtml(vendorLicense)}${whose}</small></td></tr>\n`;
  };
  const more =
    section.unlisted === 0
      ? undefined
      : html`<tr><td colspan="2">${link(section.url, moreText(section).trim())}</td></tr>\n`;
  return html`<tr><th colspan="2" scope="colgroup">${section.title}</th></tr>\n${section.rows.map(rowHtml)}${more}`;
}

/** The date of a license as a time in the middle of its day. */
const expiryOf = ({ labels, annotations }: Listed, startOf: (day: number) => number): readonly Expiry[] => {
  const { version = '', package: pkg = '', feature_type: featureType = '', vendor_license = '' } = labels;
  // several features of a vendor license are one event
  const feature = labels.feature ?? annotations.features;
  const day = dayOf(labels.expires);
  if (feature === undefined || day === undefined) return [];
  const count = annotations.licenses;
  const licenses = count === 'uncounted' ? count : count === undefined ? unknown : Number(count);
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
  const sections = sectionsOf(alerts, localTime.dayOf(at), owner, texts);
  const unknownSince = alerts.flatMap((alert) => alert.unknownSince ?? []);
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
  const runbooks = new Set(alerts.flatMap(({ annotations }) => annotations.runbook_url ?? []));
  const text = [
    ...said.flatMap((note) => [note, '']),
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
  const notes = ended.slice(0, MAX_ENDED).map((notice) => {
    const [last] = notice.episodes.slice(-1);
    const summary = line(notice.annotations.summary ?? notice.labels.alertname ?? '');
    const ending = { 'no data': 'No data any more about', resolved: 'Over', replaced: capitalized(endingOf(notice)) };
    const state = stateOf(notice) as keyof typeof ending;
    return `${ending[state]}: ${summary} (${last === undefined ? '' : timeText(last, texts.timeZone)})`;
  });
  if (ended.length > MAX_ENDED) notes.push(`And ${ended.length - MAX_ENDED} more.`);
  const title = (counts: string): string =>
    `Urgent expiries${ofOwner(owner)}: ${firing.length > 0 ? counts : endsText(ended)}`;
  return expiryMail({ title, alerts: firing, notes, owner }, at, texts);
}
