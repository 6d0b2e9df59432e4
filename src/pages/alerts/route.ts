import { type AlertFilter, isFiltering } from '../../alerts/alert-filter.ts';
import type { Selection } from '../../alerts/alert-selection.ts';
import type { ReceiverStatus } from '../../alerts/delivery.ts';
import { type EngineStatus, ruleNames, withoutData } from '../../alerts/engine-status.ts';
import { humanDuration } from '../../alerts/texts.ts';
import { pageHtml, type Site } from '../../html/frame.ts';
import { type Html, html, joined } from '../../html/html.ts';
import { filterHtml, tilesHtml } from './filter-html.ts';
import { listHtml } from './list-html.ts';
import { type AlertFrame, counted, runbookHtml, timeHtml } from './markup.ts';
import { receiversHtml } from './receiver-html.ts';

/** The page `/alerts`. Links in notifications lead to it. */

export interface AlertPageOptions extends Pick<AlertFrame, 'now' | 'runbooks' | 'collectedAt'> {
  readonly site: Site;
  readonly status: EngineStatus;
  /** Receivers other than Alertmanagers. */
  readonly receivers: readonly ReceiverStatus[];
  readonly filter: AlertFilter;
  /** What cannot be read in the filter. */
  readonly problems: readonly string[];
  readonly selection: Selection;
}

/** Evaluations that may be missed before alerts count as out of date. */
const MISSED = 3;

/** Whether the rules have been evaluated lately: without that, no alert does not mean that all is well. */
const isCurrent = ({ lastEvaluation, evaluationInterval }: EngineStatus, now: number): boolean =>
  lastEvaluation !== undefined && now - lastEvaluation.at <= MISSED * evaluationInterval;

/** When the rules were evaluated, and which had no data. */
function evaluationHtml(status: EngineStatus, frame: AlertFrame): Html {
  const { lastEvaluation, evaluationInterval } = status;
  const every = humanDuration(evaluationInterval);
  if (lastEvaluation === undefined) {
    return html`<p class="problem">The rules have not been evaluated yet: there is no data from the analyzer, or a rule fails. Which alerts apply is unknown. If this does not change within some minutes, see the log and run <code>license-exporter doctor</code>.</p>`;
  }
  if (!isCurrent(status, frame.now)) {
    return html`<p class="problem">The last evaluation was at ${timeHtml(lastEvaluation.at, frame)}, although the rules are evaluated every ${every}: there is no current data, or a rule fails. See the log. New alerts are not noticed, and earlier ones may be out of date.</p>`;
  }
  const { length } = ruleNames(status);
  const without = withoutData(status).map((name) => runbookHtml(name, frame.runbooks));
  const unknown = html` These have no data, so whether they apply is unknown: ${joined(without, ', ')}.`;
  return html`<p class="soft">${length} ${length === 1 ? 'kind' : 'kinds'} of alerts, evaluated ${humanDuration(frame.now - lastEvaluation.at)} ago and at least every ${every}.${without.length === 0 ? undefined : unknown}</p>`;
}

function nothingHtml(status: EngineStatus, filter: AlertFilter, now: number): Html {
  if (isFiltering(filter)) return html`<p>No alert matches the filter. <a href="alerts">Show all alerts</a></p>`;
  if (!isCurrent(status, now)) return html`<p class="unknown">Whether there are alerts is unknown.</p>`;
  return withoutData(status).length === 0
    ? html`<p class="good">No alert fires or is pending.</p>`
    : html`<p class="unknown">No alert fires or is pending of those that have data.</p>`;
}

const goneHtml = html`<p class="note">The alert of your link is not listed. It has ended, or it was dropped because its data was missing for too long.</p>`;

/** The page of the alerts that are selected. */
export function alertsPage(options: AlertPageOptions): string {
  const { site, status, receivers, filter, problems, selection, now } = options;
  const { counts, owners, matching, alerts, linked, causeOf } = selection;
  const { timeZone, unknownHold } = status;
  const frame: AlertFrame = { ...options, timeZone, unknownHold, causeOf };
  const list = alerts.length === 0 ? nothingHtml(status, filter, now) : listHtml(selection, frame);
  // before the first evaluation, the alerts of the last run are not known
  const isGone = filter.alert !== undefined && linked === undefined && isCurrent(status, now);
  const matches = counted(matching, matching === 1 ? 'alert matches' : 'alerts match');
  return pageHtml(
    site,
    { title: 'Alerts', path: 'alerts', refreshes: true },
    html`<h1>Alerts</h1>
${evaluationHtml(status, frame)}
${tilesHtml(counts, filter, isCurrent(status, now))}
${filterHtml(filter, owners, problems)}
${isGone ? goneHtml : undefined}
${alerts.length > 0 && isFiltering(filter) ? html`<p class="soft">${matches} the filter.</p>` : undefined}
${list}
<h2>Receivers</h2>
${receiversHtml(status, receivers, frame)}`,
  );
}
