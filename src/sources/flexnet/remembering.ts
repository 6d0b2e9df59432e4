import type { LmstatReport } from './lmstat-report.ts';
import type { FlexnetMemory } from './settings.ts';

const MAX_HOSTS = 10_000;
const MAX_FEATURES = 20_000;

/** What is remembered after an output: the hosts of this one first, and as many of earlier ones as there is room for. */
export function nextMemory({ knownHosts, hasSeenQueue, daemons }: FlexnetMemory, report: LmstatReport): FlexnetMemory {
  const hosts = new Set<string>();
  const named = new Map(daemons);
  for (const { name, pools } of report.features)
    for (const { vendor } of pools) if (vendor !== undefined) addDaemon(named, name, vendor);
  for (const { pools } of report.features)
    for (const { checkouts } of pools)
      for (const { host } of checkouts) {
        if (host !== '' && hosts.size < MAX_HOSTS) hosts.add(host);
      }
  for (const host of knownHosts) if (hosts.size < MAX_HOSTS) hosts.add(host);
  return { knownHosts: hosts, hasSeenQueue: hasSeenQueue || report.hasQueue, daemons: named };
}

/** Adds a daemon of a feature to those that are remembered. */
export function addDaemon(daemons: Map<string, ReadonlySet<string>>, feature: string, daemon: string): void {
  const known = daemons.get(feature);
  if (known?.has(daemon) === true || (known === undefined && daemons.size >= MAX_FEATURES)) return;
  daemons.set(feature, new Set([...(known ?? []), daemon]));
}
