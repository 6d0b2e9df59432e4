/** When certificates end. Times are epoch milliseconds. */

const DAY_MS = 86_400_000;
/** A certificate that ends sooner should have been renewed, days. */
const SOON_DAYS = 14;

/** `2026-12-31`, in UTC. @param time epoch milliseconds */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** `expires on DAY, in N days`, if that is soon. */
export function soonText(end: number): string | undefined {
  const left = Math.floor((end - Date.now()) / DAY_MS);
  return left < SOON_DAYS ? `expires on ${dayOf(end)}, in ${left} ${left === 1 ? 'day' : 'days'}` : undefined;
}
