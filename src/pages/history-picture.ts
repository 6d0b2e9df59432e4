import { type Html, html } from '../html/html.ts';
import { countText } from './wording.ts';

/** 30 days of a feature as a small picture: the most licenses in use each day, those that were bought, and denials. */

export interface HistoryDay {
  /** `2026-11-18` */
  readonly date: string;
  readonly maxInUse: number | undefined;
  readonly maxAvailable: number | undefined;
  readonly denials: number | undefined;
}

/** Of the picture, in units of its own: a day is 10 wide. */
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
  const denied = days.filter(({ denials = 0 }) => denials > 0);
  const denials = denied.reduce((sum, day) => sum + (day.denials ?? 0), 0);
  const areDenialsKnown = days.some((day) => day.denials !== undefined);
  return [
    peak?.maxInUse === undefined
      ? 'How many licenses were in use is not known'
      : `At most ${countText(peak.maxInUse)} in use, on ${peak.date}`,
    ...(unknown === 0 ? [] : [`${unknown} of ${days.length} days are not known`]),
    areDenialsKnown
      ? denials === 0
        ? 'no denials'
        : `${countText(denials)} denials on ${denied.length} days`
      : 'denials are not known',
  ].join('; ');
}

/** @param days in order, without gaps */
export function historyHtml(days: readonly HistoryDay[]): Html {
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
  const line = bought.length === 0 ? 'bought' : `bought (at most ${countText(Math.max(...bought))})`;
  const text = summaryText(days);
  const isKnown = days.some(({ maxInUse, maxAvailable }) => (maxInUse ?? maxAvailable) !== undefined);
  const scale = isKnown ? [countText(most), '0'] : [];
  return html`<figure><div class="plot"><div class="scale">${scale.map((text) => html`<span>${text}</span>`)}</div>
<svg class="picture" viewBox="0 -2 ${days.length * DAY} ${HEIGHT + MARKS + 2}" preserveAspectRatio="none" role="img" aria-label="${text}">
<path class="axis" d="M0 ${HEIGHT}H${days.length * DAY}"/>${bars}<path class="bought" d="${steps.join('')}"/></svg>
<div class="scale along">${[0, Math.floor(days.length / 2), days.length - 1].map((i) => html`<span>${days[i]?.date.slice(5)}</span>`)}</div></div>
<figcaption class="soft">${days[0]?.date} to ${days.at(-1)?.date}. ${text}. Bars: the most in use each day; line: ${line}; red marks: days with denials.</figcaption></figure>`;
}
