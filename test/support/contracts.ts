import { createLocalTime } from '../../src/base/model/local-time.ts';
import type { PoolObservation, VendorLicenseObservation } from '../../src/base/model/observation/observation.ts';

/** Contracts that end, and are renewed, at a simulated site. */

/** The end of all licenses of one vendor license that are not permanent. */
export interface Contract {
  /** Index of the vendor license. */
  readonly vendorLicense: number;
  /** Days after the start; its last second is that of the day. */
  readonly endsAfter: number;
  /** Days after the start; without it, it is not renewed. */
  readonly renewedAfter?: number;
  /** `replaced`: the new license file has the old ones no more. `beside`: it has both, and the new ones have a higher version. */
  readonly as?: 'replaced' | 'beside';
}

const YEAR = 365;
const DAY = 86_400;

const ends = ({ increments }: PoolObservation): boolean => increments.some(({ expires }) => expires !== undefined);

const until = (pool: PoolObservation, expires: number): PoolObservation => ({
  ...pool,
  increments: pool.increments.map(({ count }) => ({ count, expires })),
});

/** Nobody uses the new licenses yet. */
const nextVersion = (pool: PoolObservation, expires: number): PoolObservation => ({
  ...until(pool, expires),
  version: String(Math.floor(Number(pool.version)) + 1),
  reservations: [],
  checkouts: [],
  queued: [],
  denials: 0,
  denialCauses: {},
});

/** What is read from a site that begins at a time with contracts. @param from epoch seconds */
export function createContracts(contracts: readonly Contract[], from: number, timeZone: string) {
  const localTime = createLocalTime(timeZone);
  const today = localTime.dayOf(from);
  const endOf = (days: number): number => localTime.startOf(today + days + 1) - 1;

  const read = (license: VendorLicenseObservation, contract: Contract, at: number): VendorLicenseObservation => {
    const { endsAfter, renewedAfter = Number.POSITIVE_INFINITY, as = 'replaced' } = contract;
    const isRenewed = at >= from + renewedAfter * DAY;
    const renewedUntil = endOf(endsAfter + YEAR);
    const pools = license.pools.flatMap((pool): PoolObservation[] => {
      if (!ends(pool)) return [pool];
      const before = until(pool, endOf(endsAfter));
      if (!isRenewed) return [before];
      // without a version, there is no higher one
      if (as === 'replaced' || !/^[\d.]+$/.test(pool.version)) return [until(pool, renewedUntil)];
      return [before, nextVersion(pool, renewedUntil)];
    });
    return { ...license, pools };
  };

  return (observed: readonly VendorLicenseObservation[], at: number): readonly VendorLicenseObservation[] =>
    observed.map((license, index) => {
      const contract = contracts.find(({ vendorLicense }) => vendorLicense === index);
      return contract === undefined ? license : read(license, contract, at);
    });
}
