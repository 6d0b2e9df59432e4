import type { Checkout, QueuedRequest } from '../../model/observation/observation.ts';
import type { LmstatCheckout, LmstatPool } from './lmstat-report.ts';

/** How a checkout in the output becomes one of a user. */
export interface CheckoutRules {
  /** A license with a linger time of at least this many seconds is borrowed. */
  readonly lingerAtLeast: number;
  /** By license files; undefined if they do not say. */
  readonly mayBorrow: boolean | undefined;
  /** Without any queue so far, an empty one is not known to be empty. */
  readonly hasSeenQueue: boolean;
  /** Times are not known if the clocks differ. */
  readonly hasTimes: boolean;
}

/** The checkouts and queued requests of some pools. */
export function observeCheckouts(
  pools: readonly LmstatPool[],
  rules: CheckoutRules,
): { checkouts: Checkout[]; queued: QueuedRequest[] | undefined } {
  const checkouts: Checkout[] = [];
  const queued: QueuedRequest[] = [];
  for (const pool of pools)
    for (const checkout of pool.checkouts) {
      if (checkout.queued) queued.push(observeQueued(checkout, rules));
      else checkouts.push(observeCheckout(checkout, rules));
    }
  return { checkouts, queued: rules.hasSeenQueue ? queued : undefined };
}

function observeCheckout(
  { user, host, display, since, licenses, handle, linger }: LmstatCheckout,
  rules: CheckoutRules,
) {
  // a linger time marks a borrowed license, or one that is only kept for a while after its return
  const borrowed = linger !== undefined && linger >= rules.lingerAtLeast && rules.mayBorrow !== false;
  const checkout = { user, host, display, licenses, handle, shareHandle: undefined, borrowed, status: undefined };
  return since === undefined || !rules.hasTimes ? checkout : { ...checkout, since };
}

function observeQueued({ user, host, licenses, since }: LmstatCheckout, { hasTimes }: CheckoutRules): QueuedRequest {
  return since === undefined || !hasTimes ? { user, host, licenses } : { user, host, licenses, since };
}
