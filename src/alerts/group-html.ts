import { hash } from 'node:crypto';
import { type Html, html, joined } from '../html/html.ts';
import type { AlertState } from './alert.ts';
import { countsOf } from './alert-classes.ts';
import { type AlertFilter, filterUrl, isFiltering } from './alert-filter.ts';
import { type AlertFrame, alertHtml, clipped, labelHtml } from './alert-html.ts';
import type { Selection } from './alert-selection.ts';

/** The alerts of the page `/alerts`, in groups by vendor license. Generators yield between slices of work. */

/** Maximum size of all alerts on the page, bytes. The API lists all of them. */
const MAX_BYTES = 165_000;
/** How much of it a group takes, without its name and its alerts. */
const GROUP_BYTES = 450;
/** Alike alerts of a group that are shown before the others are folded. */
const UNFOLDED = 3;
/** Number of alerts up to which groups are open: all of them, else those with critical ones. */
const FEW = 20;

/** `1,234 more` */
export const counted = (count: number, word: string): string => `${count.toLocaleString('en-US')} ${word}`;

/** The markup of alerts. */
type Rows = ReadonlyMap<AlertState, Html>;

/** The most urgent alerts that fit. */
function* rowsOf(
  alerts: readonly AlertState[],
  linked: AlertState | undefined,
  frame: AlertFrame,
): Generator<void, Rows> {
  const rows = new Map<AlertState, Html>();
  const groups = new Set<string>();
  let bytes = 0;
  for (const alert of linked === undefined ? alerts : [linked, ...alerts]) {
    if (rows.has(alert)) continue;
    const row = alertHtml(alert, frame, alert === linked);
    const { vendor_license: vendorLicense = '' } = alert.labels;
    // a name is in the heading, and three times as long in the link
    if (!groups.has(vendorLicense)) bytes += GROUP_BYTES + 4 * Buffer.byteLength(clipped(vendorLicense));
    bytes += Buffer.byteLength(`${row}`);
    if (bytes > MAX_BYTES) break;
    groups.add(vendorLicense);
    rows.set(alert, row);
    yield;
  }
  return rows;
}

function countsHtml(alerts: readonly AlertState[]): Html {
  const parts = countsOf(alerts).flatMap(({ shown, count }) =>
    count === 0 ? [] : html`<span class="${shown.tone}">${counted(count, shown.word)}</span>`,
  );
  return html`${joined(parts, ', ')}`;
}

/** An id that stays when the page is refreshed. */
const idOf = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts)).slice(0, 12);

/** Alerts of one name: the most urgent ones, and the others folded. */
function alikeHtml(group: string, alike: readonly AlertState[], rows: Rows): Html {
  const markup = alike.map((alert) => rows.get(alert));
  // a single one is not worth a click
  if (alike.length <= UNFOLDED + 1) return html`${markup}`;
  const folded = alike.slice(UNFOLDED);
  const name = alike[0]?.labels.alertname ?? '';
  return html`${markup.slice(0, UNFOLDED)}<li class="fold"><details id="fold-${idOf(group, name)}">
<summary>${counted(folded.length, 'more')} ${labelHtml(name)}: ${countsHtml(folded)}</summary>
<ul class="rows alerts">
${markup.slice(UNFOLDED)}</ul></details></li>
`;
}

function groupHtml(alerts: readonly AlertState[], rows: Rows, filter: AlertFilter, isOpen: boolean): Html {
  const vendorLicense = alerts[0]?.labels.vendor_license;
  const shown = alerts.filter((alert) => rows.has(alert));
  const rest = alerts.length - shown.length;
  const id = idOf(vendorLicense ?? '');
  const alike = Map.groupBy(shown, ({ labels }) => labels.alertname);
  const moreUrl = filterUrl({ ...filter, words: `${filter.words} ${vendorLicense ?? ''}`.trim() });
  const more = html`<p class="more"><a href="${moreUrl}">${counted(rest, 'more')}</a>, less urgent</p>`;
  return html`<details class="group" id="group-${id}"${isOpen ? html` open` : undefined}>
<summary><h2>${vendorLicense === undefined ? 'The monitoring itself' : labelHtml(vendorLicense)}</h2> <span>${countsHtml(alerts)}</span></summary>
<ul class="rows alerts">
${[...alike.values()].map((some) => alikeHtml(id, some, rows))}</ul>
${rest === 0 ? undefined : more}</details>
`;
}

const isCritical = ({ state, labels: { severity } }: AlertState): boolean =>
  state === 'firing' && severity === 'critical';

/** The alerts of a selection, and how many are left out. There is at least one. */
export function* groupsHtml(
  { alerts, linked }: Selection,
  filter: AlertFilter,
  frame: AlertFrame,
): Generator<void, Html> {
  const rows = yield* rowsOf(alerts, linked, frame);
  const groups: Html[] = [];
  let opened = 0;
  for (const group of Map.groupBy(alerts, ({ labels }) => labels.vendor_license).values()) {
    yield;
    if (!group.some((alert) => rows.has(alert))) continue;
    const isUrgent = alerts.length <= FEW || (opened < FEW && group.some(isCritical));
    const isOpen = isFiltering(filter) || isUrgent || group.some((alert) => alert === linked);
    if (isOpen) opened += group.length;
    groups.push(groupHtml(group, rows, filter, isOpen));
  }
  if (rows.size === alerts.length) return html`${groups}`;
  return html`<p class="note">The ${rows.size} most urgent of ${counted(alerts.length, 'alerts')} are shown. Filter to see others. All of them are in <a href="api/v1/alerts">/api/v1/alerts</a>.</p>
${groups}`;
}
