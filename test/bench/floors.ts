import type { Line } from './report.ts';

/**
 * The lowest ratio that is accepted of lines that begin with a text, a half to a third of what a busy machine with two cores
 * measures. They are for `--quick`; larger sizes reach more.
 */
const floors: Readonly<Record<string, number>> = {};

const floorOf = ({ what }: Line): number | undefined =>
  Object.entries(floors).find(([beginning]) => what.startsWith(beginning))?.[1];

/** A sentence for each line whose ratio is below its floor. */
export function findShortfalls(lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => {
    const floor = floorOf(line);
    // a ratio that is not a number is a shortfall too
    if (floor === undefined || line.ratio >= floor) return [];
    return [`${line.what} is better by ${line.ratio.toPrecision(3)} ×, not by at least ${floor} ×`];
  });
}
