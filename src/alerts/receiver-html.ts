import { type Html, html, nameHtml } from '../html/html.ts';
import { type AlertFrame, timeHtml } from './alert-html.ts';
import type { Delivery, DeliveryFailure } from './delivery.ts';
import type { EngineStatus } from './engine-status.ts';

/** Who is notified of alerts, on the page `/alerts`. */

/** A receiver other than an Alertmanager. */
export interface ReceiverStatus {
  readonly receiver: 'email' | 'webhook';
  /** An address or a URL, without secrets. */
  readonly target: string;
  /** Epoch seconds; `undefined` if nothing was accepted yet. */
  readonly lastSuccess: number | undefined;
  /** `undefined` if the last message was accepted, and before the first one. */
  readonly failing: DeliveryFailure | undefined;
  /** Messages that wait. */
  readonly waiting: number;
}

type Frame = Pick<AlertFrame, 'now' | 'timeZone'>;

interface Row extends Omit<ReceiverStatus, 'receiver'> {
  readonly kind: string;
  /** What went wrong since the start. */
  readonly problems: readonly string[];
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const kinds: Readonly<Record<ReceiverStatus['receiver'], string>> = { email: 'Email', webhook: 'Webhook' };

const alertmanagerRow = ({ url, counts: { lastSuccess, errors, dropped }, queueLength, failing }: Delivery): Row => ({
  kind: 'Alertmanager',
  target: url,
  lastSuccess,
  failing: failing(),
  waiting: queueLength(),
  problems: [
    ...(errors === 0 ? [] : [plural(errors, 'failed delivery').replace(/ys$/, 'ies')]),
    ...(dropped === 0 ? [] : [`${plural(dropped, 'alert')} dropped`]),
  ],
});

function stateHtml({ failing, lastSuccess }: Row, frame: Frame): Html {
  if (failing !== undefined) {
    return html`<span class="bad">fails</span> since ${timeHtml(failing.since, frame)}: ${failing.reason}`;
  }
  return lastSuccess === undefined
    ? html`<span class="unknown">nothing sent yet</span>`
    : html`<span class="good">works</span>`;
}

function rowHtml(row: Row, frame: Frame): Html {
  const { kind, target, lastSuccess, failing, waiting, problems } = row;
  const mark = failing !== undefined ? 'is-bad' : lastSuccess === undefined ? 'is-unknown' : 'is-good';
  const last = lastSuccess === undefined ? 'no success yet' : html`last success ${timeHtml(lastSuccess, frame)}`;
  const since = problems.length === 0 ? undefined : html`<br>since the start: ${problems.join(', ')}`;
  return html`<li class="${mark}"><div><strong>${kind}</strong><br>${nameHtml(target)}</div>
<div>${stateHtml(row, frame)}</div>
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
  const rows: readonly Row[] = [
    ...deliveries.map(alertmanagerRow),
    ...others.map((other) => ({ ...other, kind: kinds[other.receiver], problems: [] })),
  ];
  if (rows.length === 0) return nobodyHtml;
  const canSilence = deliveries.length === 0 || alerts.some(({ annotations }) => annotations.silence_url !== undefined);
  return html`<ul class="rows receivers">
${rows.map((row) => rowHtml(row, frame))}</ul>
${canSilence || alerts.length === 0 ? undefined : silenceHtml}`;
}
