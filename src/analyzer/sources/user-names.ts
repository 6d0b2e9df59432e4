import { createHmac } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import type { PoolObservation, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { UserSettings } from './source-settings.ts';

/** Characters of a pseudonym. */
const LENGTH = 10;

/** In upper or lower case, a name has the same pseudonym: users are counted without case. */
const pseudonymOf = (name: string, key: string): string =>
  createHmac('sha256', key).update(name.toLowerCase()).digest('hex').slice(0, LENGTH);

function withPseudonyms(pool: PoolObservation, key: string): PoolObservation {
  const hide = <T extends { readonly user: string; readonly host: string }>(entry: T): T => ({
    ...entry,
    user: `u-${pseudonymOf(entry.user, key)}`,
    host: `h-${pseudonymOf(entry.host, key)}`,
  });
  return {
    ...pool,
    checkouts: pool.checkouts.map((checkout) => ({ ...hide(checkout), display: '' })),
    queued: pool.queued?.map(hide),
  };
}

/** The number of licenses stays. How many users there are is not known then. */
function withoutUsers(pool: PoolObservation): PoolObservation {
  const { inUse, checkouts, queued, unknownOfCheckouts: unknown = [] } = pool;
  const listed = unknown.includes('list') ? undefined : checkouts.reduce((sum, { licenses }) => sum + licenses, 0);
  const counted = inUse ?? listed;
  return {
    ...pool,
    ...(counted !== undefined && { inUse: counted }),
    checkouts: [],
    unknownOfCheckouts: ['list', 'borrowed', 'status'],
    queued: queued?.map(({ licenses }) => ({ user: '', host: '', licenses })),
  };
}

/** Checkouts between two pauses for other work. */
const BATCH = 200;

/** Applies `users.names`. Names of hosts and displays are personal too. */
export async function hideUsers(
  observations: readonly VendorLicenseObservation[],
  names: UserSettings['names'],
  key: string,
): Promise<readonly VendorLicenseObservation[]> {
  if (names === 'keep') return observations;
  const hidden: VendorLicenseObservation[] = [];
  let checkouts = 0;
  for (const observation of observations) {
    const pools: PoolObservation[] = [];
    for (const pool of observation.pools) {
      pools.push(names === 'drop' ? withoutUsers(pool) : withPseudonyms(pool, key));
      checkouts += pool.checkouts.length;
      if (checkouts < BATCH) continue;
      checkouts = 0;
      await pause();
    }
    hidden.push({ ...observation, pools });
  }
  return hidden;
}
