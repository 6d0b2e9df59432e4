/** Checkouts that share one license. RLM lists each of them with its full number of licenses. */

/** A line of the list of users. */
export interface Listed {
  readonly user: string;
  readonly host: string;
  readonly licenses: number;
  readonly handle: string | undefined;
}

/** What a listed checkout counts. */
export interface Share {
  readonly licenses: number;
  /** The handle of the checkout whose licenses it uses too. */
  readonly shareHandle: string | undefined;
}

/** The licenses of a pool by user. */
export interface Shared {
  /** In the order of the list. */
  readonly shares: readonly Share[];
  /** Licenses of the list, each counted once. */
  readonly licenses: number;
}

/**
 * While a list has more licenses than are in use, later checkouts of the same user and host use those of the first one.
 *
 * @param inUse by the server's own count; without it, nothing is known to be shared
 */
export function shareLicenses(list: readonly Listed[], inUse: number | undefined): Shared {
  let licenses = list.reduce((sum, one) => sum + one.licenses, 0);
  if (inUse === undefined || licenses <= inUse) return { shares: list.map(unshared), licenses };
  const firsts = new Map<string, Listed>();
  const shares = list.map((one): Share => {
    const key = JSON.stringify([one.user, one.host]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, one);
    if (first === undefined || one.licenses === 0 || licenses - one.licenses < inUse) return unshared(one);
    licenses -= one.licenses;
    return { licenses: 0, shareHandle: first.handle };
  });
  return { shares, licenses };
}

const unshared = ({ licenses }: Listed): Share => ({ licenses, shareHandle: undefined });
