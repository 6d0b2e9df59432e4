import { DiagnosticsCount, type OnUnread } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import { statementsOf } from './file-lines.ts';
import type { LicenseSupply } from './inventory.ts';
import { beginsStatement, type FeatureLine, type PackageLine, readStatement } from './license-line.ts';

/** Zeros at the end of a fraction do not change it. */
function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}

/**
 * Versions of features are decimal numbers, such as `2024.0331`: 1.10 is before 1.2, and 1.0 is 1.000. Parts after a second
 * point are compared alike.
 *
 * @returns below 0 if `a` is before `b`, 0 if they are the same
 */
function compareVersions(a: string, b: string): number {
  const [aWhole = '', ...aParts] = a.split('.');
  const [bWhole = '', ...bParts] = b.split('.');
  const whole = aWhole.localeCompare(bWhole, 'en', { numeric: true });
  if (whole !== 0) return whole;
  for (let at = 0; at < Math.max(aParts.length, bParts.length); at += 1) {
    const one = withoutZeros(aParts[at] ?? '');
    const other = withoutZeros(bParts[at] ?? '');
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Whether two versions are equal as FlexNet compares them: `1.0` is `1.00`. */
const isSameVersion = (a: string, b: string): boolean => compareVersions(a, b) === 0;

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
const keyOf = ({ daemon, name }: Pick<FeatureLine, 'daemon' | 'name'>): string => `${daemon}\0${name}`;

const hasBegun = ({ start }: Pick<Replaceable, 'start'>, { now, localTime: { calendar } }: Now): boolean =>
  start === undefined || now >= calendar.startOf(calendar.dayOf(start));

/**
 * Lines that no SUPERSEDE replaces. It replaces what was issued before its own ISSUED (or START) date; lines with the same
 * date add up (vendor's documentation). A line without a date is older than any. One that has not begun replaces nothing
 * yet. SUPERSEDE_SIGN names the replaced lines by their signatures, which are not kept: it replaces nothing.
 */
function withoutSuperseded<Line extends Replaceable>(lines: readonly Line[], now: Now): readonly Line[] {
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
function grantsOf(lines: readonly FeatureLine[], now: Now): readonly Grant[] {
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

/** The lines of a license file. */
export interface LicenseFile {
  /** In the order of the file. Without a port, the server listens on the first free one from 27000 to 27009. */
  readonly servers: readonly { readonly host: string; readonly port: number | undefined }[];
  readonly features: readonly FeatureLine[];
  readonly packages: readonly PackageLine[];
  /** Statements, those that are not understood included. */
  readonly statements: number;
  readonly diagnostics: DiagnosticsCount;
}

/** What the license files of a server grant. */
export interface Granted {
  /**
   * Licenses that are counted together have one entry. Licenses whose START is in the future count 0; expired ones count
   * what their line says. Licenses in trusted storage are not in files.
   */
  readonly supplies: readonly LicenseSupply[];
  /** Whether there were more than any server has: the rest is left out. */
  readonly isCut: boolean;
}

/** No server has more. */
const MAX_SUPPLIES = 100_000;

/** Adds up what is counted together. */
class Supplies {
  readonly #supplies = new Map<string, LicenseSupply>();

  get all(): readonly LicenseSupply[] {
    return [...this.#supplies.values()];
  }

  /** False if there is no room for it. */
  add(supply: LicenseSupply): boolean {
    const { count, ...others } = supply;
    const key = JSON.stringify(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = this.#supplies.get(key);
    if (known === undefined && this.#supplies.size >= MAX_SUPPLIES) return false;
    this.#supplies.set(key, { ...supply, count: (known?.count ?? 0) + (count ?? 0) });
    return true;
  }
}

/** A supply without the names that are its own. */
const supplyOf = ({ line, count }: Grant): Omit<LicenseSupply, 'feature' | 'featureType'> => {
  const locked = line.isLocked ? 'node-locked' : 'floating';
  return {
    daemon: line.daemon,
    version: line.version,
    count,
    expires: line.expires,
    licenseType: line.count === Infinity ? 'uncounted' : locked,
    mayBorrow: line.mayBorrow,
  };
};

/**
 * What a line grants. The line of a package enables it: each component has the licenses of the line times its own count,
 * and its own version, if it has one (vendor's documentation). The licenses of a SUITE are checked out together with those
 * of its components; those of another package cannot be checked out themselves, but say how many were bought.
 */
function* suppliesOf(grant: Grant, packages: readonly PackageLine[]): Generator<LicenseSupply, void> {
  const { line, count } = grant;
  const supply = supplyOf(grant);
  // a version in the PACKAGE line must be that of the line that enables it (vendor's documentation)
  const enabled = packages.findLast(({ version }) => version === '' || isSameVersion(version, line.version));
  yield { ...supply, feature: line.name, featureType: enabled === undefined ? 'feature' : 'package' };
  for (const component of enabled?.components ?? [])
    yield {
      ...supply,
      feature: component.name,
      version: component.version ?? line.version,
      // a count is only legal without SUITE (vendor's documentation); before START there is nothing to multiply
      count: count === 0 || enabled?.isSuite ? count : count * component.count,
      package: line.name,
      featureType: 'component',
    };
}

/**
 * Reads a license file. A statement that is not understood is left out and counted.
 *
 * @param localTime zone of the license server: its days begin and end there
 */
export function parseLicenseFile(text: string, localTime: SourceTime, onUnread?: OnUnread): LicenseFile {
  const diagnostics = new DiagnosticsCount(onUnread);
  const servers: LicenseFile['servers'][number][] = [];
  const features: FeatureLine[] = [];
  const packages: PackageLine[] = [];
  let statements = 0;
  for (const { text: statement, line } of statementsOf(text, beginsStatement)) {
    diagnostics.startLine(line);
    statements += 1;
    const read = readStatement(statement, localTime);
    if (read === undefined) diagnostics.addUnparsed(statement);
    else if (read === 'noise') continue;
    else if (read.keyword === 'SERVER') servers.push({ host: read.host, port: read.port });
    else if (read.keyword === 'PACKAGE') packages.push(read);
    else features.push(read);
  }
  return { servers, features, packages, statements, diagnostics };
}

/**
 * What the files of a server grant together. Lines replace others of all files, and packages of one file are enabled by lines of
 * another one.
 *
 * @param now epoch seconds, for START
 */
export function grantedBy(files: readonly LicenseFile[], now: Now): Granted {
  const packageLines = files.flatMap((file) => file.packages);
  const packages = Map.groupBy(withoutSuperseded(packageLines, now), keyOf);
  const supplies = new Supplies();
  const features = files.flatMap((file) => file.features);
  for (const grant of grantsOf(features, now)) {
    for (const supply of suppliesOf(grant, packages.get(keyOf(grant.line)) ?? []))
      if (!supplies.add(supply)) return { supplies: supplies.all, isCut: true };
  }
  return { supplies: supplies.all, isCut: false };
}
