import { pageHtml, type Site } from '../html/frame.ts';
import { type Html, html } from '../html/html.ts';
import { type AlertFilter, isFiltering, readFilter } from './alert-filter.ts';
import type { AlertFrame } from './alert-html.ts';
import { selectAlerts } from './alert-selection.ts';
import { type EngineStatus, withoutData } from './engine-status.ts';
import { evaluationHtml, isCurrent } from './evaluation-html.ts';
import { filterHtml, tilesHtml } from './filter-html.ts';
import { counted, groupsHtml } from './group-html.ts';
import { type ReceiverStatus, receiversHtml } from './receiver-html.ts';

/** The page `/alerts`. Links in notifications lead to it. */

export interface AlertPageOptions {
  readonly site: Site;
  readonly status: EngineStatus;
  /** Receivers other than Alertmanagers. */
  readonly receivers: readonly ReceiverStatus[];
  /** The URL of the runbooks, to which the anchor of an alert is added. */
  readonly runbooks: string;
  readonly collectedAt: AlertFrame['collectedAt'];
  /** Of the URL. */
  readonly query: unknown;
  /** Epoch seconds. */
  readonly now: number;
}

function nothingHtml(status: EngineStatus, filter: AlertFilter, now: number): Html {
  if (isFiltering(filter)) return html`<p>No alert matches the filter. <a href="alerts">Show all alerts</a></p>`;
  if (!isCurrent(status, now)) return html`<p class="unknown">Whether there are alerts is unknown.</p>`;
  return withoutData(status).length === 0
    ? html`<p class="good">No alert fires or is pending.</p>`
    : html`<p class="unknown">No alert fires or is pending of those that have data.</p>`;
}

const goneHtml = html`<p class="note">The alert of your link is not listed. It has ended, or it was dropped because its data was missing for too long.</p>`;

/** The page. It yields between slices of work. */
export function* alertsPage(options: AlertPageOptions): Generator<void, string> {
  const { site, status, receivers, runbooks, collectedAt, query, now } = options;
  const { filter, problems } = readFilter(query);
  const selection = yield* selectAlerts(status, filter);
  const { counts, owners, alerts, linked, causeOf } = selection;
  const { timeZone, unknownHold } = status;
  const frame: AlertFrame = { now, timeZone, unknownHold, runbooks, causeOf, collectedAt };
  const isEmpty = alerts.length === 0 && linked === undefined;
  const list = isEmpty ? nothingHtml(status, filter, now) : yield* groupsHtml(selection, filter, frame);
  // before the first evaluation, the alerts of the last run are not known
  const isGone = filter.alert !== undefined && linked === undefined && isCurrent(status, now);
  const matches = counted(alerts.length, alerts.length === 1 ? 'alert matches' : 'alerts match');
  const matching = isFiltering(filter) ? html`<p class="soft">${matches} the filter.</p>` : undefined;
  return pageHtml(
    site,
    { title: 'Alerts', path: 'alerts', refreshes: true },
    html`<h1>Alerts</h1>
${evaluationHtml(status, frame)}
${tilesHtml(counts, filter, isCurrent(status, now))}
${filterHtml(filter, owners, problems)}
${isGone ? goneHtml : undefined}
${isEmpty ? undefined : matching}
${list}
<h2>Receivers</h2>
${receiversHtml(status, receivers, frame)}`,
  );
}
