import { expiryDay } from '../../../base/model/expiry-day.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { countText, namesText, numberText } from '../../../base/texts.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { Backend } from './backend.ts';
import { DatasourceError } from './errors.ts';
import { featureMatcher } from './feature-answers.ts';
import { productMatcher, requireFresh } from './known-data.ts';
import { bought, daysLeft, daysSince, daysUntil, expires, ownerColumn } from './live-columns.ts';
import {
  annotations,
  cell,
  type Event,
  flag,
  hasRows,
  millis,
  type Notice,
  number,
  type TargetAnswer,
  text,
} from './panel-data.ts';
import { type Query, show } from './query.ts';
import { type Cells, type TableContent, viewTable } from './table-view.ts';

/** The target `expirations`: a table, a calendar by month, totals, or annotations. */

const DAY = 86_400;
/** Seconds, after every expiry in the future. */
const ENDED = 1e15;
/** Months of the calendar after the current one. */
const MONTHS = 12;

interface ExpirationContext {
  /** Epoch seconds. */
  readonly now: number;
  readonly localTime: LocalTime;
  readonly owners: OwnerMapping;
  /** Whether a vendor license of the query was never collected: the number of its features is not known. */
  readonly isUnread?: boolean;
}

type Status = 'upcoming' | 'ended' | 'permanent';

/** A feature whose expiry is known. */
type Expiring = FeatureRow & { readonly expiration: number };

const statusOf = ({ expiration }: Expiring, now: number): Status => {
  if (expiration === Number.POSITIVE_INFINITY) return 'permanent';
  return expiration > now ? 'upcoming' : 'ended';
};

/**
 * Whether an expiry is in the month that the payload asks for.
 *
 * @throws DatasourceError for a text that is not a month
 */
function monthMatcher({ values }: Query, { now, localTime }: ExpirationContext): (entry: Expiring) => boolean {
  const { expiry_month: month } = values;
  if (month === undefined) return () => true;
  if (month === 'later') {
    const last = monthsFrom(now, localTime).at(-1) ?? '';
    return (entry) => statusOf(entry, now) === 'upcoming' && nameOfMonth(entry.expiration, localTime) > last;
  }
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new DatasourceError(
      'bad_parameter',
      `expirations: expiry_month is ${show(month)}, not a month as 2026-01, or later`,
    );
  }
  return (entry) => statusOf(entry, now) !== 'permanent' && nameOfMonth(entry.expiration, localTime) === month;
}

/** Whether an expiry has a status and a distance from now that the payload asks for. */
function statusMatcher({ values }: Query, now: number): (entry: Expiring) => boolean {
  const { lists, within } = values;
  const seconds = within === undefined ? Number.POSITIVE_INFINITY : Number(within) * DAY;
  const statuses = lists.status ?? ['upcoming', 'ended', ...(within === undefined ? ['permanent'] : [])];
  return (entry) => {
    const status = statusOf(entry, now);
    return statuses.includes(status) && (status === 'permanent' || Math.abs(entry.expiration - now) <= seconds);
  };
}

/** The target `expirations`, from the last poll: a table, its totals, licenses by month, or annotations. */
export function answerExpirations(
  query: Query,
  inventory: Inventory,
  { localTime, owners }: Pick<Backend, 'localTime' | 'owners'>,
): TargetAnswer {
  const { products } = query.values;
  // GetFeatures has expiries too, in case GetExpirationFeatures is off or absent
  const source = inventory.readings.isExpected('GetExpirationFeatures') ? 'GetExpirationFeatures' : 'GetFeatures';
  const problems = requireFresh(inventory, source, productMatcher(products, query.isPattern));
  const context = { now: inventory.at, localTime, owners: owners() };
  const isAskedFor = featureMatcher(query, query.values.features);
  const names = neverCollected(query, inventory);
  const entries = { items: inventory.features, isAskedFor, problems };
  const answer = expirationAnswer(query, entries, { ...context, isUnread: names !== undefined });
  if (names === undefined) return answer;
  const notice: Notice = { severity: 'warning', text: `without ${names}: never collected, so no expiry is known` };
  return { ...answer, unknown: answer.unknown ?? `expiries of ${names}`, notices: [...answer.notices, notice] };
}

/** Which vendor licenses of the query have no known expiry, because their servers were never reached. */
function neverCollected({ values, isPattern, allows }: Query, { vendorLicenses }: Inventory): string | undefined {
  const isAskedFor = productMatcher(values.products, isPattern);
  const names = vendorLicenses
    .filter(({ isReported, collectionTime }) => isReported && !isKnown(collectionTime))
    .map(({ vendorLicense }) => vendorLicense)
    .filter((name) => isAskedFor(name) && allows('product', name));
  return names.length === 0 ? undefined : namesText(names);
}

type Entries = Pick<TableContent<FeatureRow>, 'items' | 'isAskedFor' | 'problems'>;

/** The entries that are shown, as the content of a table, and what was seen of all of them. */
interface Expirations {
  readonly items: TableContent<Expiring>['items'];
  readonly isAskedFor: (entry: FeatureRow) => boolean;
  readonly problems: readonly DatasourceError[];
  readonly seen: Seen;
}

/** Entries without an expiry are left out: a missing date would look like a permanent license. */
export function expirationAnswer(
  query: Query,
  { items, isAskedFor: matches = () => true, problems = [] }: Entries,
  context: ExpirationContext,
): TargetAnswer {
  const hasStatus = statusMatcher(query, context.now);
  const isInMonth = monthMatcher(query, context);
  const seen: Seen = { dated: 0, undated: 0 };
  const isAskedFor = (entry: FeatureRow): boolean => {
    if (!matches(entry)) return false;
    const isDated = hasExpiry(entry);
    seen[isDated ? 'dated' : 'undated'] += 1;
    return isDated && hasStatus(entry) && isInMonth(entry);
  };
  // those that are asked for have an expiry
  const shown = { items: items as TableContent<Expiring>['items'], isAskedFor, problems, seen };
  if (query.shape === 'annotations') return expirationAnnotations(query, shown, context.localTime);
  if (query.shape === 'months') return expirationMonths(query, shown, context);
  if (query.shape === 'totals') return expirationTotals(query, shown, context);
  return expirationTable(query, shown, context);
}

const hasExpiry = (entry: FeatureRow): entry is Expiring => isKnown(entry.expiration);

const shownOf = ({ items, isAskedFor }: Expirations): IteratorObject<Expiring> =>
  Iterator.from(items).filter(isAskedFor);

/** Features that have been read, with and without a known expiry. */
type Seen = Record<'dated' | 'undated', number>;

/** A count of expiries. Where none is known it is not 0. */
const expiryCount = (count: number, { dated, undated }: Seen): number | null =>
  dated === 0 && undated > 0 ? null : count;

const undatedText = ({ undated }: Seen): string | undefined =>
  undated === 0 ? undefined : `the expiry of ${countText(undated, 'feature')}`;

/** Says of which licenses `Bought` is no number. */
const licenseType: Cells<Expiring> = [[text('License type'), (entry) => cell(entry.licenseType), 'asked']];

function expirationTable(
  query: Query,
  shown: Expirations,
  { now, localTime, owners }: ExpirationContext,
): TargetAnswer {
  const { seen } = shown;
  const { products } = query.values;
  const areSeveral = products.length > 1 || products.some(query.isPattern);
  const cells: Cells<Expiring> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense, areSeveral ? 'always' : 'asked'],
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    bought(query, 'asked'),
    ...(query.isForRows ? licenseType : []),
    [number('In use'), ({ inUse }) => cell(inUse), 'asked'],
    [text('Expires'), ({ expiration }) => expires(expiration, localTime)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
    [daysSince, ({ expiration }) => (expiration > now ? null : daysUntil(2 * now - expiration, now)), 'asked'],
    [flag('Expired'), ({ expired }) => cell(expired)],
    [flag('Warning'), ({ expirationWarning }) => cell(expirationWarning)],
    ...ownerColumn<Expiring>(owners),
  ];
  // the next one first, then those that have ended, the last one first, then permanent ones
  const keyOf = (entry: Expiring): number =>
    statusOf(entry, now) === 'ended' ? ENDED + (now - entry.expiration) : entry.expiration - now;
  const order = { name: 'Expires', keyOf };
  const unknown = (): string | undefined => undatedText(seen);
  const answer = viewTable(query, { name: 'expirations', cells, ...shown, order, unknown });
  // a list that looks complete is not
  if (seen.undated === 0 || !answer.items.some(hasRows)) return answer;
  const incomplete = `without ${countText(seen.undated, 'feature')}: no expiry is known`;
  return { ...answer, notices: [...answer.notices, { severity: 'warning', text: incomplete }] };
}

interface Month {
  readonly name: string;
  licenses: number;
  readonly vendorLicenses: Set<string>;
  /** Epoch seconds. */
  first: number | undefined;
}

const nameOfMonth = (at: number, { timeZone }: LocalTime): string => expiryDay(at, timeZone)?.slice(0, 7) ?? 'later';

/** The names of this month and of the following ones. */
function monthsFrom(now: number, localTime: LocalTime): readonly string[] {
  const [year, month] = nameOfMonth(now, localTime).split('-').map(Number) as [number, number];
  return Array.from({ length: MONTHS + 1 }, (_, i) =>
    new Date(Date.UTC(year, month - 1 + i, 1)).toISOString().slice(0, 7),
  );
}

/** How many licenses expire in each month. Those that have ended are not counted. */
function expirationMonths(query: Query, shown: Expirations, { now, localTime }: ExpirationContext): TargetAnswer {
  const { seen, problems } = shown;
  const months = [...monthsFrom(now, localTime), 'later', 'permanent'].map(
    (name): Month => ({ name, licenses: 0, vendorLicenses: new Set(), first: undefined }),
  );
  const byName = new Map(months.map((month) => [month.name, month]));
  for (const item of shownOf(shown)) {
    const status = statusOf(item, now);
    if (status === 'ended') continue;
    const name = status === 'permanent' ? status : nameOfMonth(item.expiration, localTime);
    const month = (byName.get(name) ?? byName.get('later')) as Month;
    month.licenses += 1;
    month.vendorLicenses.add(item.vendorLicense);
    month.first = Math.min(month.first ?? item.expiration, item.expiration);
  }
  const cells: Cells<Month> = [
    [text('Month'), ({ name }) => name],
    [number('Licenses expiring'), ({ licenses }) => expiryCount(licenses, seen)],
    [number('Vendor licenses'), ({ vendorLicenses }) => expiryCount(vendorLicenses.size, seen)],
    [text('First'), ({ first }) => expires(first, localTime)],
  ];
  return viewTable(query, { name: 'expirations', cells, items: months, order: { name: 'Month' }, problems });
}

/** One row. What expires within 7 days expires within 30 days too. */
function expirationTotals(query: Query, shown: Expirations, { now, isUnread }: ExpirationContext): TargetAnswer {
  const { seen, problems } = shown;
  const within = [7, 21, 30, 90].map((days) => ({ days, licenses: 0 }));
  const totals = { ended: 0, later: 0, permanent: 0 };
  for (const item of shownOf(shown)) {
    const status = statusOf(item, now);
    if (status !== 'upcoming') {
      totals[status] += 1;
      continue;
    }
    const near = within.filter(({ days }) => item.expiration - now <= days * DAY);
    for (const period of near) period.licenses += 1;
    if (near.length === 0) totals.later += 1;
  }
  const figures: readonly (readonly [name: string, licenses: number])[] = [
    ['Expired', totals.ended],
    ...within.map(({ days, licenses }) => [`Within ${days} days`, licenses] as const),
    ['Later', totals.later],
    ['Permanent', totals.permanent],
  ];
  const cells: Cells<typeof totals> = [
    ...figures.map(([name, licenses]): Cells<typeof totals>[number] => [
      number(name),
      () => expiryCount(licenses, seen),
    ]),
    [number('Without date'), () => (isUnread === true ? null : seen.undated)],
  ];
  return viewTable(query, { name: 'expirations', cells, items: [totals], problems });
}

/** One annotation for each day, with the features that expire: one for each vendor license would cover the chart. */
function expirationAnnotations(query: Query, shown: Expirations, localTime: LocalTime): TargetAnswer {
  const { problems } = shown;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  const days = new Map<string, { at: number; readonly vendorLicenses: Map<string, Set<string>> }>();
  for (const entry of shownOf(shown)) {
    const { vendorLicense, feature, expiration } = entry;
    const at = millis(expiration);
    const key = expiryDay(expiration, localTime.timeZone);
    if (at === null || key === undefined || at < from || at > to) continue;
    const day = days.get(key) ?? { at, vendorLicenses: new Map<string, Set<string>>() };
    const features = day.vendorLicenses.get(vendorLicense) ?? new Set<string>();
    days.set(key, day);
    day.vendorLicenses.set(vendorLicense, features.add(feature));
    day.at = Math.min(day.at, at);
  }
  const events: Event[] = [];
  for (const [day, { at, vendorLicenses }] of days) {
    const texts = [...vendorLicenses].map(([name, features]) => `${name} (${namesText([...features], 3)})`);
    const count = [...vendorLicenses.values()].reduce((sum, { size }) => sum + size, 0);
    const noun = count === 1 ? 'license expires' : 'licenses expire';
    const sentence = `${day}: ${numberText(count)} ${noun}: ${namesText(texts)}`;
    events.push({ time: at, title: 'Expires', text: sentence, tags: 'expiration' });
  }
  const [incomplete] = query.isForRows ? problems : [];
  const items = [annotations(events)];
  if (incomplete === undefined) return { items, notices: [] };
  return { items, notices: problems.map(({ message }) => ({ severity: 'warning', text: message })), incomplete };
}
