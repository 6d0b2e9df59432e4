import type { PolledEndpoint } from '../../base/model/snapshot.ts';
import { canonical } from '../../base/model/vendor-license.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';

/** What an inventory says about one vendor license. What is not known is never missing. */
interface Insight {
  /** Whether GetProducts or GetServerDown lists it, or may. */
  readonly isListed: boolean;
  /** Whether what GetFeatures lacks does not exist: its answer is complete, and no server that is down explains it. */
  readonly hasFeatures: boolean;
  readonly hasExpiries: boolean;
}

/** What rules about missing things can conclude from an inventory. */
export interface Insights {
  /** Whether a vendor license that is not listed does not exist. If none is listed, LicenseProductsEmpty says so. */
  readonly isListKnown: boolean;
  of(vendorLicense: string): Insight;
}

/** Whether the last good answer of GetProducts lists nothing at all. That explains everything that is missing. */
export function isListEmpty({ polls, readings }: Pick<Inventory, 'polls' | 'readings'>): boolean {
  const isAnswered = [...(readings.of('GetProducts')?.parts.values() ?? [])].some(({ goodAt }) => goodAt !== undefined);
  return isAnswered && polls.find(({ endpoint }) => endpoint === 'GetProducts')?.records === 0;
}

/** Whether an endpoint has been asked about a vendor license. Of one that is new, not even a failure is known. */
function createIsAnswered({ readings }: Inventory, endpoint: PolledEndpoint): (vendorLicense: string) => boolean {
  const parts = [...(readings.of(endpoint)?.parts ?? [])].filter(([, { isFresh }]) => isFresh);
  const fresh = new Set(parts.map(([part]) => canonical(part)));
  return (vendorLicense) => fresh.has('') || fresh.has(vendorLicense.toLowerCase());
}

/** What an inventory says about each vendor license, looked up once. */
export function createInsights(inventory: Inventory): Insights {
  const { knowledge } = inventory;
  const rows = new Map(inventory.vendorLicenses.map((row) => [row.vendorLicense.toLowerCase(), row]));
  const hasFeatures = createIsAnswered(inventory, 'GetFeatures');
  const hasExpiries = createIsAnswered(inventory, 'GetExpirationFeatures');
  return {
    isListKnown: knowledge.products && !isListEmpty(inventory),
    of: (name) => {
      const row = rows.get(name.toLowerCase());
      const isUsable = row?.isReported === true && row.up !== false;
      return {
        isListed: row !== undefined,
        hasFeatures: isUsable && hasFeatures(name) && knowledge.features(name),
        hasExpiries: isUsable && hasExpiries(name) && knowledge.expiries(name),
      };
    },
  };
}
