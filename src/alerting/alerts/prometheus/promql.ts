/** Parts of expressions of Prometheus. */

/** The series that every exporter has: which analyzer it serves, and which shard of it. */
export const EXPORTER = 'license_exporter_analyzer_info';

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** A duration of Prometheus in the largest unit that gives a whole number, for example `90m`. @param seconds 0 or more */
export function durationOf(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size && seconds % size === 0);
  if (unit !== undefined) return `${seconds / unit[1]}${unit[0]}`;
  return seconds === 0 ? '0s' : `${Math.round(seconds * 1000)}ms`;
}
