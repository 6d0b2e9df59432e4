import type { LmstatReport } from './lmstat-report.ts';

/** What is remembered from one output of a source to the next. */
export interface FlexnetMemory {
  /** Hosts of users, a limited number. */
  readonly knownHosts: ReadonlySet<string>;
  /** Whether any output had a queue. Before, an output without one does not say that nobody waits. */
  readonly hasSeenQueue: boolean;
  /**
   * The daemons that served a feature, by feature. Only a checkout shows it: without this, a feature would belong to another
   * vendor license while none of its licenses is in use.
   */
  readonly daemons: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Before the first output. */
export const noMemory: FlexnetMemory = { knownHosts: new Set(), hasSeenQueue: false, daemons: new Map() };

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
