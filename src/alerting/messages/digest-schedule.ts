/** When digests are sent. Times are epoch seconds. */
export interface DigestSchedule {
  /** The first run after a time; infinite if it never runs. */
  nextRun(after: number): number;
  /** When the local day of a time begins. */
  dayStart(at: number): number;
}

/**
 * When the digest about something is due: the first run after it began. One that was missed is due at once on the same day; that
 * of an earlier day waits for the next run, because nobody reads a digest at night.
 *
 * @param begun when it began
 */
export function digestAfter({ nextRun, dayStart }: DigestSchedule, begun: number, now: number): number {
  const first = nextRun(begun);
  if (first >= now) return first;
  let missed = first;
  for (let run = nextRun(Math.max(first, dayStart(now) - 1)); run <= now; run = nextRun(run)) missed = run;
  return missed >= dayStart(now) ? missed : nextRun(now);
}
