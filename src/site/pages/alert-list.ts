import { type Html, html, nameHtml } from '../../base/html/html.ts';
import type { Backend } from '../grafana/answers/backend.ts';
import { completeRows } from '../grafana/protocols/rows.ts';
import { featureUrl, vendorLicenseUrl } from './links.ts';
import type { Known } from './wording.ts';
import { agoHtml, type Clock, durationHtml, proseHtml, unknownHtml, untilHtml } from './wording.ts';

/** What needs attention, as Grafana shows it: what alerts, and what will if it lasts; alike ones joined. */

/** A row of the target `attention`, as `/rows` writes it. */
export interface AttentionItem {
  readonly severity: 'critical' | 'warning' | 'info';
  /** Its severity if it fires. */
  readonly state: 'critical' | 'warning' | 'info' | 'pending';
  readonly what: string;
  readonly product: string | null;
  readonly feature: string | null;
  readonly details: string;
  /** Epoch milliseconds. That it was noticed then is all that is known where both are the same. */
  readonly noticed: number;
  readonly since: number | null;
  /** When it alerts if it lasts, epoch milliseconds; `null` for what alerts already. */
  readonly alerts_at: number | null;
}

/** The columns of an item. */
const columns = [
  'severity',
  'state',
  'what',
  'product',
  'feature',
  'details',
  'since',
  'alerts_at',
  'owner',
  'alert',
  'noticed',
];

/** The most urgent first. @throws DatasourceError until the alerts have been evaluated */
export async function readAttention(
  backend: Backend,
  signal: AbortSignal,
  subject: { readonly product?: string; readonly feature?: string } = {},
): Promise<readonly AttentionItem[]> {
  const asked = { severity: ['critical', 'warning', 'info'], columns, ...subject };
  return [...(await completeRows('attention', asked, backend, signal))] as readonly AttentionItem[];
}

/** The box of a row, and the color of what it is about. */
const classes = {
  critical: ['bad', 'bad'],
  warning: ['warn', 'warn'],
  info: ['soft', 'soft'],
  pending: ['pending', 'soft'],
} as const;

function subjectHtml({ product, feature }: AttentionItem): Html | undefined {
  if (product === null) return undefined;
  const owner = html`<a href="${vendorLicenseUrl(product)}">${nameHtml(product)}</a>`;
  if (feature === null) return owner;
  return html`<a href="${featureUrl({ vendorLicense: product, feature })}">${nameHtml(feature)}</a><br><small>${owner}</small>`;
}

/** Since when it has been so, or since when that has been seen here. */
function beganHtml({ since, noticed }: AttentionItem, clock: Clock): Html | undefined {
  if (since === null) return undefined;
  return since < noticed
    ? html`for ${durationHtml(since / 1000, clock)}`
    : html`noticed ${agoHtml(noticed / 1000, clock)}`;
}

/** What needs attention, the most urgent first. */
export function attentionListHtml(items: readonly AttentionItem[], clock: Clock): Html {
  const rows = items.map((item) => {
    const { severity, state, what, details, alerts_at: alertsAt } = item;
    const [mark, tone] = classes[state];
    const shown = state === 'pending' ? `pending, ${severity}` : severity;
    return html`<li class="is-${mark}"><div><span class="${tone}">${what}</span> <small>${shown}</small></div>
<div>${subjectHtml(item)}</div><div>${proseHtml(details)}</div><div class="soft">${beganHtml(item, clock)}${alertsAt === null ? undefined : html` <small>alerts in ${untilHtml(alertsAt / 1000, clock)}</small>`}</div></li>\n`;
  });
  return html`<ul class="rows">\n${rows}</ul>`;
}

/** The alerts of one subject, if there are any. */
export function attentionSection(attention: Known<readonly AttentionItem[]>, clock: Clock): Html | undefined {
  if ('reason' in attention) return html`<h2>Alerts</h2>\n${unknownHtml(attention.reason)}`;
  return attention.value.length === 0 ? undefined : html`<h2>Alerts</h2>\n${attentionListHtml(attention.value, clock)}`;
}
