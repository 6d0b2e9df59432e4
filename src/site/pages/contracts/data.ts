import { createUnknownExpiries, type UnknownExpiry } from '../../../alerting/expiries/unknown-expiry.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { AdviceNotReady } from '../../../insight/advice/pass/proposals.ts';
import type { AdviceTable } from '../../../insight/advice/pass/rightsizing.ts';
import { type Contracts, readContracts } from '../../../insight/contracts/contract-calendar.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import { integerOf, ownersOf } from '../parameters.ts';

/** The contract calendar for the user of a request. */

/** What is asked for. */
export interface ContractRequest {
  /** See `ownersOf`. */
  readonly owner: readonly string[];
  readonly months: number;
}

/** The contract calendar, with what is not known of it. */
export interface ContractData {
  readonly asked: ContractRequest;
  readonly contracts: Contracts;
  /** Vendor licenses whose expiries are not all known. */
  readonly unknown: readonly UnknownExpiry[];
  /** Why there are no prices; `undefined` if they are shown. */
  readonly withoutPrices: string | undefined;
  /** Why there is no advice; `undefined` if it is shown. */
  readonly withoutAdvice: string | undefined;
}

const MONTHS = 18;
const MAX_MONTHS = 600;

/** @throws BadParameter */
export const contractRequestOf = (owner: unknown, months: unknown, backend: Backend): ContractRequest => ({
  owner: ownersOf(owner, backend.owners()),
  months: integerOf('months', months, MAX_MONTHS) ?? MONTHS,
});

type Advice = { readonly table: AdviceTable } | { readonly reason: string };

function adviceOf({ proposals }: Backend): Advice {
  try {
    return { table: proposals.table() };
  } catch (error) {
    if (error instanceof AdviceNotReady) return { reason: error.message };
    throw error;
  }
}

/** @throws ExpiriesUnknown if no expiry of any vendor license is known */
export async function readContractData(
  backend: Backend,
  inventory: Inventory,
  asked: ContractRequest,
): Promise<ContractData> {
  const { proposals, localTime, now } = backend;
  const owners = backend.owners();
  const isOwnerAsked = (name: string | undefined): boolean =>
    asked.owner.length === 0 || asked.owner.includes(name ?? '');
  const unknowns = createUnknownExpiries(inventory, owners, isOwnerAsked);
  const withoutPrices = proposals.hasPrices()
    ? backend.prices.refusal()
    : 'there are no prices: set rightsizing.price_file';
  const advice = adviceOf(backend);
  const contracts = await readContracts(inventory, {
    owners,
    isOwnerAsked,
    onRow: ({ vendorLicense, expiration }) => unknowns.see(vendorLicense, isKnown(expiration)),
    prices: proposals.prices(),
    showsPrices: withoutPrices === undefined,
    advice: 'table' in advice ? advice.table : undefined,
    localTime,
    now: now(),
    months: asked.months,
  });
  return {
    asked,
    contracts,
    unknown: unknowns.list(),
    withoutPrices,
    withoutAdvice: 'table' in advice ? undefined : advice.reason,
  };
}
