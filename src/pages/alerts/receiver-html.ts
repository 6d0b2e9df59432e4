import type { Delivery, ReceiverStatus } from '../../alerts/delivery.ts';
import type { EngineStatus } from '../../alerts/engine-status.ts';
import { type Html, html, nameHtml } from '../../html/html.ts';
import { type AlertFrame, timeHtml } from './markup.ts';

/** Who is notified of alerts, on the page `/alerts`. */

type Frame = Pick<AlertFrame, 'now' | 'timeZone'>;

/** All kinds of receivers. */
const kinds = { alertmanager: 'Alertmanager', email: 'Email', webhook: 'Webhook' } as const;

interface Row extends Omit<ReceiverStatus, 'receiver'> {
  readonly receiver: keyof typeof kinds;
  /** What went wrong since the start. */
  readonly problems?: readonly string[];
}

const plural = (count: number, one: string, many = `${one}s`): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

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
export function receiversHtml(
  { deliveries, alerts }: EngineStatus,
  others: readonly ReceiverStatus[],
  frame: Frame,
): Html {
  const rows: readonly Row[] = [...deliveries.map(alertmanagerRow), ...others];
  if (rows.length === 0) return nobodyHtml;
  const canSilence = deliveries.length === 0 || alerts.some(({ annotations }) => annotations.silence_url !== undefined);
  return html`<ul class="rows receivers">
${rows.map((row) => rowHtml(row, frame))}</ul>
${canSilence || alerts.length === 0 ? undefined : silenceHtml}`;
}
