import type { HourSummary } from './hour-summary.ts';

const isKnown = ({ levels }: HourSummary): boolean => levels.some(([inUse]) => inUse !== undefined);

/** Of an hour, the figures that `kept` knows, and those of `more` for the others. */
export function fillHour(kept: HourSummary, more: HourSummary): HourSummary {
  return {
    index: kept.index,
    available: kept.available ?? more.available,
    reserved: kept.reserved ?? more.reserved,
    users: kept.users ?? more.users,
    denials: kept.denials ?? more.denials,
    levels: isKnown(kept) ? kept.levels : more.levels,
  };
}

/** The union of two recordings of a day of which only hours are left, in order. */
export function fillHours(kept: readonly HourSummary[], more: readonly HourSummary[]): readonly HourSummary[] {
  const byIndex = new Map(more.map((hour) => [hour.index, hour]));
  for (const hour of kept) {
    const other = byIndex.get(hour.index);
    byIndex.set(hour.index, other === undefined ? hour : fillHour(hour, other));
  }
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}
