import { type Content, type Html, html, joined, nameHtml } from '../../../base/html/html.ts';
import { dateText } from '../../../base/model/local-time.ts';
import type { ImportedDays } from '../../../base/model/observation/recording.ts';
import { countText, numberText } from '../../../base/texts.ts';
import type { FeatureRow, IsSaturated } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { type AttentionItem, attentionSection, readAttention } from '../alert-list.ts';
import { type DeniedToday, deniedOfFeature, readDenied } from '../denied.ts';
import { featureListHtml } from '../feature-list.ts';
import { type FeatureName, reclaimUrl, vendorLicenseUrl } from '../links.ts';
import { inventoryPage, missing, notReported, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { agoHtml, attempt, type Clock, type Known, known, unknownHtml } from '../wording.ts';
import {
  type AdviceAnswer,
  type HistoryDay,
  type Holder,
  readAdvice,
  readHistory,
  readHolders,
  readWeek,
  type WeekHour,
} from './data.ts';

/** The page of one feature: what is in use, who holds it, its last 30 days, and what to do about it. */

/** Holders that are listed. */
const MAX_HOLDERS = 200;

/** Everything that the page of one feature shows, or why it is not known. */
export interface FeaturePageData extends FeatureName {
  /** Its versions and packages. */
  readonly rows: readonly FeatureRow[];
  readonly isSaturated: IsSaturated;
  readonly owners: Readonly<Record<string, string>>;
  readonly attention: Known<readonly AttentionItem[]>;
  readonly denied: Known<DeniedToday> | undefined;
  readonly history: Known<readonly HistoryDay[]>;
  readonly week: Known<readonly WeekHour[]>;
  readonly holders: Known<readonly Holder[]>;
  readonly advice: Known<readonly AdviceAnswer[]>;
  readonly imported: readonly ImportedDays[];
  /** Whether there is a page of licenses that could come back. */
  readonly people: boolean;
}

/** 30 days as a picture: the most licenses in use each day, those that were bought, and denials. In units of its own, a day is 10 wide. */
const DAY = 10;
const HEIGHT = 100;
/** Denials are a mark below the days. */
const MARKS = 8;

/** The picture in words, for everyone who does not see it. */
function summaryText(days: readonly HistoryDay[]): string {
  const peak = days.reduce<HistoryDay | undefined>(
    (best, day) => ((day.maxInUse ?? -1) > (best?.maxInUse ?? -1) ? day : best),
    undefined,
  );
  const unknown = days.filter(({ maxInUse }) => maxInUse === undefined).length;
  const denied = days.filter((day) => (day.denials ?? 0) > 0);
  const denials = denied.reduce((sum, day) => sum + (day.denials ?? 0), 0);
  const areDenialsKnown = days.some((day) => day.denials !== undefined);
  return [
    peak?.maxInUse === undefined
      ? 'How many licenses were in use is not known'
      : peak.maxInUse === 0
        ? 'None was in use'
        : `At most ${numberText(peak.maxInUse)} in use, on ${peak.date}`,
    ...(unknown === 0 ? [] : [`${unknown} of ${days.length} days are not known`]),
    areDenialsKnown
      ? denials === 0
        ? 'no denials'
        : `${countText(denials, 'denial')} on ${countText(denied.length, 'day')}`
      : 'denials are not known',
  ].join('; ');
}

/** @param days in order, without gaps */
function historyHtml(days: readonly HistoryDay[]): Html {
  const most = days.reduce((max, { maxInUse = 0, maxAvailable = 0 }) => Math.max(max, maxInUse, maxAvailable), 1);
  const y = (value: number): number => Math.round((1 - value / most) * HEIGHT * 10) / 10;
  const bars = days.map(({ date, maxInUse, denials }, i) => {
    const used =
      maxInUse === undefined
        ? undefined
        : html`<rect class="used" x="${i * DAY + 1}" y="${y(maxInUse)}" width="${DAY - 2}" height="${HEIGHT - y(maxInUse)}"><title>${date}: ${maxInUse} in use</title></rect>`;
    const mark =
      denials === undefined || denials === 0
        ? undefined
        : html`<rect class="denied" x="${i * DAY + 1}" y="${HEIGHT + 3}" width="${DAY - 2}" height="${MARKS - 3}"><title>${date}: ${denials} denials</title></rect>`;
    return html`${used}${mark}`;
  });
  const steps = days.flatMap(({ maxAvailable }, i) =>
    maxAvailable === undefined ? [] : [`M${i * DAY} ${y(maxAvailable)}H${(i + 1) * DAY}`],
  );
  const bought = days.flatMap(({ maxAvailable }) => maxAvailable ?? []);
  const line = bought.length === 0 ? 'bought' : `bought (at most ${numberText(Math.max(...bought))})`;
  const text = summaryText(days);
  const isKnown = days.some(({ maxInUse, maxAvailable }) => (maxInUse ?? maxAvailable) !== undefined);
  const scale = isKnown ? [numberText(most), '0'] : [];
  return html`<figure><div class="plot"><div class="scale">${scale.map((mark) => html`<span>${mark}</span>`)}</div>
<svg class="picture" viewBox="0 -2 ${days.length * DAY} ${HEIGHT + MARKS + 2}" preserveAspectRatio="none" role="img" aria-label="${text}">
<path class="axis" d="M0 ${HEIGHT}H${days.length * DAY}"/>${bars}<path class="bought" d="${steps.join('')}"/></svg>
<div class="scale along">${[0, Math.floor(days.length / 2), days.length - 1].map((i) => html`<span>${days[i]?.date.slice(5)}</span>`)}</div></div>
<figcaption class="soft">${days[0]?.date} to ${days.at(-1)?.date}. ${text}. Bars: the most in use each day; line: ${line}; red marks: days with denials.</figcaption></figure>`;
}

/** A week as a picture: the most licenses in use in each hour of each day. */
const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = 24;
/** Of an hour, in units of the picture. */
const SIZE = 10;

const clockText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

const cellHtml = ({ hour, weekday, maxInUse }: WeekHour, most: number): Html | undefined =>
  maxInUse === undefined
    ? undefined
    : html`<rect class="used" fill-opacity="${Math.round((maxInUse / most) * 100) / 100}" x="${hour * SIZE + 0.5}" y="${WEEK.indexOf(weekday) * SIZE + 0.5}" width="${SIZE - 1}" height="${SIZE - 1}"><title>${weekday} ${clockText(hour)}: ${numberText(maxInUse)} in use</title></rect>`;

/** A sentence where nothing of it is known. */
function weekHtml(hours: readonly WeekHour[]): Html {
  const shown = hours.filter(({ weekday, hour }) => WEEK.includes(weekday) && hour >= 0 && hour < HOURS);
  const peak = shown.reduce<WeekHour | undefined>(
    (best, one) => ((one.maxInUse ?? -1) > (best?.maxInUse ?? -1) ? one : best),
    undefined,
  );
  if (peak?.maxInUse === undefined) return html`<p class="unknown">How many licenses were in use is not known.</p>`;
  const most = Math.max(1, peak.maxInUse);
  const unknown = WEEK.length * HOURS - shown.filter(({ maxInUse }) => maxInUse !== undefined).length;
  const gaps = unknown === 0 ? '' : `; ${unknown} of ${WEEK.length * HOURS} hours are not known, and empty`;
  const text = `At most ${numberText(peak.maxInUse)} in use, ${peak.weekday} ${clockText(peak.hour)}${gaps}`;
  return html`<figure><div class="plot"><div class="scale">${WEEK.map((day) => html`<span>${day}</span>`)}</div>
<svg class="picture week" viewBox="0 0 ${HOURS * SIZE} ${WEEK.length * SIZE}" preserveAspectRatio="none" role="img" aria-label="${text}">${shown.map((one) => cellHtml(one, most))}</svg>
<div class="scale along">${[0, 6, 12, 18, HOURS].map((hour) => html`<span>${clockText(hour)}</span>`)}</div></div>
<figcaption class="soft">${text}. The more licenses were in use in an hour, the darker it is. Hours of today that are still to come show those of a week ago.</figcaption></figure>`;
}

/** What no holder means: the analyzer answers the same if it does not know the users. */
function nobodyHtml(versions: readonly FeatureRow[]): Html {
  if (!versions.every(({ inUse }) => inUse === 0)) return unknownHtml('Who holds a license of it is not known');
  const waits = versions.every(({ maxQueued }) => maxQueued === 0)
    ? 'nobody waits'
    : 'whether anybody waits is not known';
  return html`<p>Nobody holds a license of it, and ${waits}.</p>`;
}

function holdersHtml({ holders, rows: versions }: FeaturePageData, clock: Clock): Html {
  if ('reason' in holders) return unknownHtml(holders.reason);
  const { value } = holders;
  if (value.length === 0) return nobodyHtml(versions);
  const old = versions.some(({ isWithheld }) => isWithheld)
    ? html`<p class="unknown">Who holds it now is not known: these held it at the last collection.</p>\n`
    : undefined;
  const rows = value.slice(0, MAX_HOLDERS).map(({ user, host, since, licenses, queued, borrowed, application }) => {
    const parts = [
      ...(queued === null || queued === 0
        ? []
        : [html`<span class="bad">waits for ${countText(queued, 'license')}</span>`]),
      ...(licenses === null || licenses === 0 ? [] : [html`${countText(licenses, 'license')}`]),
      ...(borrowed === null || borrowed === 0 ? [] : [html`${countText(borrowed, 'license')} borrowed`]),
      ...(application === null ? [] : [html`application ${application}`]),
    ];
    return html`<tr><td>${nameHtml(user)}</td><td>${nameHtml(host)}</td><td>${joined(parts, ', ')}</td><td>${since === null ? known(undefined) : agoHtml(since / 1000, clock)}</td></tr>\n`;
  });
  const more =
    value.length > MAX_HOLDERS
      ? html`<p class="soft">${MAX_HOLDERS} of ${value.length}, the longest first.</p>`
      : undefined;
  return html`${old}<div class="scroll" tabindex="0" role="region" aria-label="Who holds it"><table><thead><tr><th scope="col">User</th><th scope="col">Host</th><th scope="col">Holds</th><th scope="col">Since</th></tr></thead>
<tbody>\n${rows}</tbody></table></div>${more}`;
}

function adviceHtml(advice: Known<readonly AdviceAnswer[]>): Html {
  if ('reason' in advice) return unknownHtml(advice.reason);
  if (advice.value.length === 0) return unknownHtml('There is no advice for it');
  const sentences = advice.value.map(
    ({ package: pkg, reason }) => html`<p>${pkg === '' ? undefined : html`Package ${nameHtml(pkg)}: `}${reason}</p>`,
  );
  return html`${sentences}<p class="soft"><a href="rightsizing">Right-sizing of all features</a></p>`;
}

/** What of its history other programs had recorded. */
function importedHtml(imported: readonly ImportedDays[], clock: Clock): Html | undefined {
  if (imported.length === 0) return undefined;
  const items = imported.map(
    ({ form, name, at, first, last, days }) =>
      html`<li>${countText(days, 'day')} from ${dateText(first)} to ${dateText(last)}: ${form} ${nameHtml(name)}, imported ${agoHtml(at, clock)}</li>`,
  );
  return html`<p>A part of its history was imported:</p>\n<ul>\n${items}</ul>`;
}

/** The page of one feature: what is in use now, its year, its week and its advice. */
function featureContent(data: FeaturePageData, clock: Clock): Content {
  const {
    vendorLicense,
    feature,
    rows,
    isSaturated,
    owners,
    attention,
    denied,
    history,
    week,
    advice,
    imported,
    people,
  } = data;
  const owned = Object.entries(owners).map(([name, value]) => html` · ${name} ${nameHtml(value)}`);
  return html`<h1>${nameHtml(feature)}</h1>
<p class="soft">Feature of <a href="${vendorLicenseUrl(vendorLicense)}">${nameHtml(vendorLicense)}</a>${owned}</p>
<h2>Now</h2>
${featureListHtml(rows, isSaturated, clock, 'versions')}
${deniedOfFeature(denied, data, clock)}${attentionSection(attention, clock)}
<h2>Last 30 days</h2>
${'reason' in history ? unknownHtml(history.reason) : historyHtml(history.value)}
<h2>Last 7 days by the hour</h2>
${'reason' in week ? unknownHtml(week.reason) : weekHtml(week.value)}
<h2>Who holds it</h2>
${holdersHtml(data, clock)}${people ? html`\n<p><a href="${reclaimUrl(data)}">What could come back</a></p>` : undefined}
<h2>Right-sizing</h2>
${adviceHtml(advice)}
${importedHtml(imported, clock)}`;
}

/** The versions and packages of a feature. */
const rowsOf = ({ features }: Inventory, { vendorLicense, feature }: FeatureName): readonly FeatureRow[] =>
  features.filter((row) => row.feature === feature && row.vendorLicense === vendorLicense);

/** The feature of the parameters `vendor_license` and `feature`. */
export const featureRoutes = (context: PageContext): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const vendorLicense = parameterOf(request, 'vendor_license');
    const feature = parameterOf(request, 'feature');
    if (vendorLicense === '' || feature === '') return missing(feature === '' ? 'feature' : 'vendor_license');
    const name = { vendorLicense, feature };
    const rows = rowsOf(inventory, name);
    if (rows.length === 0) {
      const isKnown = inventory.knowledge.features(vendorLicense);
      return notReported(isKnown, html`the feature <bdi>${feature}</bdi> of <bdi>${vendorLicense}</bdi>`);
    }
    const [attention, denied, history, week, holders, advice] = await Promise.all([
      attempt(() => readAttention(backend, signal, { product: vendorLicense, feature })),
      readDenied(context.denials(), inventory),
      attempt(() => readHistory(name, backend, signal)),
      attempt(() => readWeek(name, backend, signal)),
      attempt(() => readHolders(name, backend, signal)),
      attempt(() => readAdvice(name, backend, signal)),
    ]);
    const owners = backend.owners().of(vendorLicense, feature);
    const imported = context.imported(vendorLicense, feature);
    const { isSaturated } = backend;
    const { people } = context;
    const told = { owners, attention, denied, history, week, holders, advice, imported, people };
    const data = { ...name, rows, isSaturated, ...told };
    const clock = { now: backend.now(), timeZone: backend.localTime.timeZone };
    return written({ title: `${feature}, ${vendorLicense}`, refreshes: true }, featureContent(data, clock));
  });
