import type { PageLink } from '../../../base/html/frame.ts';
import { type Content, type Html, html, nameHtml } from '../../../base/html/html.ts';
import { recordingProblem } from '../../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../../base/model/observation/source.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { countText, numberText } from '../../../base/texts.ts';
import type { IsSaturated } from '../../../exporter/inventory/feature-row.ts';
import type { Emptiness, Inventory } from '../../../exporter/inventory/inventory.ts';
import type { MetricSeries } from '../../../exporter/metrics/exposition.ts';
import { figuresOf, type SiteFigures, usersOf } from '../../grafana/answers/site-figures.ts';
import { type AttentionItem, attentionListHtml, readAttention } from '../alert-list.ts';
import { type DeniedToday, deniedHtml, readDenied } from '../denied.ts';
import { featureListHtml, moreHtml } from '../feature-list.ts';
import { type AlertCounts, inventoryPage, type PageContext, parameterOf, written } from '../page.ts';
import { ageHtml, pollListHtml, pollProblem } from '../poll-list.ts';
import type { Routes } from '../routes.ts';
import { type Found, filterHtml, findFeatures, missingWords, wordsOf } from '../search.ts';
import {
  byUrgency,
  needsAttention,
  problemsHtml,
  sourceClass,
  sourceState,
  sourceStateText,
  sourcesText,
} from '../source-states.ts';
import { vendorLicenseListHtml } from '../vendor-license-list.ts';
import { attempt, type Clock, type Known, notRecordedHtml, sentence } from '../wording.ts';

/** The page at `/`: what a license administrator asks first. */

/** Vendor licenses and alerts that are listed. */
const MAX_VENDOR_LICENSES = 50;
const MAX_ALERTS = 10;
/** Families of metrics whose series are counted one by one. */
const MAX_FAMILIES = 10;

/** Everything that the first page shows. */
export interface StatusPageData {
  readonly inventory: Inventory;
  readonly figures: SiteFigures;
  readonly isSaturated: IsSaturated;
  /** `undefined` if it has no name that people know. */
  readonly analyzer: string | undefined;
  readonly owners: OwnerMapping;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources: readonly SourceHealth[] | undefined;
  /** Why an analyzer in this process does not record history; `undefined` if it does, and without one. */
  readonly notRecorded: string | undefined;
  /** `undefined` where denials are not requested. */
  readonly denied: Known<DeniedToday> | undefined;
  /** Whether there is a page of licenses that could come back. */
  readonly people: boolean;
  /** Links for other programs. */
  readonly interfaces: Content;
  /** How many series each metric has, the most first. */
  readonly series: readonly MetricSeries[];
  /** What needs attention. */
  readonly attention: Known<readonly AttentionItem[]>;
  /** The number of alerts that fire; `undefined` until the rules have been evaluated. */
  readonly alerts: AlertCounts | undefined;
  /** The filter as it was typed, and its words. */
  readonly filter: string;
  readonly words: readonly string[];
  /** What the filter finds; `undefined` without one. */
  readonly found: Found | undefined;
}

interface Tile {
  readonly title: string;
  readonly figure: Content;
  readonly about: Content;
  readonly href: string;
  readonly mark: 'bad' | 'warn' | 'good' | 'unknown' | 'plain';
}

const tileHtml = ({ title, figure, about, href, mark }: Tile): Html =>
  html`<li class="is-${mark}"><a href="${href}">${title}</a><strong>${figure}</strong><small>${about}</small></li>\n`;

const emptyTexts: Readonly<Record<Emptiness, string>> = {
  'not listed': 'the analyzer lists no vendor license',
  'not selected': 'no vendor license is selected',
};

function serverTile({ figures: { vendorLicenses }, inventory }: StatusPageData): Tile {
  const of = (state: string): number => vendorLicenses.filter((one) => one.state === state).length;
  const [down, up] = [of('down'), of('up')];
  const others = vendorLicenses.length - down - up;
  const unknown = others === 0 ? '' : `, ${numberText(others)} not known`;
  const base = { title: 'Servers', href: '#vendor-licenses' };
  if (!inventory.knowledge.products && vendorLicenses.length === 0) {
    return { ...base, figure: 'not known', about: 'the vendor licenses are not known', mark: 'unknown' };
  }
  const { emptiness } = inventory;
  if (emptiness !== undefined) return { ...base, figure: 'none', about: emptyTexts[emptiness], mark: 'bad' };
  if (vendorLicenses.length === 0) return { ...base, figure: 'none', about: 'of this shard', mark: 'unknown' };
  if (others === vendorLicenses.length) {
    return { ...base, figure: 'not known', about: `of ${countText(others, 'vendor license')}`, mark: 'unknown' };
  }
  const figure = down === 0 ? `${numberText(up)} up` : `${numberText(down)} down`;
  const about = `of ${countText(vendorLicenses.length, 'vendor license')}${unknown}`;
  return { ...base, figure, about, mark: down > 0 ? 'bad' : others > 0 ? 'warn' : 'good' };
}

/** What a number of features is of, and how many of them are not known. */
interface Scope {
  readonly features: number;
  readonly unknown: number;
  /** Vendor licenses of which no feature is known. */
  readonly hidden: number;
  /** Before the number of features, if what is counted are no features. */
  readonly among?: 'for';
}

/** A number of features, or of something that they have. It is not good while some features are not known. */
function featureTile(tile: Pick<Tile, 'title' | 'href' | 'mark'>, count: number, scope: Scope): Tile {
  const { features, unknown, hidden, among = 'of' } = scope;
  if (features === 0) return { ...tile, figure: 'not known', about: 'no feature is known', mark: 'unknown' };
  if (count === 0 && unknown >= features) {
    return { ...tile, figure: 'not known', about: `of ${countText(features, 'feature')}`, mark: 'unknown' };
  }
  const missing = [
    ...(unknown === 0 ? [] : [`${numberText(unknown)} not known`]),
    ...(hidden === 0 ? [] : [`without ${countText(hidden, 'vendor license')}`]),
  ];
  const about = [`${among} ${countText(features, 'feature')}`, ...missing].join(', ');
  const mark = count > 0 ? tile.mark : missing.length > 0 ? 'unknown' : 'good';
  return { ...tile, figure: numberText(count), about, mark };
}

const firingOf = ({ critical, warning, info }: AlertCounts): number => critical + warning + info;
/** Those that the list has. */
const listedOf = (counts: AlertCounts): number => firingOf(counts) + counts.pending;

function alertTile({ alerts }: StatusPageData): Tile {
  const base = { title: 'Alerts', href: 'alerts' };
  if (alerts === undefined) return { ...base, figure: 'not known', about: 'not evaluated yet', mark: 'unknown' };
  const { critical, warning, info, pending, withoutData, isZeroKnown } = alerts;
  const firing = firingOf(alerts);
  if (firing === 0 && !isZeroKnown) {
    return { ...base, figure: 'not known', about: 'without data, alerts cannot start', mark: 'unknown' };
  }
  const about = [
    `${numberText(critical)} critical, ${numberText(warning)} warning, ${numberText(info)} info`,
    ...(pending === 0 ? [] : [`${numberText(pending)} pending`]),
    ...(withoutData === 0 ? [] : [`${countText(withoutData, 'kind')} without data`]),
  ].join(', ');
  const calm = withoutData > 0 ? 'unknown' : pending > 0 ? 'plain' : 'good';
  return { ...base, figure: numberText(firing), about, mark: critical > 0 ? 'bad' : warning > 0 ? 'warn' : calm };
}

function usersTile({ inventory: { concurrentUsers }, figures: { vendorLicenses } }: StatusPageData): Tile {
  const tile = { title: 'Users now', href: '#vendor-licenses' };
  if (!isKnown(concurrentUsers)) return { ...tile, figure: 'not known', about: 'hold a license', mark: 'unknown' };
  const unseen = vendorLicenses.filter((one) => one.row.isReported && !isKnown(usersOf(one))).length;
  const about = `hold a license${unseen === 0 ? '' : `; not known of ${countText(unseen, 'vendor license')}`}`;
  return { ...tile, figure: numberText(concurrentUsers), about, mark: 'plain' };
}

/** What was known before the polls failed may be over now. */
const outdated = (tile: Tile): Tile => (tile.mark === 'good' ? { ...tile, mark: 'unknown' } : tile);

function tilesHtml(data: StatusPageData): Html {
  const { sums, vendorLicenses } = data.figures;
  const { features } = sums;
  const hidden = vendorLicenses.filter((one) => one.features === 0 && one.state !== 'up').length;
  const share = { features, hidden, unknown: sums.withoutShare };
  const queue = { features, hidden, unknown: sums.withoutQueue };
  const expiry = { features, hidden, unknown: sums.withoutExpiry };
  const short = { href: '#short', mark: 'bad' } as const;
  const tiles: readonly Tile[] = [
    serverTile(data),
    featureTile({ ...short, title: 'Saturated' }, sums.saturated, share),
    featureTile({ ...short, title: 'Requests wait' }, sums.waiting, { ...queue, among: 'for' }),
    featureTile({ title: 'Expired', href: '#expired', mark: 'bad' }, sums.expired, expiry),
    featureTile({ title: 'Expire in 30 days', href: '#expiring', mark: 'warn' }, sums.within30Days, expiry),
    alertTile(data),
    usersTile(data),
  ];
  const shown = pollProblem(data.inventory) === undefined ? tiles : tiles.map(outdated);
  return html`<ul class="tiles">\n${shown.map(tileHtml)}</ul>`;
}

function vendorLicensesHtml({ figures: { vendorLicenses }, words, owners }: StatusPageData, clock: Clock): Html {
  const matching = vendorLicenses.filter(({ row: { vendorLicense } }) => {
    const text = `${vendorLicense} ${Object.values(owners.of(vendorLicense)).join(' ')}`;
    return missingWords(text, words).length === 0;
  });
  const shown = matching.slice(0, MAX_VENDOR_LICENSES);
  const none = html`<p>${words.length === 0 ? 'No vendor license is known.' : 'No vendor license matches.'}</p>`;
  const list = shown.length === 0 ? none : vendorLicenseListHtml(shown, clock, (name) => owners.of(name).owner);
  return html`<h2 id="vendor-licenses">Vendor licenses</h2>
${list}${moreHtml(shown.length, matching.length, 'vendor license')}`;
}

function foundHtml({ features, count }: Found, { filter, isSaturated }: StatusPageData, clock: Clock): Html {
  const none = html`<p>No feature matches.</p>`;
  const list = features.length === 0 ? none : featureListHtml(features, isSaturated, clock, 'all');
  return html`<h2 id="found">${countText(count, 'feature')} with “${filter}”</h2>
${list}${moreHtml(features.length, count)}`;
}

/** What it means that no alert fires. */
function noAlertHtml(alerts: AlertCounts | undefined): Html {
  if (alerts?.isZeroKnown !== true) {
    return html`<p class="unknown">No alert fires yet. Without data, most alerts can neither start nor end.</p>`;
  }
  const { withoutData } = alerts;
  if (withoutData === 0) return html`<p>No alert fires or is pending.</p>`;
  return html`<p class="unknown">No alert fires or is pending of those that have data. Whether ${countText(withoutData, 'other kind')} of <a href="alerts">alerts</a> ${withoutData === 1 ? 'applies' : 'apply'} is not known.</p>`;
}

function attentionHtml({ attention, alerts }: StatusPageData, clock: Clock): Html {
  const title = html`<h2 id="attention">Needs attention</h2>`;
  if ('reason' in attention) return html`${title}<p class="unknown">${sentence(attention.reason)}</p>`;
  const shown = attention.value.slice(0, MAX_ALERTS);
  const hasMore = attention.value.length > shown.length;
  const list = shown.length === 0 ? noAlertHtml(alerts) : attentionListHtml(shown, clock);
  const all = alerts === undefined || !hasMore ? 'All alerts' : `All ${countText(listedOf(alerts), 'alert')}`;
  return html`${title}${list}<p><a href="alerts">${all}</a></p>`;
}

/** What is not known of how many features. */
const unknownHtml = (what: string, features: number): Html | undefined =>
  features === 0 ? undefined : html`<p class="unknown">${what} is not known of ${countText(features, 'feature')}.</p>`;

function shortHtml({ figures: { short, shortCount, sums }, isSaturated, people }: StatusPageData, clock: Clock): Html {
  const { features, withoutShare, withoutQueue } = sums;
  const isAllKnown = withoutShare === 0 && withoutQueue === 0;
  const none = features === 0 ? 'No feature is known.' : 'No feature is saturated, and no request waits.';
  const list =
    short.length > 0
      ? featureListHtml(short, isSaturated, clock, 'all', people)
      : isAllKnown
        ? html`<p>${none}</p>`
        : undefined;
  return html`<h2 id="short">Saturated, or requests wait</h2>
${list}${moreHtml(short.length, shortCount)}${unknownHtml('The share in use', withoutShare)}${unknownHtml('Whether requests wait', withoutQueue)}`;
}

function expiringHtml({ figures, isSaturated }: StatusPageData, clock: Clock): Html {
  const { expiring, expiringCount, expired, sums } = figures;
  const unknown = unknownHtml('The expiry', sums.withoutExpiry);
  const past =
    expired.length === 0
      ? undefined
      : html`<h2 id="expired">Expired</h2>
${featureListHtml(expired, isSaturated, clock, 'all')}${moreHtml(expired.length, sums.expired)}`;
  const none = sums.features === 0 ? 'No feature is known.' : 'Nothing is known to expire.';
  const next = expiring.length === 0 ? html`<p>${none}</p>` : featureListHtml(expiring, isSaturated, clock, 'all');
  return html`<h2 id="expiring">Expires next</h2>
${unknown}${next}${moreHtml(expiring.length, expiringCount)}
<p class="soft">All of them: <a href="contracts">contracts</a>, <a href="expirations.csv">CSV file</a>, <a href="expirations.ics">calendar</a></p>${past}`;
}

/** Sources of an analyzer in this process, as far as they need attention. */
function sourcesHtml(sources: readonly SourceHealth[] | undefined): Html | undefined {
  if (sources === undefined) return undefined;
  const rows = byUrgency(sources)
    .filter(needsAttention)
    .map((health) => {
      const [row, words] = sourceClass[sourceState(health)];
      return html`<li class="${row}"><div>${nameHtml(health.name)}<br><span class="${words}">${sourceStateText[sourceState(health)]}</span></div><div>${problemsHtml(health)}</div></li>\n`;
    });
  return html`<h2 id="sources">Sources</h2>
<p>${sourcesText(sources)}. <a href="sources">All sources</a></p>${rows.length === 0 ? undefined : html`<ul class="rows two">\n${rows}</ul>`}`;
}

/** What the metrics of a family have in common: the first word of their names. */
const familyOf = (metric: string): string =>
  /^license_vendor_license|^license_[a-z]+|^[a-z]+/.exec(metric)?.[0] ?? metric;

/** Which families of metrics cost most in Prometheus. */
function seriesHtml(series: readonly MetricSeries[]): Html {
  const sum = (some: readonly MetricSeries[]): number => some.reduce((total, one) => total + one.series, 0);
  const families = [...Map.groupBy(series, ({ metric }) => familyOf(metric))]
    .map(([name, metrics]) => ({ name, metrics, count: sum(metrics) }))
    .sort((a, b) => b.count - a.count);
  const shown = families.slice(0, MAX_FAMILIES);
  const others = families.slice(MAX_FAMILIES).flatMap(({ metrics }) => metrics);
  const rowHtml = (count: number, what: Content, metrics: number): Html =>
    html`<tr><td>${numberText(count)}</td><td>${what} <span class="soft">${countText(metrics, 'metric')}</span></td></tr>\n`;
  const rows = shown.map(({ name, metrics, count }) =>
    rowHtml(count, html`<code>${metrics.length === 1 ? metrics[0]?.metric : `${name}_…`}</code>`, metrics.length),
  );
  const rest = others.length === 0 ? undefined : rowHtml(sum(others), 'all others', others.length);
  return html`<details id="series"><summary>${countText(sum(series), 'series', 'series')} for Prometheus, by the names of the metrics</summary>
<table class="counts">\n${rows}${rest}</table></details>`;
}

/** Why the page is not current, if it is not. */
function problemHtml({ inventory, notRecorded }: StatusPageData): Html | undefined {
  const failure = pollProblem(inventory);
  const recording = notRecordedHtml(notRecorded);
  if (failure === undefined) return recording;
  return html`${recording}<div class="problem" role="alert"><p><b>The analyzer cannot be polled.</b> ${sentence(failure.message)}</p>
<p>What follows is what was known last, as long as it is not too old. <a href="#polls">Age of the data</a></p></div>`;
}

/** Everything that is known at once. */
const overviewHtml = (data: StatusPageData, clock: Clock): Html =>
  html`${attentionHtml(data, clock)}${vendorLicensesHtml(data, clock)}${shortHtml(data, clock)}${deniedHtml(data.denied, clock, data.people)}${expiringHtml(data, clock)}<h2 id="polls">Age of the data</h2>
${pollListHtml(data.inventory, clock)}${sourcesHtml(data.sources)}<h2 id="interfaces">For other programs</h2>
${data.interfaces}${seriesHtml(data.series)}`;

/** The first page: what needs attention, then the vendor licenses and their features. */
export function statusContent(data: StatusPageData, clock: Clock): Html {
  const { analyzer, inventory, filter, found } = data;
  const form = filterHtml({ filter, label: 'Vendor license, feature, package or owner', vendorLicense: undefined });
  return html`<h1>Licenses${analyzer === undefined ? undefined : html` of ${nameHtml(analyzer)}`}</h1>
<p class="soft">${ageHtml(inventory, clock)}</p>
${problemHtml(data)}${found === undefined ? tilesHtml(data) : undefined}${form}${
  found === undefined ? overviewHtml(data, clock) : [foundHtml(found, data, clock), vendorLicensesHtml(data, clock)]
}`;
}

/** The whole site. The parameter `q` filters it. */
export const statusRoutes = (context: PageContext, link: PageLink): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const { analyzer, alertCounts, collecting, denials, interfaces, people, series } = context;
    const owners = backend.owners();
    const now = backend.now();
    const filter = parameterOf(request, 'q');
    const words = wordsOf(filter);
    const data = {
      inventory,
      found: words.length === 0 ? undefined : await findFeatures(inventory, words, undefined, owners),
      figures: await figuresOf(inventory, backend.isSaturated),
      isSaturated: backend.isSaturated,
      analyzer: analyzer(),
      owners,
      sources: collecting?.sources(),
      notRecorded: collecting && recordingProblem(collecting.recording(), now),
      denied: await readDenied(denials(), inventory),
      people,
      attention: await attempt(() => readAttention(backend, signal)),
      alerts: alertCounts(),
      filter,
      words,
      interfaces,
      series: await series(),
    };
    const clock = { now, timeZone: backend.localTime.timeZone };
    return written({ ...link, refreshes: true }, statusContent(data, clock));
  });
