import { type Html, html } from '../html/html.ts';
import { countText } from './wording.ts';

/** A week of a feature as a small picture: the most licenses in use in each hour of each day. */

export interface WeekHour {
  /** Of the clock, 0 to 23. */
  readonly hour: number;
  /** `Mon` */
  readonly weekday: string;
  readonly maxInUse: number | undefined;
}

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = 24;
/** Of an hour, in units of the picture. */
const SIZE = 10;

const clockText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

const cellHtml = ({ hour, weekday, maxInUse }: WeekHour, most: number): Html | undefined =>
  maxInUse === undefined
    ? undefined
    : html`<rect class="used" fill-opacity="${Math.round((maxInUse / most) * 100) / 100}" x="${hour * SIZE + 0.5}" y="${WEEK.indexOf(weekday) * SIZE + 0.5}" width="${SIZE - 1}" height="${SIZE - 1}"><title>${weekday} ${clockText(hour)}: ${countText(maxInUse)} in use</title></rect>`;

/** The picture; a sentence where nothing of it is known. */
export function weekHtml(hours: readonly WeekHour[]): Html {
  const shown = hours.filter(({ weekday, hour }) => WEEK.includes(weekday) && hour >= 0 && hour < HOURS);
  const peak = shown.reduce<WeekHour | undefined>(
    (best, one) => ((one.maxInUse ?? -1) > (best?.maxInUse ?? -1) ? one : best),
    undefined,
  );
  if (peak?.maxInUse === undefined) return html`<p class="unknown">How many licenses were in use is not known.</p>`;
  const most = Math.max(1, peak.maxInUse);
  const unknown = WEEK.length * HOURS - shown.filter(({ maxInUse }) => maxInUse !== undefined).length;
  const gaps = unknown === 0 ? '' : `; ${unknown} of ${WEEK.length * HOURS} hours are not known, and empty`;
  const text = `At most ${countText(peak.maxInUse)} in use, ${peak.weekday} ${clockText(peak.hour)}${gaps}`;
  return html`<figure><div class="plot"><div class="scale">${WEEK.map((day) => html`<span>${day}</span>`)}</div>
<svg class="picture week" viewBox="0 0 ${HOURS * SIZE} ${WEEK.length * SIZE}" preserveAspectRatio="none" role="img" aria-label="${text}">${shown.map((one) => cellHtml(one, most))}</svg>
<div class="scale along">${[0, 6, 12, 18, HOURS].map((hour) => html`<span>${clockText(hour)}</span>`)}</div></div>
<figcaption class="soft">${text}. The more licenses were in use in an hour, the darker it is.</figcaption></figure>`;
}
