import type { SourceTime } from '../times.ts';
import type { FeatureLine } from './license-line.ts';
import { compareVersions } from './versions.ts';

/** Which of the lines of a license file hold, and for how many licenses. */
export interface Grant {
  readonly line: FeatureLine;
  /** 0 before its START. */
  readonly count: number;
}

/** The moment at which lines hold. */
export interface Now {
  readonly now: number;
  readonly localTime: SourceTime;
}

/** How many lines of the same feature an UPGRADE looks back. */
const LOOK_BACK = 200;

/** A line that others can replace. */
type Replaceable = Pick<FeatureLine, 'daemon' | 'name' | 'issued' | 'supersedes'> & Partial<Pick<FeatureLine, 'start'>>;

/** Daemon and name, which the lines of a feature and of its package have in common. */
export const keyOf = ({ daemon, name }: Pick<FeatureLine, 'daemon' | 'name'>): string => `${daemon}\0${name}`;

const hasBegun = ({ start }: Pick<Replaceable, 'start'>, { now, localTime: { calendar } }: Now): boolean =>
  start === undefined || now >= calendar.startOf(calendar.dayOf(start));

/**
 * Lines that no SUPERSEDE replaces. It replaces what was issued before its own ISSUED (or START) date; lines with the same
 * date add up (vendor's documentation). A line without a date is older than any. One that has not begun replaces nothing
 * yet. SUPERSEDE_SIGN names the replaced lines by their signatures, which are not kept: it replaces nothing.
 */
export function withoutSuperseded<Line extends Replaceable>(lines: readonly Line[], now: Now): readonly Line[] {
  const replaced = new Map<string, number>();
  for (const line of lines) {
    if (line.issued === undefined || !hasBegun(line, now)) continue;
    for (const name of line.supersedes ?? []) {
      const key = keyOf({ ...line, name });
      replaced.set(key, Math.max(replaced.get(key) ?? line.issued, line.issued));
    }
  }
  return lines.filter((line) => (line.issued ?? -Infinity) >= (replaced.get(keyOf(line)) ?? -Infinity));
}

/** The order in which the vendor daemon sorts FEATURE lines of one name (vendor's documentation). */
const inOrder = (a: FeatureLine, b: FeatureLine): number =>
  a.sort - b.sort || compareVersions(b.version, a.version) || (b.issued ?? 0) - (a.issued ?? 0);

/**
 * Of the counted FEATURE lines of a feature, only the first is served (vendor's documentation); those that hold today are
 * preferred. INCREMENT lines and uncounted ones all count.
 */
function withFirstFeatures(lines: readonly FeatureLine[], now: Now): readonly FeatureLine[] {
  const isCounted = (line: FeatureLine): boolean => line.keyword === 'FEATURE' && line.count !== Infinity;
  const holds = (line: FeatureLine): boolean =>
    hasBegun(line, now) && (typeof line.expires !== 'number' || line.expires >= now.now);
  const first = new Map<string, FeatureLine>();
  for (const line of lines.filter(isCounted)) {
    const other = first.get(keyOf(line));
    const isBefore =
      other === undefined || (holds(line) === holds(other) ? inOrder(line, other) < 0 : holds(line) && !holds(other));
    if (isBefore) first.set(keyOf(line), line);
  }
  return lines.filter((line) => !isCounted(line) || first.get(keyOf(line)) === line);
}

/**
 * Moves licenses to the new version. An UPGRADE takes them from the closest line before it whose version is at least the
 * old and below the new one (vendor's documentation). Without such a line it grants nothing.
 */
function upgradeOf(line: FeatureLine, before: { line: FeatureLine; count: number }[], now: Now): Grant[] {
  if (!hasBegun(line, now)) return [];
  const replaced = before
    .slice(-LOOK_BACK)
    .findLast(
      ({ line: other }) =>
        other.count !== Infinity &&
        compareVersions(other.version, line.fromVersion ?? '') >= 0 &&
        compareVersions(other.version, line.version) < 0,
    );
  if (replaced === undefined) return [];
  const count = Math.min(replaced.count, line.count);
  replaced.count -= count;
  return [{ line, count }];
}

/**
 * A signed line and its copies, for instance in an old file beside the new one, are one grant. Assumed: no document says it, but
 * licenses that were bought twice have another signature, serial number or notice.
 */
function withoutCopies(lines: readonly FeatureLine[]): readonly FeatureLine[] {
  const known = new Set<string>();
  return lines.filter(({ signedAs }) => {
    if (signedAs === undefined) return true;
    const isNew = !known.has(signedAs);
    known.add(signedAs);
    return isNew;
  });
}

/** What the lines grant together, in their order. */
export function grantsOf(lines: readonly FeatureLine[], now: Now): readonly Grant[] {
  const before = new Map<string, { line: FeatureLine; count: number }[]>();
  return withFirstFeatures(withoutSuperseded(withoutCopies(lines), now), now).flatMap((line) => {
    const others = before.get(keyOf(line)) ?? [];
    if (line.keyword === 'UPGRADE') return upgradeOf(line, others, now);
    const grant = { line, count: hasBegun(line, now) ? line.count : 0 };
    others.push(grant);
    before.set(keyOf(line), others);
    return [grant];
  });
}
