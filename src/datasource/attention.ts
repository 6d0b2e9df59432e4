import type { AttentionRow } from '../model/attention.ts';
import { DatasourceError } from './errors.ts';
import { productMatcher } from './known-data.ts';
import { cell, millis, type TargetAnswer, text, time } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';
import { countedText, namesText } from './texts.ts';

/** The target `attention`: what needs attention now, the most urgent first. */

/** What needs attention. */
export interface Attention {
  readonly rows: Iterable<AttentionRow>;
  /** How many kinds of alerts may fire without being seen, because they have no data. */
  readonly withoutData: number;
}

const severities = ['critical', 'warning', 'info'] as const;

/** Alerts of one kind about features of a vendor license. More are shown as one. */
const MAX_ALIKE = 3;
/** Names of features in a row for many. */
const MAX_NAMES = 3;

const byText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

const byUrgency = (a: AttentionRow, b: AttentionRow): number =>
  a.rank - b.rank ||
  // what is to come has its time, and everything else its severity
  (a.due ?? 0) - (b.due ?? 0) ||
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  (a.since ?? 0) - (b.since ?? 0) ||
  byText(a.vendorLicense, b.vendorLicense) ||
  byText(a.feature, b.feature);

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.min(a, b));
};

/** One row for many alerts of one kind about the same vendor license. */
function merged(rows: readonly AttentionRow[]): readonly AttentionRow[] {
  const names = [...new Set(rows.flatMap(({ feature }) => feature ?? []))].sort();
  const [first] = rows;
  if (first === undefined || names.length <= MAX_ALIKE) return rows;
  const owners = new Set(rows.map(({ owner }) => owner));
  return [
    {
      ...first,
      feature: undefined,
      details: `${names.length} features: ${namesText(names, MAX_NAMES)}`,
      since: earliest(rows.map(({ since }) => since)),
      due: earliest(rows.map(({ due }) => due)),
      alertsAt: rows.some(({ alertsAt }) => alertsAt === undefined)
        ? undefined
        : earliest(rows.map(({ alertsAt }) => alertsAt)),
      owner: owners.size === 1 ? first.owner : undefined,
    },
  ];
}

/** Conditions of features, by rank, severity, name and vendor license. What alerts already is apart from what will. */
const groupOf = ({ rank, severity, alert, vendorLicense, feature, alertsAt }: AttentionRow): string =>
  JSON.stringify([rank, severity, alert, vendorLicense, feature === undefined, alertsAt === undefined]);

/** Problems of the site are shown with every vendor license, and those of a vendor license with each of its features. */
export function answerAttention(query: Query, attention: Attention | undefined): TargetAnswer {
  if (attention === undefined) throw new DatasourceError('upstream_down', 'alerts have not been evaluated yet');
  const { rows, withoutData } = attention;
  const { products, features, lists } = query.values;
  const shown = lists.severity ?? severities;
  const isProduct = productMatcher(products);
  const isFeature = matcherOf(features, query.isPattern);
  const groups = new Map<string, AttentionRow[]>();
  for (const row of rows) {
    const { vendorLicense, feature, severity } = row;
    const isAskedFor =
      (vendorLicense === undefined || (isProduct(vendorLicense) && query.allows('product', vendorLicense))) &&
      (feature === undefined || isFeature(feature));
    if (!isAskedFor || !shown.includes(severity)) continue;
    const key = groupOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const items: AttentionRow[] = [];
  for (const group of groups.values()) {
    items.push(...merged(group));
  }
  const cells: Cells<AttentionRow> = [
    [text('Severity'), ({ severity }) => severity],
    [text('What'), ({ what }) => what],
    [text('Product'), ({ vendorLicense }) => cell(vendorLicense)],
    [text('Feature'), ({ feature }) => cell(feature)],
    [text('Details'), ({ details }) => details],
    [time('Since'), ({ since }) => millis(since)],
    [time('Alerts at'), ({ alertsAt }) => millis(alertsAt)],
    [text('Owner'), ({ owner }) => cell(owner)],
    [text('Alert'), ({ alert }) => alert],
  ];
  return viewTable(query, {
    name: 'attention',
    cells,
    items: items.sort(byUrgency),
    order: { name: 'urgency' },
    unknown: () => (withoutData === 0 ? undefined : `${countedText(withoutData, 'kind')} of alerts`),
  });
}
