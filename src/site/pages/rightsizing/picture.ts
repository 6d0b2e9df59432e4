import { type Html, html } from '../../../base/html/html.ts';
import type { Advice } from '../../../insight/advice/method/advice.ts';
import { countText as count } from '../wording.ts';

/** The peaks of the weeks of a year against what is bought, as a small picture. */

/** Of a week, in units of the picture. */
const WEEK = 2;
const BAR = 1.5;
const HEIGHT = 24;

/** @returns `undefined` where no week is known */
export function weeksHtml({ weeklyPeaks, bought = 0, count: gone = 0, state }: Advice): Html | undefined {
  const known = weeklyPeaks.filter((peak) => peak !== null);
  if (known.length === 0) return undefined;
  const highest = Math.max(...known);
  const most = Math.max(1, highest, bought);
  const width = WEEK * weeklyPeaks.length;
  const y = (licenses: number): number => Math.round((1 - licenses / most) * HEIGHT * 10) / 10;
  const bars = weeklyPeaks.map((peak, i) =>
    peak === null ? '' : `M${WEEK * i} ${HEIGHT}V${y(peak)}h${BAR}V${HEIGHT}z`,
  );
  const line = (licenses: number, name: string): Html => html`<path class="${name}" d="M0 ${y(licenses)}H${width}"/>`;
  const kept = state === 'could go' ? line(bought - gone, 'kept') : undefined;
  return html`<svg class="weeks" viewBox="0 -1 ${width} ${HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="Peaks of ${known.length} weeks: at most ${count(highest)} of ${count(bought)} in use"><path class="used" d="${bars.join('')}"/>${line(bought, 'bought')}${kept}</svg>`;
}
