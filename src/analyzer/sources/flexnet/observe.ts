import type { PoolObservation, VendorLicenseObservation } from '../../../base/model/observation/observation.ts';
import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { Parsed } from '../parsed.ts';
import { isSelected } from '../source-settings.ts';
import { type FeatureUsage, usageOf } from './feature-usage.ts';
import type { LicenseSupply } from './inventory.ts';
import {
  clockProblem,
  cutFailure,
  type Exit,
  failureWithoutData,
  othersFailure,
  partialProblems,
} from './lmstat-problems.ts';
import type { LmstatFeature, LmstatReport } from './lmstat-report.ts';
import { firstLabel, hostOf, membersOf, membersWithoutData } from './members.ts';
import { type OptionsFile, optionsOf } from './options-file.ts';
import type { FlexnetSettings } from './own-settings.ts';
import { contradicts, observePools, suppliedPools } from './pool-observations.ts';
import { type FeatureDaemon, NO_DAEMON, WhichDaemon } from './which-daemon.ts';

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
function nextMemory({ knownHosts, hasSeenQueue, daemons }: FlexnetMemory, report: LmstatReport): FlexnetMemory {
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

/** What an output says of the servers that were asked, and the other servers in it. */
export interface OwnPart {
  readonly report: LmstatReport;
  /** As they are listed: those of a redundant group together. */
  readonly others: readonly string[];
}

const portOf = (server: string): string => (server.includes('@') ? server.slice(0, server.indexOf('@')) : '');

const isSamePort = (one: string, other: string): boolean =>
  !/^\d+$/.test(portOf(one)) || !/^\d+$/.test(portOf(other)) || portOf(one) === portOf(other);

const hasDomain = (host: string): boolean => firstLabel(host) !== host;

/** A name can be shorter or longer, and a port can be missing. Two names with a domain are two hosts. */
function isSameServer(one: string, other: string): boolean {
  const [a, b] = [hostOf(one), hostOf(other)];
  if (!isSamePort(one, other)) return false;
  return a === b || (firstLabel(a) === firstLabel(b) && !(hasDomain(a) && hasDomain(b)));
}

const isListed = (one: string, other: string): boolean =>
  hostOf(one) === hostOf(other) && portOf(one) === portOf(other);

/**
 * A tool prints the servers of all license files that it finds, one after the other, and a file can have the outputs of several
 * runs. What is printed before the first server belongs to all of them.
 *
 * @returns undefined if the output has several servers, and not one of them is known to be the one that was asked
 */
export function ownPartOf(report: LmstatReport, servers: readonly string[]): OwnPart | undefined {
  const lists = new Map(report.serverLists.map((list) => [list.join(',').toLowerCase(), list]));
  if (lists.size < 2) return { report, others: [] };
  const listsWith = (is: (one: string, server: string) => boolean): readonly string[] =>
    [...lists].flatMap(([name, list]) => (list.some((one) => servers.some((server) => is(one, server))) ? [name] : []));
  const exact = listsWith(isListed);
  const own = new Set(exact.length > 0 ? exact : listsWith(isSameServer));
  if (own.size === 0 || (own.size > 1 && servers.length === 1)) return undefined;
  const isOwn = (part: { readonly servers: string }): boolean => part.servers === '' || own.has(part.servers);
  return {
    report: {
      ...report,
      serverLists: [...lists].flatMap(([name, list]) => (own.has(name) ? [list] : [])),
      members: report.members.filter(isOwn),
      daemons: report.daemons.filter(isOwn),
      errors: report.errors.filter(isOwn),
      features: report.features.filter(isOwn),
    },
    others: [...lists.keys()].filter((name) => !own.has(name)),
  };
}

/** What is known beside `lmstat -a`. */
export interface Supplies {
  /** Of `lmstat -i`. */
  readonly inventory: readonly LicenseSupply[];
  /** Of license files. For the features that they have, they are used instead of `inventory`. */
  readonly fileSupply: readonly LicenseSupply[];
  /** Options files by daemon, as far as they are known. */
  readonly options: ReadonlyMap<string, OptionsFile>;
  /** Of `lmstat -S`, which lists the features of one daemon, and of earlier outputs. */
  readonly served: readonly FeatureDaemon[];
}

interface Rules {
  /** Epoch seconds. */
  readonly at: number;
  readonly hasTimes: boolean;
  readonly hasSeenQueue: boolean;
}

/** The vendor licenses of an output: its vendor daemons with their features. */
class VendorLicenses {
  readonly #settings: FlexnetSettings;
  readonly #supplies: Supplies;
  readonly #rules: Rules;
  readonly #report: LmstatReport;
  readonly #whichDaemon: WhichDaemon;
  readonly #supplyOf: ReadonlyMap<string, LicenseSupply[]>;
  readonly #pools = new Map<string, PoolObservation[]>();
  /** Daemons that are down. */
  readonly down = new Set<string>();
  /** Features of which nothing says to which daemon they belong. */
  unattributed = 0;
  contradictions = 0;

  constructor(report: LmstatReport, supplies: Supplies, settings: FlexnetSettings, rules: Rules) {
    this.#report = report;
    this.#supplies = supplies;
    this.#settings = settings;
    this.#rules = rules;
    const { inventory, fileSupply, served } = supplies;
    this.#whichDaemon = new WhichDaemon(report.daemons, [...fileSupply, ...inventory, ...served], settings.daemons);
    const keyOf = ({ daemon, feature }: LicenseSupply): string => this.#keyOf(daemon, feature);
    const inFiles = new Set(fileSupply.map(keyOf));
    const others = inventory.filter((supply) => !inFiles.has(keyOf(supply)));
    this.#supplyOf = Map.groupBy([...fileSupply, ...others], keyOf);
    for (const [daemon, { up }] of this.#whichDaemon.listed) {
      this.#pools.set(daemon, []);
      if (!up) this.down.add(daemon);
    }
  }

  /** Observes all features. */
  observe(): VendorLicenseObservation[] {
    for (const usage of this.#usages()) this.#observeFeature(usage);
    const [server = ''] = this.#settings.servers;
    const supplied = Map.groupBy(this.#supplyOf.values(), ([first]) => this.#whichDaemon.spelled(first?.daemon ?? ''));
    return [...this.#pools].map(([daemon, pools]) => ({
      server: server.toLowerCase(),
      daemon,
      part: this.#settings.part,
      reachable: !this.down.has(daemon),
      ...(this.unattributed > 0 && daemon !== NO_DAEMON && { hasOtherPools: true as const }),
      pools: this.down.has(daemon) ? this.#suppliedPools(supplied.get(daemon) ?? []) : pools,
    }));
  }

  #observeFeature(usage: FeatureUsage): void {
    const { daemon, name } = usage;
    const supply = this.#supplyOf.get(this.#keyOf(daemon, name)) ?? [];
    const reserves = optionsOf(this.#supplies.options, daemon)?.reserves.filter(({ feature }) => feature === name);
    const { at, hasTimes, hasSeenQueue } = this.#rules;
    const rules = { hasTimes, hasSeenQueue, lingerAtLeast: this.#settings.borrow.lingerAtLeast };
    const pools = this.#pools.get(daemon) ?? [];
    for (const pool of observePools(usage, { supply, reserves, at }, rules)) pools.push(pool);
    this.#pools.set(daemon, pools);
    // what it serves contradicts that
    this.down.delete(daemon);
    if (usage.isContradiction || contradicts(reserves, usage)) this.contradictions += 1;
  }

  /** The features that are served, with their daemons. */
  #usages(): FeatureUsage[] {
    const listings = new Map<string, { daemon: string; features: LmstatFeature[] }>();
    for (const feature of this.#report.features) {
      if (!this.#isShown(feature)) continue;
      const named = this.#whichDaemon.of(feature);
      if (named === undefined) this.unattributed += 1;
      const daemon = named ?? NO_DAEMON;
      const key = this.#keyOf(daemon, feature.name);
      const listing = listings.get(key) ?? { daemon, features: [] };
      listing.features.push(feature);
      listings.set(key, listing);
    }
    return [...listings.values()].map(({ daemon, features }) => usageOf(daemon, features));
  }

  #isShown({ name, supply }: LmstatFeature): boolean {
    if (supply.kind === 'error') return false;
    if (supply.kind === 'unsupported' && this.#settings.features.dropUnsupported) return false;
    return isSelected(name, this.#settings.features);
  }

  #suppliedPools(supplies: readonly LicenseSupply[][]): PoolObservation[] {
    return supplies.flatMap((supply) => {
      const feature = supply[0]?.feature;
      if (feature === undefined || !isSelected(feature, this.#settings.features)) return [];
      return suppliedPools(feature, supply, this.#rules.at);
    });
  }

  #keyOf(daemon: string, feature: string): string {
    return `${this.#whichDaemon.spelled(daemon)} ${feature}`;
  }
}

/** Everything that one collection has read. */
export interface FlexnetInput {
  /** Of `lmstat -a`. */
  readonly report: LmstatReport;
  /** Of `lmstat -i`. */
  readonly inventory?: readonly LicenseSupply[] | undefined;
  /** Of license files. For the features that they have, they are used instead of `inventory`. */
  readonly fileSupply?: readonly LicenseSupply[] | undefined;
  /** Options files by daemon, as far as they are known. */
  readonly options?: ReadonlyMap<string, OptionsFile> | undefined;
  /** Of `lmstat -S`. Needed if nothing else says which daemon serves a feature. */
  readonly served?: readonly FeatureDaemon[] | undefined;
  readonly settings: FlexnetSettings;
  readonly memory: FlexnetMemory;
  /** When and where the output was made. */
  readonly output: {
    /** Epoch seconds. */
    readonly at: number;
    /** Whether the tool ran here and now: then its clock must be ours. */
    readonly isCommand: boolean;
    readonly exit?: Exit | undefined;
  };
}

/** What one collection says, and what the next one has to know of it. */
export interface FlexnetParsed extends Parsed {
  /** For the next output of the source. */
  readonly memory: FlexnetMemory;
  /** Features of which nothing says which daemon serves them. */
  readonly unattributed: number;
  /** Vendor daemons that the output shows as up. */
  readonly running: readonly string[];
}

/**
 * What the output of `lmstat -a` says. `denials` of its pools are undefined: they are in other files.
 *
 * @throws SourceFailure if it gives no data: neither features nor vendor daemons that are down
 */
export function observeFlexnet({
  report: whole,
  inventory = [],
  fileSupply = [],
  options = new Map(),
  served = [],
  settings,
  memory,
  output,
}: FlexnetInput): FlexnetParsed {
  const own = ownPartOf(whole, settings.servers);
  if (own === undefined) throw othersFailure(whole, settings);
  const { report, others } = own;
  const failure = failureWithoutData(report, settings, output.exit);
  if (failure !== undefined) {
    const members = membersWithoutData(failure.kind, settings.servers, report.members);
    throw new SourceFailure(failure.kind, failure.message, { members });
  }
  if (output.isCommand && report.isCut) throw cutFailure(settings);
  const clock = output.isCommand ? clockProblem(report, output.at) : undefined;
  const hasTimes = clock === undefined;
  const next = nextMemory(memory, report);
  const at = (hasTimes ? report.referenceTime : undefined) ?? output.at;
  const remembered = [...next.daemons].flatMap(([feature, names]) => [...names].map((daemon) => ({ feature, daemon })));
  const supplies = { inventory, fileSupply, options, served: [...served, ...remembered] };
  const licenses = new VendorLicenses(report, supplies, settings, { at, hasTimes, hasSeenQueue: next.hasSeenQueue });
  const vendorLicenses = licenses.observe();
  const { unparsed, masks, contradictions } = report.diagnostics;
  return {
    vendorLicenses,
    problems: [
      ...(clock === undefined ? [] : [clock]),
      ...partialProblems(report, settings, { down: licenses.down, unattributed: licenses.unattributed, others }),
    ],
    members: membersOf(settings.servers, report.members),
    referenceTime: hasTimes ? report.referenceTime : undefined,
    diagnostics: { unparsed, masks, contradictions: contradictions + licenses.contradictions },
    memory: next,
    unattributed: licenses.unattributed,
    running: report.daemons.flatMap(({ name, up }) => (up ? [name] : [])),
  };
}
