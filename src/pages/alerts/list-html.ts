import type { Selection } from '../../alerts/alert-selection.ts';
import { type Html, html } from '../../html/html.ts';
import { type AlertFrame, alertHtml, counted } from './markup.ts';

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
