import { alertUrl } from '../alerts/links.ts';
import { localTimeText } from '../alerts/texts.ts';
import { type Html, html, joined, nameHtml } from '../html/html.ts';
import type { GroupContent } from './channel.ts';
import type { Notice, NoticeState } from './ledger.ts';
import { type MailContent, type MailLinks, mailOf } from './mail-frame.ts';
import { alertCount, bySeverity, line, shortName, stateOf, statusText, timeText } from './texts.ts';

/** The mail about a vendor license, a source, or an analyzer. */

export interface MailTexts extends MailLinks {
  /** The IANA name of the zone of times. */
  readonly timeZone: string;
}

/** Alerts of one section that are listed. `/alerts` has all of them. */
const MAX_LISTED = 50;
/** Earlier episodes of one alert that are listed. */
const MAX_EPISODES = 10;

const titles: Readonly<Record<NoticeState, string>> = { firing: 'Firing', 'no data': 'No data', resolved: 'Resolved' };

const prefixes: Readonly<Record<NoticeState, string>> = {
  firing: '',
  'no data': 'No data about: ',
  resolved: 'No longer: ',
};

const explanations: Readonly<Partial<Record<NoticeState, string>>> = {
  'no data': 'It is not known whether these alerts are over. A message follows when it is known.',
};

/** One alert, ready to print. */
interface Row {
  readonly severity: string;
  /** The class of its color. */
  readonly mark: string;
  readonly summary: string;
  readonly times: readonly string[];
  readonly description: string | undefined;
  readonly links: readonly (readonly [name: string, url: string])[];
}

/** The subject of a message: what its group is about. */
function subjectOf({ labels: { vendor_license, license_source, analyzer = '' } }: GroupContent['group']): string {
  if (license_source !== undefined) return `source ${shortName(license_source)}`;
  return shortName(vendor_license ?? analyzer);
}

function rowOf(notice: Notice, { alertsUrl, timeZone }: MailTexts): Row {
  const { labels, annotations, episodes } = notice;
  const state = stateOf(notice);
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
    summary: `${prefixes[state]}${line(annotations.summary ?? labels.alertname ?? '')}`,
    times: [
      ...(shown.length < episodes.length ? [`${episodes.length - shown.length} times before that`] : []),
      ...shown.map((episode) => timeText(episode, timeZone)),
    ],
    description:
      state === 'resolved' || annotations.description === undefined ? undefined : line(annotations.description),
    links: links.flatMap(([name, url]) =>
      url === undefined || (state === 'resolved' && name !== 'Details') ? [] : [[name, url] as const],
    ),
  };
}

const rowText = ({ severity, summary, times, description, links }: Row): readonly string[] => [
  `* ${summary}${severity === '' ? '' : ` (${severity})`}`,
  ...times.map((time) => `  ${time}`),
  ...(description === undefined ? [] : [`  ${description}`]),
  ...links.map(([name, url]) => `  ${name}: ${url}`),
  '',
];

const rowHtml = ({ severity, mark, summary, times, description, links }: Row): Html => html`<div class="alert ${mark}">
<p><strong>${nameHtml(summary)}</strong></p>
<p><small>${joined(
  [severity, ...times].filter((text) => text !== ''),
  html`<br>`,
)}</small></p>
${description === undefined ? undefined : html`<p>${nameHtml(description)}</p>`}
<p>${links.map(([name, url], at) => html`${at === 0 ? '' : ' · '}<a href="${url}">${name}</a>`)}</p>
</div>
`;

/** @param at when it is written, epoch seconds */
export function groupMail(content: GroupContent, at: number, texts: MailTexts): MailContent {
  const { group, notices, isReminder } = content;
  const title = `${subjectOf(group)}: ${statusText(notices, isReminder)}`;
  const sections = (['firing', 'no data', 'resolved'] as const)
    .map((state) => ({ state, members: notices.filter((notice) => stateOf(notice) === state).toSorted(bySeverity) }))
    .filter(({ members }) => members.length > 0)
    .map(({ state, members }) => ({
      title: titles[state],
      explanation: explanations[state],
      rows: members.slice(0, MAX_LISTED).map((notice) => rowOf(notice, texts)),
      more:
        members.length > MAX_LISTED
          ? `${alertCount(members.length - MAX_LISTED)} more on the page of alerts.`
          : undefined,
    }));
  const written = `As of ${localTimeText(at, texts.timeZone)}.`;
  const text = sections.flatMap(({ title, explanation, rows, more }) => [
    `${title}:`,
    ...(explanation === undefined ? [] : [explanation]),
    '',
    ...rows.flatMap(rowText),
    ...(more === undefined ? [] : [more, '']),
  ]);
  const body = sections.map(
    ({ title, explanation, rows, more }) =>
      html`<h2>${title}</h2>
${explanation === undefined ? undefined : html`<p>${explanation}</p>`}${rows.map(rowHtml)}${more === undefined ? undefined : html`<p>${more}</p>`}`,
  );
  return mailOf(title, [written, '', ...text], [html`<p><small>${written}</small></p>`, body], texts);
}
