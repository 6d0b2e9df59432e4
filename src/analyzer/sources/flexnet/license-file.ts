import type { Diagnostics } from '../../../base/model/observation/source.ts';
import { DiagnosticsCount, type OnUnread } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import { statementsOf } from './file-lines.ts';
import type { LicenseSupply } from './inventory.ts';
import { type Grant, grantsOf, keyOf, type Now, withoutSuperseded } from './license-grants.ts';
import { beginsStatement, type FeatureLine, type PackageLine, readStatement } from './license-line.ts';
import { isSameVersion } from './versions.ts';

/** The lines of a license file. */
export interface LicenseFile {
  /** In the order of the file. Without a port, the server listens on the first free one from 27000 to 27009. */
  readonly servers: readonly { readonly host: string; readonly port: number | undefined }[];
  readonly features: readonly FeatureLine[];
  readonly packages: readonly PackageLine[];
  readonly diagnostics: Diagnostics;
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
  for (const { text: statement, line } of statementsOf(text, beginsStatement)) {
    diagnostics.startLine(line);
    const read = readStatement(statement, localTime);
    if (read === undefined) diagnostics.addUnparsed(statement);
    else if (read === 'noise') continue;
    else if (read.keyword === 'SERVER') servers.push({ host: read.host, port: read.port });
    else if (read.keyword === 'PACKAGE') packages.push(read);
    else features.push(read);
  }
  return { servers, features, packages, diagnostics };
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
