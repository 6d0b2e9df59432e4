import type { AlertState } from '../../../alerting/alerts/alert.ts';
import { isHeld, markOf, toneOf } from '../../../alerting/alerts/alert-classes.ts';
import type { Selection } from '../../../alerting/alerts/alert-selection.ts';
import type { EngineStatus } from '../../../alerting/alerts/engine-status.ts';
import { factTimes } from '../../../alerting/alerts/fact-times.ts';
import { anchorOf } from '../../../alerting/alerts/links.ts';
import { humanDuration, localTimeText } from '../../../alerting/alerts/texts.ts';
import { type Html, html, nameHtml } from '../../../base/html/html.ts';
import type { Figure } from '../../../base/model/unknown.ts';

/** One alert on the page `/alerts`. */

/** What the alerts of a page have in common. Times are epoch seconds. */
export interface AlertFrame extends Pick<EngineStatus, 'timeZone' | 'unknownHold'>, Pick<Selection, 'causeOf'> {
  readonly now: number;
  /** The URL of the runbooks. Its fragment is the name of an alert in lower case. */
  readonly runbooks: string;
  /** When a vendor license was collected last; `undefined` if that is not known. */
  readonly collectedAt: (vendorLicense: string | undefined) => Figure;
}

/** Longest label and longest text, characters. Names of license files can be of any length. */
const MAX_LABEL = 200;
const MAX_TEXT = 1000;

/** `1,234 alerts` */
export const counted = (count: number, word: string): string => `${count.toLocaleString('en-US')} ${word}`;

/** The beginning of a text that is too long. */
const clipped = (text: string, length = MAX_LABEL): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;

/** The value of a label. */
const labelHtml = (value: string): Html => nameHtml(clipped(value));

/** The name of an alert as a link to its runbook. */
export const runbookHtml = (name: string, runbooks: string): Html =>
  html`<a href="${runbooks}#${name.toLowerCase()}">${clipped(name)}</a>`;

/** Labels that are shown elsewhere, or say nothing to people. */
const elsewhere: readonly string[] = ['alertname', 'severity', 'feature_type'];

/** The labels of an alert that its summary does not have. */
const labelsHtml = ({ labels, annotations: { summary = '' } }: AlertState): Html =>
  html`${Object.entries(labels)
    .filter(([name, value]) => !elsewhere.includes(name) && !summary.includes(value))
    .map(
      ([name, value]) =>
        html` <span class="label"><small>${name.replaceAll('_', ' ')}</small> ${labelHtml(value)}</span>`,
    )}`;

/** A time with its zone. */
const momentHtml = (at: number, timeZone: string): Html =>
  html`<time datetime="${new Date(at * 1000).toISOString()}">${localTimeText(at, timeZone)}</time>`;

/** A time with its zone, and how long ago it was. */
export const timeHtml = (at: number, { now, timeZone }: Pick<AlertFrame, 'now' | 'timeZone'>): Html =>
  html`${momentHtml(at, timeZone)} (${humanDuration(now - at)} ago)`;

/** Severity and state in words, since when it has been so, and since when the alert has been there if that is later. */
function stateHtml(alert: AlertState, { now, timeZone, collectedAt }: AlertFrame): Html {
  const { labels, state, activeAt, firedAt, resolvedAt = now } = alert;
  const stated = (words: string, details: Html): Html =>
    html`<p><span class="${toneOf(alert)}">${labels.severity}</span> ${words}</p>
<p class="details">${details}</p>`;
  if (state === 'resolved') {
    const after = humanDuration(resolvedAt - (firedAt ?? activeAt));
    return stated(
      `ended ${humanDuration(now - resolvedAt)} ago`,
      html`${momentHtml(resolvedAt, timeZone)}, after ${after}`,
    );
  }
  const began = html`since ${momentHtml(activeAt, timeZone)}`;
  const { since, due } = factTimes(alert, collectedAt);
  if (since === activeAt) return stated(`${state} for ${humanDuration(now - since)}`, began);
  const fact =
    since === undefined
      ? html`due in ${humanDuration((due ?? now) - now)}`
      : html`so for ${humanDuration(now - since)}, since ${momentHtml(since, timeZone)}`;
  return stated(state, html`${fact}; alert ${began}`);
}

/** What it means that an alert has no data, and the reason. */
function heldHtml(alert: AlertState, frame: AlertFrame): Html | undefined {
  const { unknownSince = 0, state } = alert;
  if (!isHeld(alert)) return undefined;
  const cause = frame.causeOf(alert);
  const why =
    cause === undefined ? 'there is no current data about it' : html`see ${runbookHtml(cause, frame.runbooks)}`;
  const end = localTimeText(unknownSince + frame.unknownHold, frame.timeZone);
  return html`<p class="details"><strong>Kept without data</strong> since ${timeHtml(unknownSince, frame)}: ${why}. Whether it still ${
    state === 'firing' ? 'applies' : 'begins'
  } is unknown. Without data, it is kept until ${end} and then dropped, not resolved.</p>`;
}

/** Only links that a browser follows to a page. An annotation can come from an Alertmanager. */
const isLink = (url: string | undefined): url is string => url !== undefined && /^https?:\/\//.test(url);

/** @param isLinked whether the link that the page was opened with leads to it */
function alertHtml(alert: AlertState, frame: AlertFrame, isLinked: boolean): Html {
  const { labels, annotations, state } = alert;
  const { alertname = '' } = labels;
  const { summary = '', description = '', silence_url: silence } = annotations;
  const canSilence = isLink(silence) && state !== 'resolved';
  return html`<li id="${anchorOf(labels)}" class="is-${markOf(alert)}${isLinked ? ' linked' : ''}">
<div>${stateHtml(alert, frame)}</div>
<div><p>${runbookHtml(alertname, frame.runbooks)}${labelsHtml(alert)}</p>
<p>${clipped(summary, MAX_TEXT)}</p>${heldHtml(alert, frame)}</div>
<div><p class="details">${clipped(description, MAX_TEXT)}</p></div>
<div>${canSilence ? html`<a href="${silence}">Silence<span class="hidden"> ${alertname}</span></a>` : undefined}</div></li>
`;
}

/** Maximum size of all alerts on the page `/alerts`, bytes. The API lists all of them. */
const MAX_BYTES = 180_000;

/** The alerts of a selection that fit on a page, and how many are left out. */
export function listHtml({ alerts, linked }: Selection, frame: AlertFrame): Html {
  const rows: Html[] = [];
  let bytes = 0;
  // the one that a notification links to is always there
  for (const alert of linked === undefined ? alerts : [linked, ...alerts.filter((other) => other !== linked)]) {
    const row = alertHtml(alert, frame, alert === linked);
    bytes += Buffer.byteLength(`${row}`);
    if (bytes > MAX_BYTES) break;
    rows.push(row);
  }
  const left = html`<p class="note">The ${rows.length} most urgent of ${counted(alerts.length, 'alerts')} are shown. Filter to see others. All of them are in <a href="api/v1/alerts">/api/v1/alerts</a>.</p>
`;
  return html`${rows.length === alerts.length ? undefined : left}<ul class="rows alerts">
${rows}</ul>`;
}
