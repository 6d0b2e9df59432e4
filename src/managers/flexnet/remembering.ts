import type { LmstatReport } from './lmstat-report.ts';
import type { FlexnetMemory } from './settings.ts';

const MAX_HOSTS = 10_000;
/** Checkouts that are read before other work gets its turn. */
const CHECKOUTS_A_STEP = 1024;

/** What is remembered after an output: the hosts of this one first, and as many of earlier ones as there is room for. */
export function* nextMemory(
  { knownHosts, hasSeenQueue }: FlexnetMemory,
  report: LmstatReport,
): Generator<void, FlexnetMemory> {
  const hosts = new Set<string>();
  let steps = 0;
  for (const { pools } of report.features)
    for (const { checkouts } of pools)
      for (const { host } of checkouts) {
        if (host !== '' && hosts.size < MAX_HOSTS) hosts.add(host);
        steps += 1;
        if (steps % CHECKOUTS_A_STEP === 0) yield;
      }
  for (const host of knownHosts) if (hosts.size < MAX_HOSTS) hosts.add(host);
  return { knownHosts: hosts, hasSeenQueue: hasSeenQueue || report.counts.queued > 0 };
}
