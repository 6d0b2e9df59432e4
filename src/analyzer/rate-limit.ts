/** Whether one more request from an address is within the limit. */
export type RateLimit = (address: string) => boolean;

/** An address may save up this many seconds' worth of requests. */
const BURST_SECONDS = 5;
/** Maximum number of addresses. The one seen longest ago is dropped first. */
const MAX_ADDRESSES = 10_000;

/**
 * A token bucket for each address.
 *
 * @param now epoch milliseconds
 */
export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const full = perSecond * BURST_SECONDS;
  return (address) => {
    const at = now();
    const bucket = buckets.get(address) ?? { tokens: full, at };
    const tokens = Math.min(full, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    buckets.delete(address);
    buckets.set(address, { tokens: isAllowed ? tokens - 1 : tokens, at });
    const [oldest] = buckets.keys();
    if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    return isAllowed;
  };
}
