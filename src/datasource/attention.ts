import { productMatcher } from './known-data.ts';
import { text, time } from './live-columns.ts';
import { cell, millis, type TargetAnswer } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';
import { countedText, namesText } from './texts.ts';

/** The target `attention`: what needs attention now, the most urgent first. */

/** An alert that fires. */
export interface AttentionRow {
  /** Name of its rule. */
  readonly alert: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** `undefined` for a problem that is not one of a vendor license. */
  readonly vendorLicense: string | undefined;
  readonly feature: string | undefined;
  /** One sentence, without the vendor license and the feature. */
  readonly details: string;
  /** Since when it has been so, epoch seconds. `undefined` for what is to come. */
  readonly since: number | undefined;
  /** When something will happen that has not happened yet, epoch seconds. */
  readonly due?: number | undefined;
  readonly owner: string | undefined;
}

/** The alerts that fire. */
export interface Attention {
  readonly rows: Iterable<AttentionRow>;
  /** How many kinds of alerts may fire without being seen, because they have no data. */
  readonly withoutData: number;
}

/** What an alert means, the most urgent first: what cannot be used now, then what is not known, then what will come. */
const meanings: Readonly<Record<string, string>> = {
  LicenseAnalyzerUnreachable: 'Analyzer cannot be polled',
  LicenseAnalyzerAuthFailing: 'Analyzer rejects the logon',
  LicenseProductsEmpty: 'Analyzer reports nothing',
  LicenseServerDown: 'Server is down',
  LicenseSourceDown: 'Source is down',
  LicenseExpired: 'Expired',
  LicenseFeatureSaturated: 'Saturated',
  LicenseRequestsQueued: 'Requests wait',
  LicenseDenials: 'Denials',
  LicenseCollectionStale: 'Data is old',
  LicensePollPartial: 'Data is missing',
  LicenseFieldMissing: 'A field is missing',
  LicenseRecordsDiscarded: 'Data is discarded',
  LicenseRedundancyLost: 'Redundancy lost',
  LicenseHistoryNotRecorded: 'History is not recorded',
  LicenseExpiringSoon: 'Expires soon',
  LicenseRunsOut: 'Runs out',
};
const ranking = Object.keys(meanings);
/** Alerts of the whole site: while they fire, nothing else is known. They come before every severity. */
const ofSite: readonly string[] = ranking.slice(0, 3);
/** Alerts about what has not happened yet. They come after everything that is so now. */
const toCome: readonly string[] = ['LicenseExpiringSoon', 'LicenseRunsOut'];
const severities = ['critical', 'warning', 'info'] as const;

/** Alerts of one kind about features of a vendor license. More are shown as one. */
const MAX_ALIKE = 3;
/** Names of features in a row for many. */
const MAX_NAMES = 3;

/** Smaller is more urgent. An alert that is not known comes after those that are. */
const urgencyOf = ({ alert, severity }: AttentionRow): number => {
  const kind = ranking.includes(alert) ? ranking.indexOf(alert) : ranking.length;
  if (ofSite.includes(alert)) return kind;
  const stage = severity === 'info' ? 3 : toCome.includes(alert) ? 2 : 1;
  return stage * 1000 + severities.indexOf(severity) * 100 + kind;
};

const byText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

const byUrgency = (a: AttentionRow, b: AttentionRow): number =>
  urgencyOf(a) - urgencyOf(b) ||
  (a.due ?? 0) - (b.due ?? 0) ||
  (a.since ?? 0) - (b.since ?? 0) ||
  byText(a.vendorLicense, b.vendorLicense) ||
  byText(a.feature, b.feature);

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
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
      owner: owners.size === 1 ? first.owner : undefined,
    },
  ];
}

/** Alerts about features, by severity, name and vendor license. */
const groupOf = ({ severity, alert, vendorLicense, feature }: AttentionRow): string =>
  JSON.stringify([severity, alert, vendorLicense, feature === undefined]);

/** Problems of the site are shown with every vendor license, and those of a vendor license with each of its features. */
export function* answerAttention(query: Query, { rows, withoutData }: Attention): Generator<void, TargetAnswer> {
  const { products, features, lists } = query.values;
  const shown = lists.severity ?? ['critical', 'warning'];
  const isProduct = productMatcher(products);
  const isFeature = matcherOf(features, query.isPattern);
  const groups = new Map<string, AttentionRow[]>();
  for (const row of rows) {
    yield;
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
    yield;
    items.push(...merged(group));
  }
  const cells: Cells<AttentionRow> = [
    [text('Severity'), ({ severity }) => severity],
    [text('What'), ({ alert }) => meanings[alert] ?? alert],
    [text('Product'), ({ vendorLicense }) => cell(vendorLicense)],
    [text('Feature'), ({ feature }) => cell(feature)],
    [text('Details'), ({ details }) => details],
    [time('Since'), ({ since }) => millis(since)],
    [text('Owner'), ({ owner }) => cell(owner)],
    [text('Alert'), ({ alert }) => alert],
  ];
  return yield* viewTable(query, {
    name: 'attention',
    cells,
    items: items.sort(byUrgency),
    order: { name: 'urgency' },
    unknown: () => (withoutData === 0 ? undefined : `${countedText(withoutData, 'kind')} of alerts`),
  });
}
