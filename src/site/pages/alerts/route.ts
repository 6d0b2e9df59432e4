import type { AlertState } from '../../../alerting/alerts/alert.ts';
import {
  type AlertCounts,
  isHeld,
  markOf,
  severities,
  shownStates,
  stateText,
  toneOf,
} from '../../../alerting/alerts/alert-classes.ts';
import { type AlertFilter, filterUrl, isFiltering, readFilter } from '../../../alerting/alerts/alert-filter.ts';
import { type Selection, selectAlerts } from '../../../alerting/alerts/alert-selection.ts';
import type { Delivery, ReceiverStatus } from '../../../alerting/alerts/delivery.ts';
import {
  type EngineStatus,
  isEvaluatedLately,
  ruleNames,
  withoutData,
} from '../../../alerting/alerts/engine-status.ts';
import { anchorOf } from '../../../alerting/alerts/links.ts';
import { factTimes } from '../../../alerting/alerts/moment.ts';
import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { runSliced } from '../../../base/scheduling/slices.ts';
import { countText, durationText, localTimeText, numberText } from '../../../base/texts.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import { proseHtml } from '../wording.ts';

/** The page of alerts. Links in notifications lead to it. */

/** What the alerts of a page have in common. Times are epoch seconds. */
export interface AlertFrame extends Pick<EngineStatus, 'timeZone' | 'unknownHold'>, Pick<Selection, 'causeOf'> {
  readonly now: number;
  /** The URL of the runbooks. Its fragment is the name of an alert in lower case. */
  readonly runbooks: string;
}

/** Longest label and longest text, characters. Names of license files can be of any length. */
const MAX_LABEL = 200;
const MAX_TEXT = 1000;

/** The beginning of a text that is too long. */
const clipped = (text: string, length = MAX_LABEL): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;

/** The value of a label. */
const labelHtml = (value: string): Html => nameHtml(clipped(value));

/** The name of an alert as a link to its runbook. */
const runbookHtml = (name: string, runbooks: string): Html =>
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
  html`${momentHtml(at, timeZone)} (${durationText(now - at)} ago)`;

/** Severity and state in words, since when it has been so, and since when the alert has been there if that is later. */
function stateHtml(alert: AlertState, { now, timeZone }: AlertFrame): Html {
  const { labels, state, activeAt, firedAt, resolvedAt = now, ending } = alert;
  const stated = (words: string, details: Html): Html =>
    html`<p><span class="${toneOf(alert)}">${labels.severity}</span> ${words}</p>
<p class="details">${details}</p>`;
  if (state === 'resolved') {
    const after = durationText(resolvedAt - (firedAt ?? activeAt));
    return stated(
      `ended ${durationText(now - resolvedAt)} ago${ending === undefined ? '' : `: ${ending}`}`,
      html`${momentHtml(resolvedAt, timeZone)}, after ${after}`,
    );
  }
  const began = html`since ${momentHtml(activeAt, timeZone)}`;
  const { since, due } = factTimes(alert);
  if (since === activeAt) return stated(`${state} for ${durationText(now - since)}`, began);
  const fact =
    since === undefined
      ? html`due in ${durationText((due ?? now) - now)}`
      : html`so for ${durationText(now - since)}, since ${momentHtml(since, timeZone)}`;
  return stated(state, html`${fact}; alert ${began}`);
}

/** What it means that an alert has no data, and the reason. */
function heldHtml(alert: AlertState, frame: AlertFrame): Html | undefined {
  const { unknownSince = 0, state } = alert;
  if (!isHeld(alert)) return undefined;
  const cause = frame.causeOf(alert);
  const why =
    cause === undefined ? 'there is no current data about it' : html`see ${runbookHtml(cause, frame.runbooks)}`;
  const end = momentHtml(unknownSince + frame.unknownHold, frame.timeZone);
  return html`<p class="details"><strong>Kept without data</strong> since ${timeHtml(unknownSince, frame)}: ${why}. Whether it still ${
    state === 'firing' ? 'applies' : 'begins'
  } is unknown. Without data, it is kept until ${end} and then dropped, not resolved.</p>`;
}

/** Only links that a browser follows to a page. */
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
<p>${proseHtml(clipped(summary, MAX_TEXT))}</p>${heldHtml(alert, frame)}</div>
<div><p class="details">${proseHtml(clipped(description, MAX_TEXT))}</p></div>
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
  const left = html`<p class="note">The ${rows.length} most urgent of ${countText(alerts.length, 'alert')} are shown. Filter to see others. All of them are in <a href="api/v1/alerts">/api/v1/alerts</a>.</p>
`;
  return html`${rows.length === alerts.length ? undefined : left}<ul class="rows alerts">
${rows}</ul>`;
}

/** The alerts, how they are sent, and what the filter leaves of them. */
export interface AlertsPageData extends Pick<AlertFrame, 'now' | 'runbooks'> {
  readonly status: EngineStatus;
  /** See `AlertCounts`. */
  readonly isZeroKnown: boolean;
  /** Receivers other than Alertmanagers. */
  readonly receivers: readonly ReceiverStatus[];
  readonly filter: AlertFilter;
  /** What cannot be read in the filter. */
  readonly problems: readonly string[];
  readonly selection: Selection;
}

/**
 * The counts, each a link to its alerts. It keeps words and owner.
 *
 * @param isKnown whether 0 can be shown, or is unknown
 */
function tilesHtml(counts: AlertCounts, filter: AlertFilter, isKnown: boolean): Html {
  const items = counts.map(({ shown: { title, severity, state, mark }, count }) => {
    const isChosen = filter.severity === severity && filter.state === state;
    return html`<li class="is-${count > 0 ? mark : 'none'}"><a href="${filterUrl({ ...filter, severity, state })}"${
      isChosen ? html` aria-current="true"` : undefined
    }><strong>${count > 0 || isKnown ? numberText(count) : '?'}</strong> ${title}</a></li>
`;
  });
  return html`<ul class="tiles alert-counts">\n${items}</ul>`;
}

interface Choice<Value extends string> {
  readonly name: 'severity' | 'state' | 'owner';
  readonly title: string;
  readonly values: readonly Value[];
  readonly chosen: string | undefined;
  readonly textOf?: (value: Value) => string;
}

function choiceHtml<Value extends string>({ name, title, values, chosen, textOf = String }: Choice<Value>): Html {
  const optionHtml = (value: string, text: string): Html =>
    html`<option value="${value}"${value === (chosen ?? '') ? html` selected` : undefined}>${text}</option>`;
  const options = [optionHtml('', 'any'), ...values.map((value) => optionHtml(value, textOf(value)))];
  return html`<div><label for="filter-${name}">${title}</label><select id="filter-${name}" name="${name}">${options}</select></div>
`;
}

/** Owners, and characters of them, up to which they are a list. */
const MAX_OWNERS = 50;
const MAX_OWNER_TEXT = 2000;

function ownerHtml(owners: readonly string[], owner: string | undefined): Html | undefined {
  if (owners.length === 0) return undefined;
  const isShort = owners.length <= MAX_OWNERS && owners.join('').length <= MAX_OWNER_TEXT;
  if (isShort) return choiceHtml({ name: 'owner', title: 'Owner', values: owners, chosen: owner });
  return html`<div><label for="filter-owner">Owner</label><input id="filter-owner" name="owner" value="${owner ?? ''}"></div>`;
}

/** The form of the filter. It works without scripts. */
function filterHtml(filter: AlertFilter, owners: readonly string[], problems: readonly string[]): Html {
  const { words, severity, state, owner } = filter;
  const severityHtml = choiceHtml({ name: 'severity', title: 'Severity', values: severities, chosen: severity });
  const stateChoice = choiceHtml({
    name: 'state',
    title: 'State',
    values: shownStates,
    chosen: state,
    textOf: stateText,
  });
  return html`<form class="filter" method="get" action="alerts" role="search">
<div class="words"><label for="filter-q">Words</label><input id="filter-q" name="q" type="search" value="${words}" placeholder="name, vendor license, feature, …"></div>
${severityHtml}${stateChoice}${ownerHtml(owners, owner)}<button>Filter</button>
${isFiltering(filter) ? html`<a href="alerts">Clear</a>` : undefined}</form>
${problems.map((problem) => html`<p class="problem">${problem}</p>`)}`;
}

type Frame = Pick<AlertFrame, 'now' | 'timeZone'>;

/** All kinds of receivers. */
const kinds = { alertmanager: 'Alertmanager', email: 'Email', webhook: 'Webhook' } as const;

interface Row extends Omit<ReceiverStatus, 'receiver'> {
  readonly receiver: keyof typeof kinds;
  /** What went wrong since the start. */
  readonly problems?: readonly string[];
}

const plural = (count: number, one: string, many = `${one}s`): readonly string[] =>
  count === 0 ? [] : [countText(count, one, many)];

const alertmanagerRow = ({ url, counts: { lastSuccess, errors, dropped }, queueLength, failing }: Delivery): Row => ({
  receiver: 'alertmanager',
  target: url,
  lastSuccess,
  failing: failing(),
  waiting: queueLength(),
  problems: [
    ...plural(errors, 'failed delivery', 'failed deliveries'),
    ...plural(dropped, 'alert dropped', 'alerts dropped'),
  ],
});

/** How it is doing: the class of its box, and words. */
function stateOf({ failing, lastSuccess }: Row, frame: Frame): readonly [mark: string, state: Html] {
  if (failing !== undefined) {
    const since = timeHtml(failing.since, frame);
    return ['is-bad', html`<span class="bad">fails</span> since ${since}: ${failing.reason}`];
  }
  if (lastSuccess === undefined) return ['is-unknown', html`<span class="unknown">nothing sent yet</span>`];
  return ['is-good', html`<span class="good">works</span>`];
}

function rowHtml(row: Row, frame: Frame): Html {
  const { receiver, target, lastSuccess, waiting, problems = [] } = row;
  const [mark, state] = stateOf(row, frame);
  const last = lastSuccess === undefined ? 'no success yet' : html`last success ${timeHtml(lastSuccess, frame)}`;
  const since = problems.length === 0 ? undefined : html`<br>since the start: ${problems.join(', ')}`;
  return html`<li class="${mark}"><div><strong>${kinds[receiver]}</strong><br>${nameHtml(target)}</div>
<div>${state}</div>
<div class="details">${last}<br>${waiting === 0 ? 'nothing' : waiting} waiting${since}</div></li>
`;
}

const nobodyHtml = html`<p class="note">Nobody is notified: these alerts are only shown here. Set <code>alerting.alertmanagers</code>, <code>alerting.email</code> or <code>alerting.webhook</code> to send them, or evaluate the same alerts in Prometheus: <code>license-exporter rules</code> prints the rules.</p>
<p>To leave out an alert that is expected, add its labels to <code>alerting.ignore</code>, for example <code>alertname="LicenseExpired",vendor_license="old01;lmgrd"</code>.</p>`;

const silenceHtml = html`<p class="soft">Set <code>alerting.alertmanager_external_url</code> to get links to a silence that is filled in.</p>`;

/** The receivers with their problems, and what to do without any. */
function receiversHtml({ deliveries, alerts }: EngineStatus, others: readonly ReceiverStatus[], frame: Frame): Html {
  const rows: readonly Row[] = [...deliveries.map(alertmanagerRow), ...others];
  if (rows.length === 0) return nobodyHtml;
  const canSilence = deliveries.length === 0 || alerts.some(({ annotations }) => annotations.silence_url !== undefined);
  return html`<ul class="rows receivers">
${rows.map((row) => rowHtml(row, frame))}</ul>
${canSilence || alerts.length === 0 ? undefined : silenceHtml}`;
}

/** When the rules were evaluated, and which had no data. */
function evaluationHtml(status: EngineStatus, frame: AlertFrame): Html {
  const { lastEvaluation, evaluationInterval } = status;
  const every = durationText(evaluationInterval);
  if (lastEvaluation === undefined) {
    return html`<p class="problem">The rules have not been evaluated yet: there is no data from the analyzer, or a rule fails. Which alerts apply is unknown. If this does not change within some minutes, see the log and run <code>license-exporter doctor</code>.</p>`;
  }
  if (!isEvaluatedLately(status, frame.now)) {
    return html`<p class="problem">The last evaluation was at ${timeHtml(lastEvaluation.at, frame)}, although the rules are evaluated every ${every}: there is no current data, or a rule fails. See the log. New alerts are not noticed, and earlier ones may be out of date.</p>`;
  }
  const { length } = ruleNames(status);
  const without = withoutData(status).map((name) => runbookHtml(name, frame.runbooks));
  const unknown = html` These have no data, so whether they apply is unknown: ${joined(without, ', ')}.`;
  return html`<p class="soft">${countText(length, 'kind')} of alerts, evaluated ${durationText(frame.now - lastEvaluation.at)} ago and at least every ${every}.${without.length === 0 ? undefined : unknown}</p>`;
}

function nothingHtml({ status, filter, isZeroKnown }: AlertsPageData): Html {
  if (isFiltering(filter)) return html`<p>No alert matches the filter. <a href="alerts">Show all alerts</a></p>`;
  if (!isZeroKnown) return html`<p class="unknown">Whether there are alerts is unknown.</p>`;
  return withoutData(status).length === 0
    ? html`<p class="good">No alert fires or is pending.</p>`
    : html`<p class="unknown">No alert fires or is pending of those that have data.</p>`;
}

const goneHtml = html`<p class="note">The alert of your link is not listed. It has ended, or it was dropped because its data was missing for too long.</p>`;

/** The alerts that are selected, and what they are selected from. */
export function alertsContent(options: AlertsPageData): Html {
  const { status, receivers, filter, problems, selection, now, isZeroKnown } = options;
  const { counts, owners, matching, alerts, linked, causeOf } = selection;
  const { timeZone, unknownHold } = status;
  const frame: AlertFrame = { ...options, timeZone, unknownHold, causeOf };
  const list = alerts.length === 0 ? nothingHtml(options) : listHtml(selection, frame);
  // before the first evaluation, the alerts of the last run are not known
  const isGone = filter.alert !== undefined && linked === undefined && isEvaluatedLately(status, now);
  const matches = countText(matching, 'alert matches', 'alerts match');
  return html`<h1>Alerts</h1>
${evaluationHtml(status, frame)}
${tilesHtml(counts, filter, isZeroKnown)}
${filterHtml(filter, owners, problems)}
${isGone ? goneHtml : undefined}
${alerts.length > 0 && isFiltering(filter) ? html`<p class="soft">${matches} the filter.</p>` : undefined}
${list}
<h2>Receivers</h2>
${receiversHtml(status, receivers, frame)}`;
}

type Context = Pick<PageContext, 'site' | 'engine' | 'alertCounts' | 'receivers' | 'runbooks' | 'now'>;

/** The alerts of the filter in the URL. */
export const alertsRoutes = (context: Context, link: PageLink): Routes => ({
  '/': async ({ query }, reply) => {
    const { site, engine, alertCounts, receivers, runbooks, now } = context;
    const status = engine();
    const { filter, problems } = readFilter(query);
    const isZeroKnown = alertCounts()?.isZeroKnown === true;
    const data = { status, isZeroKnown, receivers: receivers(), runbooks: runbooks(), now: now() };
    const selection = await runSliced(selectAlerts(status, filter));
    const content = alertsContent({ ...data, filter, problems, selection });
    return sendPage(reply, pageHtml(site, { ...link, refreshes: true }, content));
  },
});
