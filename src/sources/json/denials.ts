/** Denials that a license manager counts since its start. */

/** The counts of the previous document, by vendor license, then by feature. */
export type DenialTotals = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Requests denied between two readings of a counter. A counter that has fallen was started again and has counted its value
 * since. Undefined at first sight: how much of it is new is not known.
 */
export function denialsSince(previous: number | undefined, current: number): number | undefined {
  if (previous === undefined) return undefined;
  return current >= previous ? current - previous : current;
}
