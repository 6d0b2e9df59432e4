import { html, nameHtml } from '../../base/html/html.ts';
import { createLocalTime } from '../../base/model/local-time.ts';
import { unknown } from '../../base/model/unknown.ts';
import { capitalized, localTimeText } from '../../base/texts.ts';
import { expiryCalendar } from '../expiries/calendar.ts';
import type { Expiry } from '../expiries/expiry.ts';
import type { GroupContent } from './channel.ts';
import { dayOf, expirySections, type Listed, listedOf, type SectionOptions } from './expiry-sections.ts';
import type { MailTexts } from './group-mail.ts';
import type { Notice } from './ledger.ts';
import { type MailContent, mailOf } from './mail-frame.ts';
import { countsText, type Section, sectionHtml, sectionText } from './mail-sections.ts';
import { endingOf, endsText, line, severityText, shortName, stateOf, timeText } from './texts.ts';

/** The mail about licenses that expire and cannot wait for the digest, and what both have in common. */

/** The links, the time zone and the thresholds that mails about expiries mention. */
export type ExpiryTexts = MailTexts & SectionOptions;

const DAY = 86_400;
/** Alerts that have ended that are listed. */
const MAX_ENDED = 20;

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

/** What a mail lists. */
interface Parts {
  readonly title: string;
  readonly sections: readonly Section[];
  /** The alerts of the sections. */
  readonly alerts: readonly Listed[];
  /** What has become of others. */
  readonly ended: readonly Notice[];
  /** An empty text for all who have no mails of their own. */
  readonly owner: string;
}

/** `Over: License solver of lic01 expires in 5 days. (from … to …)` */
function endedText(notice: Notice, timeZone: string): string {
  const state = stateOf(notice);
  const [last] = notice.episodes.slice(-1);
  const summary = line(notice.annotations.summary ?? notice.labels.alertname ?? '');
  const what = state === 'no data' ? 'No data any more about' : state === 'resolved' ? 'Over' : endingOf(notice);
  const times = notice.episodes.length - 1;
  const before = times === 0 ? '' : `, and ${times === 1 ? 'once' : `${times} times`} before that`;
  return `${capitalized(what)}: ${summary} (${last === undefined ? '' : timeText(last, timeZone)}${before})`;
}

/** A mail with sections, a calendar of their dates, and what has ended. @param at when it is written, epoch seconds */
export function listMail(
  { title, sections, alerts, ended, owner }: Parts,
  at: number,
  texts: ExpiryTexts,
): MailContent {
  const { timeZone, alertsUrl } = texts;
  const localTime = createLocalTime(timeZone);
  const unknownSince = alerts.flatMap((alert) => alert.unknownSince ?? []);
  const written = `As of ${localTimeText(at, timeZone)}.`;
  const notes =
    unknownSince.length === 0
      ? [written]
      : [
          written,
          `There is no new data about ${unknownSince.length} of these since ${localTimeText(Math.min(...unknownSince), timeZone)}: listed as last known.`,
        ];
  const over = ended.slice(0, MAX_ENDED).map((notice) => endedText(notice, timeZone));
  if (ended.length > MAX_ENDED) over.push(`And ${ended.length - MAX_ENDED} more.`);
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
  const showsOwner = owner === '';
  const text = [
    ...notes.flatMap((note) => [note, '']),
    ...sections.flatMap((section) => sectionText(section, showsOwner)),
    ...(over.length === 0 ? [] : ['Changed since the last message:', ...over.map((each) => `* ${each}`), '']),
  ];
  const body = [
    notes.map((note) => html`<p>${nameHtml(note)}</p>`),
    sections.length === 0
      ? undefined
      : html`<table>${sections.map((section) => sectionHtml(section, showsOwner))}</table>`,
    over.length === 0
      ? undefined
      : html`<h2>Changed since the last message</h2>${over.map((each) => html`<p>${nameHtml(each)}</p>\n`)}`,
  ];
  return mailOf(title, text, body, texts, calendar);
}

/** ` of cad`; empty for all who have no mails of their own. */
export const ofOwner = (owner: string): string => (owner === '' ? '' : ` of ${shortName(owner)}`);

/** Licenses that cannot wait for the digest. @param at when it is written, epoch seconds */
export function expiryGroupMail(
  { group, notices, isReminder }: GroupContent,
  at: number,
  texts: ExpiryTexts,
): MailContent {
  const { owner = '' } = group.labels;
  const firing = notices.filter((notice) => stateOf(notice) === 'firing');
  const ended = notices.filter((notice) => stateOf(notice) !== 'firing');
  const alerts = firing.flatMap(listedOf);
  const sections = expirySections(alerts, createLocalTime(texts.timeZone).dayOf(at), owner, texts);
  const what = firing.length > 0 ? countsText(sections) : endsText(ended);
  const again = isReminder ? 'still ' : '';
  return listMail(
    {
      title: `${severityText(notices)}Urgent expiries${ofOwner(owner)}: ${again}${what}`,
      sections,
      alerts,
      ended,
      owner,
    },
    at,
    texts,
  );
}
