import type { LicenseSupply } from './inventory.ts';
import type { LmstatPool } from './lmstat-report.ts';

/** Licenses of one version, package and type, by license files or `lmstat -i`, and what is checked out of them. */
export interface VersionGroup {
  readonly version: string;
  readonly package: string;
  readonly featureType: LicenseSupply['featureType'];
  readonly licenseType: LicenseSupply['licenseType'];
  readonly supply: readonly LicenseSupply[];
  readonly pools: readonly LmstatPool[];
}

/** Expired ones are no part of what the server issues. */
export const unexpired = (supply: readonly LicenseSupply[], at: number): LicenseSupply[] =>
  supply.filter(({ expires }) => typeof expires !== 'number' || expires >= at);

/** `undefined` if any count is not known. */
export function countOf(supply: readonly LicenseSupply[]): number | undefined {
  let sum = 0;
  for (const { count } of supply) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** License lines by feature and the version that lmstat lists them under. */
export function groupSupply(supply: readonly LicenseSupply[]): VersionGroup[] {
  const groups = Map.groupBy(supply, (one) =>
    JSON.stringify([normal(one.version), one.package ?? '', one.featureType, one.licenseType]),
  );
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { version, featureType, licenseType } = first;
    return [{ version, featureType, licenseType, package: first.package ?? '', supply: members, pools: [] }];
  });
}

/**
 * The groups with their pools. Undefined if the pools of the server do not fit, for instance because its license file
 * has changed.
 */
export function withPools(groups: readonly VersionGroup[], pools: readonly LmstatPool[]): VersionGroup[] | undefined {
  const found = new Map<VersionGroup, LmstatPool[]>(groups.map((group) => [group, []]));
  const byVersion = Map.groupBy(groups, ({ version }) => normal(version));
  for (const pool of pools) {
    const candidates = pool.version === undefined ? groups : (byVersion.get(normal(pool.version)) ?? []);
    const ofType = candidates.filter(({ licenseType }) => licenseType === pool.licenseType);
    const [group, ...others] = candidates.length > 1 ? ofType : candidates;
    if (group === undefined || others.length > 0) return undefined;
    found.get(group)?.push(pool);
  }
  return groups.map((group) => ({ ...group, pools: found.get(group) ?? [] }));
}

/** `31.000000`, `31.0` and `v31` are one version. */
function normal(version: string): string {
  const number = version.replace(/^v/i, '');
  return /^\d{1,20}\.\d{1,20}$/.test(number) ? number.replace(/\.?0{1,20}$/, '') : number;
}
