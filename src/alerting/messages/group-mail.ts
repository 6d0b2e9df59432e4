import { type Html, html, joined, nameHtml } from '../../base/html/html.ts';
import { capitalized, localTimeText } from '../../base/texts.ts';
import type { Labels } from '../alerts/alert.ts';
import { alertUrl } from '../alerts/links.ts';
import { FIRST_STEP } from '../alerts/texts.ts';
import type { GroupContent } from './channel.ts';
import type { Notice } from './ledger.ts';
import { listUrl, type MailContent, type MailLinks, mailOf } from './mail-frame.ts';
import {
  bySeverity,
  endingOf,
  line,
  type ShownState,
  severityText,
  shortName,
  stateOf,
  statusText,
  timeText,
} from './texts.ts';

/** The mail about a vendor license, a source, or an analyzer. */

/** The links and the time zone that every mail mentions. */
export interface MailTexts extends MailLinks {
  /** The IANA name of the zone of times. */
  readonly timeZone: string;
}

/** Alerts of one section with all that is known about them. Mail programs cut a mail at 102 KB, and nobody reads that far. */
const MAX_WHOLE = 5;
/** Further alerts of one section that are named. `/alerts` has all of them. */
const MAX_NAMED = 25;
/** Episodes of one alert that are listed. */
const MAX_EPISODES = 5;

const titles: Readonly<Record<ShownState, string>> = {
  firing: 'Firing',
  'no data': 'No data',
  replaced: 'Changed',
  resolved: 'Resolved',
};

const explanations: Readonly<Partial<Record<ShownState, string>>> = {
  'no data': 'It is not known whether these alerts are over. A message follows when it is known.',
};

/** One alert, ready to print. */
interface Row {
  readonly severity: string;
  /** The class of its color. */
  readonly mark: string;
  readonly summary: string;
  readonly times: readonly string[];
  /** What is known, and who is hit; empty after its end. */
  readonly description: string;
  /** What to do first; empty after its end. */
  readonly step: string;
  readonly links: readonly (readonly [name: string, url: string])[];
}

/** What is in one state. */
interface Section {
  readonly title: string;
  readonly explanation: string | undefined;
  readonly rows: readonly Row[];
  /** Summaries. */
  readonly named: readonly string[];
  /** Number of alerts that are not named. */
  readonly unlisted: number;
}

/** The subject of a message: what its group, or all its alerts, are about. */
function subjectOf({ group: { labels }, notices }: GroupContent): string {
  const { vendor_license, license_source, analyzer = '' } = labels;
  const sources = new Set(notices.map((notice) => notice.labels.license_source));
  const [source = license_source] = sources;
  if (source !== undefined && sources.size === 1) return `source ${shortName(source)}`;
  return shortName(vendor_license ?? analyzer);
}

function prefixOf(notice: Notice): string {
  const state = stateOf(notice);
  if (state === 'firing') return '';
  if (state === 'no data') return 'No data about: ';
  return state === 'resolved' ? 'No longer: ' : `${capitalized(endingOf(notice))}: `;
}

const summaryOf = (notice: Notice): string =>
  `${prefixOf(notice)}${line(notice.annotations.summary ?? notice.labels.alertname ?? '')}`;

/** The description without its last part, which stands apart. */
function stepsOf({ description = '', step = '' }: Labels): Pick<Row, 'description' | 'step'> {
  const last = `${FIRST_STEP}${step}`;
  const isLast = step !== '' && description.endsWith(last);
  return {
    description: line(isLast ? description.slice(0, -last.length) : description),
    step: isLast ? line(last) : '',
  };
}

function rowOf(notice: Notice, { alertsUrl, timeZone }: MailTexts): Row {
  const { labels, annotations, episodes } = notice;
  const state = stateOf(notice);
  const hasEnded = state === 'resolved' || state === 'replaced';
  const shown = episodes.slice(-MAX_EPISODES);
  const { runbook_url: runbook, silence_url: silence } = annotations;
  const links: readonly (readonly [string, string | undefined])[] = [
    ['Runbook', runbook],
    ['Details', alertUrl(alertsUrl, labels)],
    ['Silence', silence],
  ];
  return {
    severity: state === 'firing' ? line(labels.severity ?? '') : '',
    mark: state === 'firing' ? line(labels.severity ?? '') : state,
    summary: summaryOf(notice),
    times: [
      ...(shown.length < episodes.length ? [`${episodes.length - shown.length} times before that`] : []),
      ...shown.map((episode) => timeText(episode, timeZone)),
    ],
    ...(hasEnded ? { description: '', step: '' } : stepsOf(annotations)),
    links: links.flatMap(([name, url]) =>
      url === undefined || (hasEnded && name !== 'Details') ? [] : [[name, url] as const],
    ),
  };
}

const rowText = ({ severity, summary, times, description, step, links }: Row): readonly string[] => [
  `* ${summary}${severity === '' ? '' : ` (${severity})`}`,
  ...times.map((time) => `  ${time}`),
  ...[description, step].flatMap((text) => (text === '' ? [] : `  ${text}`)),
  ...links.map(([name, url]) => `  ${name}: ${url}`),
  '',
];

const rowHtml = ({
  severity,
  mark,
  summary,
  times,
  description,
  step,
  links,
}: Row): Html => html`<div class="alert ${mark}">
<p><strong>${nameHtml(summary)}</strong></p>
<p><small>${joined(
  [severity, ...times].filter((text) => text !== ''),
  html`<br>`,
)}</small></p>
${description === '' ? undefined : html`<p>${nameHtml(description)}</p>`}${step === '' ? undefined : html`<p>${nameHtml(step)}</p>`}
<p>${links.map(([name, url], at) => html`${at === 0 ? '' : ' · '}<a href="${url}">${name}</a>`)}</p>
</div>
`;

function sectionOf(state: ShownState, members: readonly Notice[], texts: MailTexts): Section {
  const sorted = members.toSorted(bySeverity);
  return {
    title: titles[state],
    explanation: explanations[state],
    rows: sorted.slice(0, MAX_WHOLE).map((notice) => rowOf(notice, texts)),
    named: sorted.slice(MAX_WHOLE, MAX_WHOLE + MAX_NAMED).map(summaryOf),
    unlisted: Math.max(0, sorted.length - MAX_WHOLE - MAX_NAMED),
  };
}

const sectionText = ({ title, explanation, rows, named, unlisted }: Section, url: string): readonly string[] => [
  `${title}:`,
  ...(explanation === undefined ? [] : [explanation]),
  '',
  ...rows.flatMap(rowText),
  ...named.map((summary) => `* ${summary}`),
  ...(unlisted === 0 ? [] : [`and ${unlisted} more: ${url}`]),
  ...(named.length === 0 ? [] : ['']),
];

const sectionHtml = ({ title, explanation, rows, named, unlisted }: Section, url: string): Html =>
  html`<h2>${title}</h2>
${explanation === undefined ? undefined : html`<p>${explanation}</p>`}${rows.map(rowHtml)}${named.map((summary) => html`<p>${nameHtml(summary)}</p>\n`)}${unlisted === 0 ? undefined : html`<p><a href="${url}">and ${unlisted} more</a></p>`}`;

/** @param at when it is written, epoch seconds */
export function groupMail(content: GroupContent, at: number, texts: MailTexts): MailContent {
  const { group, notices, isReminder } = content;
  const title = `${severityText(notices)}${subjectOf(content)}: ${statusText(notices, isReminder)}`;
  const sections = (['firing', 'no data', 'replaced', 'resolved'] as const)
    .map((state) => ({ state, members: notices.filter((notice) => stateOf(notice) === state) }))
    .filter(({ members }) => members.length > 0)
    .map(({ state, members }) => sectionOf(state, members, texts));
  const { vendor_license, license_source, owner } = group.labels;
  const url = listUrl(texts.alertsUrl, [license_source ?? vendor_license ?? ''], owner);
  const written = `As of ${localTimeText(at, texts.timeZone)}.`;
  return mailOf(
    title,
    [written, '', ...sections.flatMap((section) => sectionText(section, url))],
    [html`<p><small>${written}</small></p>`, sections.map((section) => sectionHtml(section, url))],
    texts,
  );
}
