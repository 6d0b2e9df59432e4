import type { AttentionMember, AttentionRow } from '../../../base/model/attention-row.ts';
import { byUrgency } from '../../../base/model/urgency.ts';
import { countText, namesText } from '../../../base/texts.ts';
import type { Attention } from './backend.ts';
import { DatasourceError } from './errors.ts';
import { productMatcher } from './known-data.ts';
import { cell, millis, type TargetAnswer, text, time } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';

/** The target `attention`: what needs attention now, the most urgent first. */

const severities = ['critical', 'warning', 'info'] as const;

/** Features in a row for several. */
const MAX_NAMES = 3;

/** Where a problem of the whole site is. */
const SITE = 'whole site';

/** A row of the list. */
type Item = Omit<AttentionRow, 'members'> & { readonly feature: string | undefined };

const byText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

const urgencyOf = ({ severity, since, due }: Item) => ({ severity, at: since ?? due });

const byRank = (a: Item, b: Item): number =>
  a.rank - b.rank ||
  byUrgency(urgencyOf(a), urgencyOf(b)) ||
  byText(a.vendorLicense, b.vendorLicense) ||
  byText(a.feature, b.feature);

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.min(a, b));
};

/** The part of an alert that is about these of its features. */
function partOf({ members: _all, ...row }: AttentionRow, members: readonly AttentionMember[]): Item {
  const [first] = members;
  if (first === undefined) return { ...row, feature: undefined };
  const names = new Set(members.map((member) => member.feature));
  const { feature } = first;
  const what = names.size === 1 ? `${members.length} versions or packages` : `${names.size} features`;
  // when is said once, or of each if it differs
  const isAtOnce = members.every(({ when }) => when === first.when);
  const about = isAtOnce && first.when !== undefined ? `${what} ${first.when}` : what;
  const texts = members.map(({ text: name, when }) => (isAtOnce || when === undefined ? name : `${name} ${when}`));
  return {
    ...row,
    feature: names.size === 1 ? feature : undefined,
    details: members.length === 1 ? first.details : `${about}: ${namesText(texts, MAX_NAMES)}`,
    noticed: Math.min(...members.map(({ noticed }) => noticed)),
    since: earliest(members.map(({ since }) => since)),
    due: earliest(members.map(({ due }) => due)),
    alertsAt: earliest(members.map(({ alertsAt }) => alertsAt)),
  };
}

/** What it is about, in one text. */
const whereOf = ({ feature, vendorLicense, part }: Item): string => feature ?? vendorLicense ?? part ?? SITE;

/** The uid of the dashboard about that. */
function dashboardOf({ feature, vendorLicense }: Item): string {
  if (feature !== undefined) return 'license-feature';
  return vendorLicense === undefined ? 'license-exporter' : 'license-vendor-license';
}

/**
 * One row for each alert, as it is counted everywhere. Problems of the site are shown with every vendor license, and those of a
 * vendor license with each of its features.
 */
export function answerAttention(query: Query, attention: Attention | undefined): TargetAnswer {
  if (attention === undefined) throw new DatasourceError('upstream_down', 'alerts have not been evaluated yet');
  const { rows, withoutData } = attention;
  const { products, features, lists } = query.values;
  const shown = lists.severity ?? severities;
  const isProduct = productMatcher(products);
  const isFeature = matcherOf(features, query.isPattern);
  const items: Item[] = [];
  for (const row of rows) {
    const { vendorLicense, severity, members } = row;
    const isProductAskedFor =
      vendorLicense === undefined || (isProduct(vendorLicense) && query.allows('product', vendorLicense));
    if (!isProductAskedFor || !shown.includes(severity)) continue;
    const asked = members.filter(({ feature }) => feature === undefined || isFeature(feature));
    if (asked.length > 0 || members.length === 0) items.push(partOf(row, asked));
  }
  const cells: Cells<Item> = [
    [text('Severity'), ({ severity }) => severity],
    [text('State'), ({ state, severity }) => (state === 'firing' ? severity : state)],
    [text('What'), ({ what }) => what],
    [text('Product'), ({ vendorLicense }) => cell(vendorLicense)],
    [text('Feature'), ({ feature }) => cell(feature)],
    [text('Where'), whereOf, 'asked'],
    [text('Dashboard'), dashboardOf, 'asked'],
    [text('Details'), ({ details }) => details],
    [time('Since'), ({ since }) => millis(since)],
    [time('Noticed'), ({ noticed }) => millis(noticed), 'asked'],
    [time('Alerts at'), ({ alertsAt }) => millis(alertsAt)],
    [text('Owner'), ({ owner }) => cell(owner)],
    [text('Alert'), ({ alert }) => alert],
  ];
  return viewTable(query, {
    name: 'attention',
    cells,
    items: items.sort(byRank),
    order: { name: 'urgency' },
    unknown: () => (withoutData === 0 ? undefined : `${countText(withoutData, 'kind')} of alerts`),
  });
}
