import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceSettings } from '../../../src/analyzer/sources/source-settings.ts';
import type { Output, Transport } from '../../../src/analyzer/sources/transport/transport.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { SourceFailure } from '../../../src/base/model/observation/source-failure.ts';
import { type FakeMode, type FakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { renderObservations } from '../../support/license-site/render-observations.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import { licensesOf, type Site } from '../../support/license-site/site.ts';
import { sourceSettings } from '../../support/source-settings.ts';
import type { FaultKind, SourcePlan } from './plan.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** The license manager of a source: what it prints by the time, its faults, and what of it can be known. */

const utc = createLocalTime('UTC');
const PORT = 27_000;
const FEATURES = 4;
/** Of each vendor license. */
export const features: readonly string[] = Array.from({ length: FEATURES }, (_, at) => `feature_${at + 1}`);
const MAX_AGE = 1800;
const CLOCK_OFFSET = 7200;
const SLOW = 40;

/** Licenses in use of each feature. */
export type Use = ReadonlyMap<string, number>;

export interface Expected {
  /** What a reading gives by the name of the vendor license; `unsure` if the fault leaves it open. */
  readonly reached: ReadonlyMap<string, Use> | 'unsure';
}

export interface ManagedSite {
  readonly settings: SourceSettings;
  /** Undefined where the source reads a file or runs a tool. */
  readonly transport: Transport | undefined;
  /** The names of all vendor licenses. */
  readonly vendorLicenses: readonly string[];
  /** Prepares a reading that begins now. @param slot whose figures it gives */
  prepare(slot: number, fault: FaultKind | undefined): Expected;
}

export interface ManagedSiteOptions {
  readonly clock: SimulatedClock;
  readonly folder: string;
  readonly tools: FakeSite;
}

const serverOf = (host: string): string => `${PORT}@${host}`;

/** The use changes from slot to slot, and is another one for each source and feature. */
function siteOf({ hosts, daemons, name, interval }: SourcePlan, slot: number, at: number): Site {
  const [host = ''] = hosts;
  const number = Number(name.replace(/\D+/g, '')) + Math.floor(slot / interval);
  const one = (daemon: string, i: number): Site =>
    createLargeSite({ daemon, features: FEATURES, users: 1 + ((number + i) % 7), now: at, host, port: PORT });
  return {
    servers: hosts.map((each, i) => ({ host: each, port: PORT, isUp: true, isMaster: i === 0 })) as never,
    now: at,
    daemons: daemons.flatMap((daemon, i) => one(daemon, i).daemons),
  };
}

const useOf = ({ daemons }: Site, server: string, isShown: (at: number) => boolean): ReadonlyMap<string, Use> =>
  new Map(
    daemons
      .filter((_, at) => isShown(at))
      .map(({ name, features: listed }) => [
        `${server};${name}`,
        new Map(
          listed.map(({ name: feature, pools }) => [feature, pools.reduce((sum, pool) => sum + licensesOf(pool), 0)]),
        ),
      ]),
  );

const withoutLastDaemon = (site: Site): Site => ({
  ...site,
  daemons: site.daemons.map((daemon, at) => ({ ...daemon, isUp: at < site.daemons.length - 1 })),
});

/** @param isUp by the number of the server */
const withServers = (site: Site, isUp: (at: number) => boolean): Site => ({
  ...site,
  servers: site.servers.map((server, at) => ({ ...server, isUp: isUp(at), isMaster: at === 0 })) as never,
});

const render = (manager: SourcePlan['manager'], site: Site): string => {
  if (manager === 'json') return renderObservations(site);
  return manager === 'rlm' ? renderRlmstat(site, utc) : renderLmstat(site, utc);
};

const GARBAGE = 'Segmentation fault \u0001 (core dumped)\n<html>\n';
const half = (text: string): string => text.slice(0, text.length / 2);

const downText: Readonly<Record<SourcePlan['manager'], string>> = {
  flexnet: 'Error getting status: Cannot connect to license server system. (-15,10:115 "Operation now in progress")\n',
  rlm: 'Error connecting to "rlm" server\n',
  json: '',
};

/** What a fault prints, instead of the site. */
function textOf(manager: SourcePlan['manager'], site: Site, fault: FaultKind | undefined): string {
  switch (fault) {
    case 'garbage':
      return GARBAGE;
    case 'empty':
      return '';
    case 'cut':
      return half(render(manager, site));
    case 'down':
      return downText[manager];
    case 'daemon_down':
      return render(manager, withoutLastDaemon(site));
    case 'member_down':
      return render(
        manager,
        withServers(site, (at) => at < 2),
      );
    case 'no_quorum':
      return render(manager, { ...withServers(site, () => false), daemons: [] });
    case 'clock':
      // a document of the past would be too old
      return render(manager, { ...site, now: site.now + (manager === 'json' ? 1 : -1) * CLOCK_OFFSET });
    default:
      return render(manager, site);
  }
}

/** The faults with which all of the site is known nevertheless. */
const harmless: ReadonlySet<FaultKind | undefined> = new Set([undefined, 'slow', 'clock', 'member_down'] as const);

function expectedOf(plan: SourcePlan, site: Site, fault: FaultKind | undefined): Expected {
  const [host = ''] = plan.hosts;
  const use = (isShown: (at: number) => boolean): Expected => ({ reached: useOf(site, serverOf(host), isShown) });
  if (harmless.has(fault)) return use(() => true);
  if (fault === 'daemon_down' && plan.via === 'script') return use((at) => at < plan.daemons.length - 1);
  // half of a table is a smaller table, but half of a document cannot be read
  if (fault === 'cut' && plan.manager !== 'json') return { reached: 'unsure' };
  return use(() => false);
}

const common = ({ name, manager, hosts, interval, timeout }: SourcePlan) => ({
  name,
  manager,
  servers: hosts.map(serverOf),
  interval,
  timeout,
});

const vendorLicensesOf = ({ hosts: [host = ''], daemons }: SourcePlan): string[] =>
  daemons.map((daemon) => `${serverOf(host)};${daemon}`);

function createScripted(plan: SourcePlan, { clock }: ManagedSiteOptions): ManagedSite {
  let site = siteOf(plan, 0, 0);
  let fault: FaultKind | undefined;
  const read = async (args: readonly string[], signal: AbortSignal): Promise<Output> => {
    const [current, present] = [site, fault];
    if (present === 'slow') await clock.sleep(SLOW, signal);
    if (present === 'hang') {
      await clock.sleep(plan.timeout, signal);
      throw new SourceFailure('timeout', `the tool of ${plan.name} did not end`);
    }
    if (present === 'too_large') throw new SourceFailure('too_large', `the output of ${plan.name} is too large`);
    if (present === 'missing') throw new SourceFailure('missing_tool', `the tool of ${plan.name} does not exist`);
    const isInventory = args.includes('-i');
    const stdout = isInventory ? renderLmstatInventory(current, utc) : textOf(plan.manager, current, present);
    return { stdout, stderr: '', exitCode: 0, at: clock.now() };
  };
  return {
    settings: sourceSettings({ ...common(plan), via: { kind: 'command', command: ['/none'], env: {} } }),
    transport: { read, close: async () => undefined },
    vendorLicenses: vendorLicensesOf(plan),
    prepare: (slot, next) => {
      site = siteOf(plan, slot, clock.now());
      fault = next;
      return expectedOf(plan, site, fault);
    },
  };
}

interface Written {
  readonly at: number;
  readonly expected: Expected;
}

/** Documents have a limit of their own. */
const maxAgeOf = ({ manager, interval }: SourcePlan): number =>
  manager === 'json' ? Math.min(MAX_AGE, Math.max(2 * interval, 600)) : MAX_AGE;

/** What an older file gives; undefined if it is too old. */
function whenOld(written: Written | undefined, now: number, maxAge: number): Expected | undefined {
  if (written === undefined || now - written.at > maxAge + 1) return undefined;
  return now - written.at > maxAge - 1 ? { reached: 'unsure' } : written.expected;
}

function createFile(plan: SourcePlan, { clock, folder }: ManagedSiteOptions): ManagedSite {
  const path = join(folder, `${plan.name}.txt`);
  let written: Written | undefined;
  return {
    settings: sourceSettings({ ...common(plan), via: { kind: 'file', file: path, maxAge: MAX_AGE } }),
    transport: undefined,
    vendorLicenses: vendorLicensesOf(plan),
    prepare: (slot, fault) => {
      const at = clock.now();
      const site = siteOf(plan, slot, at);
      const nothing: Expected = { reached: new Map() };
      if (fault === 'not_updated') return whenOld(written, at, maxAgeOf(plan)) ?? nothing;
      if (fault === 'missing') {
        rmSync(path, { force: true });
        written = undefined;
        return nothing;
      }
      writeFileSync(path, textOf(plan.manager, site, fault));
      utimesSync(path, at, at);
      written = { at, expected: expectedOf(plan, site, fault) };
      return written.expected;
    },
  };
}

const modes: Readonly<Partial<Record<FaultKind, FakeMode>>> = {
  down: 'down',
  refused: 'refused',
  protocol: 'protocol',
  garbage: 'garbage',
  empty: 'empty',
  crash: 'crash',
  daemon_down: 'daemon_down',
};

function createTool(plan: SourcePlan, { clock, tools }: ManagedSiteOptions): ManagedSite {
  const [server = ''] = plan.hosts.map(serverOf);
  const [daemon = ''] = plan.daemons;
  tools.nameDaemon(server, daemon);
  return {
    settings: sourceSettings({ ...common(plan), via: { kind: 'command', command: [fakeLmutil], env: tools.env } }),
    transport: undefined,
    vendorLicenses: vendorLicensesOf(plan),
    prepare: (slot, fault) => {
      const site = siteOf(plan, slot, clock.now());
      tools.play(server, (fault === undefined ? undefined : modes[fault]) ?? 'ok');
      tools.print(server, renderLmstat(site, utc));
      tools.print(server, renderLmstatInventory(site, utc), 'i');
      return expectedOf(plan, site, fault);
    },
  };
}

export function createManagedSite(plan: SourcePlan, options: ManagedSiteOptions): ManagedSite {
  if (plan.via === 'file') return createFile(plan, options);
  return plan.via === 'tool' ? createTool(plan, options) : createScripted(plan, options);
}
