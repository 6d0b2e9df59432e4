import { createLocalTime } from '../../base/model/local-time.ts';
import { countText } from '../../base/texts.ts';
import { engineAlertOf } from '../alerts/definitions.ts';
import { alertUrl } from '../alerts/links.ts';
import { factsOf } from '../alerts/texts.ts';
import type { GroupContent } from './channel.ts';
import { type ExpiryTexts, listMail, ofOwner } from './expiry-mail.ts';
import { adviceOf, expirySections, listedOf } from './expiry-sections.ts';
import type { Notice } from './ledger.ts';
import { listUrl, type MailContent } from './mail-frame.ts';
import { countsText, MAX_ROWS, type Row, type Section } from './mail-sections.ts';
import { isExpiry } from './message-group.ts';
import { endsText, line, shortName, stateOf } from './texts.ts';

/** The mail of the digest: what an owner has to do, but not at once. */

/** Titles and words for the subject, in their order. Others, which are about the monitoring, follow with what their definition calls them. */
const titles: ReadonlyMap<string, readonly [title: string, short: string]> = new Map([
  ['LicenseDenials', ['Requests were denied', 'denials on']],
  ['LicenseRequestsQueued', ['Users wait for a license', 'users wait on']],
  ['LicenseFeatureSaturated', ['Nearly all licenses are in use', 'full pools on']],
  ['LicenseRunsOut', ['Expected to run out of licenses', 'licenses run out on']],
]);
const known = [...titles.keys()];
const rankOf = (name: string): number => (known.indexOf(name) + known.length + 1) % (known.length + 1);

/** One alert: several features are named, one is in its sentence. */
function rowOf({ labels, annotations, alert, isNew }: Notice, alertsUrl: string): Row {
  const { vendor_license: vendorLicense, owner = '' } = labels;
  const { summary = labels.alertname ?? '', features } = annotations;
  const isSummedUp = vendorLicense !== undefined && features !== undefined && (alert?.members.length ?? 0) > 1;
  return {
    date: '',
    daysLeft: undefined,
    names: line(isSummedUp ? `${vendorLicense}: ${features}` : `${summary} ${factsOf(annotations)}`),
    unlisted: 0,
    vendorLicense: '',
    owner: shortName(owner),
    isNew,
    url: alertUrl(alertsUrl, labels),
  };
}

/** What the alerts of one name say. */
function sectionOf(name: string, notices: readonly Notice[], owner: string, alertsUrl: string): Section {
  const [title, short] = titles.get(name) ?? [engineAlertOf(name)?.attention.what ?? name, ''];
  return {
    title,
    // an alert is about a vendor license
    short: short === '' ? '' : `${short} ${countText(new Set(notices.map(serverOf)).size, 'server')}`,
    count: notices.length,
    ...adviceOf(notices),
    rows: notices.slice(0, MAX_ROWS).map((notice) => rowOf(notice, alertsUrl)),
    unlisted: Math.max(0, notices.length - MAX_ROWS),
    url: listUrl(alertsUrl, [name], owner),
  };
}

const serverOf = ({ labels }: Notice): string | undefined => labels.vendor_license;

/** Whether an alert goes on in the same digest, or in a message of its own, with another severity. */
const isMoved = ({ episodes }: Notice): boolean => /^now (?!with)/.test(episodes.at(-1)?.ending ?? '');

/** What can wait of an owner, and what has ended since the last digest. @param at when it is written, epoch seconds */
export function digestMail({ group, notices, isReminder }: GroupContent, at: number, texts: ExpiryTexts): MailContent {
  const { owner = '' } = group.labels;
  const firing = notices.filter((notice) => stateOf(notice) === 'firing');
  const changed = notices.filter((notice) => stateOf(notice) !== 'firing');
  const over = changed.filter((notice) => !isMoved(notice));
  // a mail says something
  const ended = firing.length === 0 && over.length === 0 ? changed : over;
  const alerts = firing.filter(({ labels }) => isExpiry(labels)).flatMap(listedOf);
  const others = Map.groupBy(
    firing.filter(({ labels }) => !isExpiry(labels)),
    ({ labels }) => labels.alertname ?? '',
  );
  const sections = [
    ...expirySections(alerts, createLocalTime(texts.timeZone).dayOf(at), owner, texts),
    ...[...others]
      .sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
      .map(([name, each]) => sectionOf(name, each, owner, texts.alertsUrl)),
  ];
  const told = sections.filter(({ short }) => short !== '');
  const upkeep = sections.reduce((sum, { short, count }) => sum + (short === '' ? count : 0), 0);
  const counts = [countsText(told), upkeep === 0 ? '' : `${upkeep} about the monitoring`, endsText(ended)];
  const what = counts.filter((part) => part !== '').join(', ');
  const title = `Licenses${ofOwner(owner)}${isReminder ? ', nothing new' : ''}: ${what}`;
  return listMail({ title, sections, alerts, ended, owner }, at, texts);
}
