import type { VendorLicenseObservation } from '../../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../../base/model/observation/source.ts';
import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { isPlainName } from '../../../base/model/vendor-license.ts';
import { LastGood } from '../last-good.ts';
import { joined, type OnUnread } from '../lines.ts';
import { DenialCount, type Denials, type TakenDenials, withDenials } from '../log/denials.ts';
import type { ManagerReader, ReaderDeps, ReadInput } from '../manager.ts';
import type { SourceSettings } from '../source-settings.ts';
import type { SourceTime } from '../times.ts';
import { createFileTransport } from '../transport/file-transport.ts';
import { type Transport, textOf } from '../transport/transport.ts';
import type { TransportHost } from '../transport/transport-host.ts';
import { debugLog as debugLogKind } from './debug-log-denials.ts';
import type { LicenseSupply } from './inventory.ts';
import { grantedBy, parseLicenseFile } from './license-file.ts';
import { parseLmstat } from './lmstat.ts';
import { type InventoryReport, parseLmstatInventory } from './lmstat-inventory.ts';
import type { LmstatReport } from './lmstat-report.ts';
import { addDaemon, type FlexnetInput, type FlexnetParsed, noMemory, observeFlexnet, ownPartOf } from './observe.ts';
import { type OptionsFile, optionsOf, parseOptionsFile } from './options-file.ts';
import { type FlexnetOwn, flexnetSettings } from './own-settings.ts';
import { observeSupplies, parsedSupplies } from './supplied-licenses.ts';
import { type FeatureDaemon, NO_DAEMON } from './which-daemon.ts';

/** What is known beside `lmstat -a`. */
export type Beside = Pick<FlexnetInput, 'inventory' | 'fileSupply' | 'options' | 'served' | 'memory'>;

/** The rows of the tables of the servers that were asked. A table before the first server is of all of them. */
function ownSupply(
  { byServers }: InventoryReport,
  report: LmstatReport,
  asked: readonly string[],
): readonly LicenseSupply[] {
  const own = ownPartOf(report, asked)?.report.serverLists ?? [];
  const names = new Set(['', ...own.map((list) => list.join(',').toLowerCase())]);
  return [...names].flatMap((name) => byServers.get(name) ?? []);
}

/** What the output of `lmstat -a` says, with what is known beside it. @throws SourceFailure if it says nothing */
export function readFlexnet(
  { settings, via, output, more }: ReadInput<FlexnetOwn, Beside>,
  onUnread?: OnUnread,
): FlexnetParsed {
  const { at, exitCode: code, stderr } = output;
  const flexnet = flexnetSettings(settings);
  const { localTime, users } = flexnet;
  const { knownHosts } = more.memory;
  const text = textOf(output);
  const report = parseLmstat(text, { localTime, now: at, split: users.split, knownHosts, onUnread });
  const table = report.hasInventory ? parseLmstatInventory(text, { localTime, onUnread }) : undefined;
  const inventory = more.inventory ?? (table && ownSupply(table, report, flexnet.servers));
  const diagnostics = joined([report.diagnostics, ...(table === undefined ? [] : [table.diagnostics])]);
  const run = { at, isCommand: via === 'command', exit: { code, stderr } };
  return observeFlexnet({ ...more, report: { ...report, diagnostics }, inventory, settings: flexnet, output: run });
}

/** The arguments of the configured tool for lmstat: `lmutil lmstat …`, or a command that is lmstat already. */
export function lmstatArguments({ via, servers }: SourceSettings, ...what: readonly string[]): readonly string[] {
  const isLmstat = via?.kind === 'command' && via.command.some((word) => /(^|\/)lmstat(\.exe)?$/.test(word));
  return [...(isLmstat ? [] : ['lmstat']), ...what, '-c', servers.join(',')];
}

/** What is known of FlexNet beside `lmstat -a`. What cannot be read keeps its last good content for 7 days. */
export interface FlexnetFiles {
  /** Of all license files; undefined without license files, or if one of them could never be read. */
  licenses(signal: AbortSignal): Promise<readonly LicenseSupply[] | undefined>;
  /** Of `lmstat -i`, which is run once an hour. Undefined if it is not needed beside license files, or could not be run. */
  inventory(signal: AbortSignal): Promise<readonly LicenseSupply[] | undefined>;
  /** Which features these daemons serve, of `lmstat -S`, which is run once an hour if this is asked for. */
  served(daemons: readonly string[], signal: AbortSignal): Promise<readonly FeatureDaemon[] | undefined>;
  /** Options files by daemon, of those that could be read. */
  options(signal: AbortSignal): Promise<ReadonlyMap<string, OptionsFile>>;
  /** Why something could not be read the last time. */
  problems(): readonly SourceProblem[];
  /** What was not understood of the license files and options files. */
  diagnostics(): readonly Diagnostics[];
  close(): Promise<void>;
}

const notLicenses = (file: string): SourceFailure =>
  new SourceFailure(
    'unparsed',
    `the file ${file} is not a license file: no SERVER, FEATURE or INCREMENT line was understood; correct the path in \`license_files\``,
  );

const tooMany = (files: readonly string[]): SourceProblem => ({
  kind: 'unparsed',
  message: `${files.join(', ')} grant more licenses than are read: 100,000 of different names, versions and dates`,
  isMinor: true,
});

const HOUR = 3600;

/** @param tool runs lmstat; undefined if the source has no command */
function createFlexnetFiles(
  settings: SourceSettings & FlexnetOwn,
  localTime: SourceTime,
  tool: Transport | undefined,
  host: TransportHost,
): FlexnetFiles {
  const { name: label, timeout, maxOutput, encoding, licenseFiles, optionsFiles } = settings;
  const { now, elapsed } = host;
  const transports: Transport[] = [];
  /** By file. */
  const diagnostics = new Map<string, Diagnostics>();
  let isCut = false;

  const fileOf = <T>(setting: string, file: string, parse: (text: string) => T): LastGood<T> => {
    const via = { kind: 'file', file, maxAge: Number.POSITIVE_INFINITY } as const;
    const transport = createFileTransport({ ...via, label, timeout, maxOutput, encoding }, host, setting);
    transports.push(transport);
    const read = async (signal: AbortSignal): Promise<T> => parse((await transport.read([], signal)).stdout);
    // files are small, and can change at any time
    return new LastGood(read, 0, elapsed);
  };
  const ask = async (signal: AbortSignal, ...what: readonly string[]): Promise<string> => {
    const output = await tool?.read(lmstatArguments(settings, ...what), signal);
    return output === undefined ? '' : textOf(output);
  };
  const runInventory = async (signal: AbortSignal): Promise<readonly LicenseSupply[]> =>
    parseLmstatInventory(await ask(signal, '-i'), { localTime }).supply;

  const runServed = async (daemons: readonly string[], signal: AbortSignal): Promise<readonly FeatureDaemon[]> => {
    const served: FeatureDaemon[] = [];
    for (const daemon of daemons) {
      // the output names it, and a shell may read it behind ssh
      if (!isPlainName(daemon)) continue;
      const text = await ask(signal, '-S', daemon);
      const context = { localTime, now: now(), split: 'auto', knownHosts: new Set<string>() } as const;
      const { features } = parseLmstat(text, context);
      for (const { name } of features) served.push({ feature: name, daemon });
    }
    return served;
  };

  const licenses = licenseFiles.map((file) =>
    fileOf('license_files', file, (text) => {
      const found = parseLicenseFile(text, localTime);
      const { features, packages, servers } = found;
      // one with SERVER lines can be meant to have no others
      if (features.length + packages.length + servers.length === 0) throw notLicenses(file);
      diagnostics.set(file, found.diagnostics);
      return found;
    }),
  );
  const options = Object.entries(optionsFiles).map(([daemon, file]) => {
    const parse = (text: string): OptionsFile => {
      const found = parseOptionsFile(text, daemon);
      diagnostics.set(file, found.diagnostics);
      return found;
    };
    return [daemon, fileOf('options_files', file, parse)] as const;
  });
  const inventory = tool === undefined || licenses.length > 0 ? undefined : new LastGood(runInventory, HOUR, elapsed);
  /** By the names of the daemons. */
  const served = new Map<string, LastGood<readonly FeatureDaemon[]>>();

  return {
    licenses: async (signal) => {
      const found = await Promise.all(licenses.map((file) => file.get(signal)));
      // a part of the files would look like fewer licenses
      const isComplete = found.length > 0 && !found.includes(undefined);
      if (!isComplete) return undefined;
      const granted = grantedBy(
        found.filter((file) => file !== undefined),
        { now: now(), localTime },
      );
      isCut = granted.isCut;
      return granted.supplies;
    },
    inventory: async (signal) => inventory?.get(signal),
    served: async (daemons, signal) => {
      if (tool === undefined) return undefined;
      const key = daemons.join();
      const known = served.get(key) ?? new LastGood((one) => runServed(daemons, one), HOUR, elapsed);
      // other daemons: a change of the site
      served.clear();
      served.set(key, known);
      return await known.get(signal);
    },
    options: async (signal) => {
      const found = await Promise.all(options.map(async ([daemon, file]) => [daemon, await file.get(signal)] as const));
      return new Map(found.flatMap(([daemon, file]) => (file === undefined ? [] : [[daemon, file]])));
    },
    problems: () => [
      ...[...licenses, ...options.map(([, file]) => file)].flatMap(({ problem }) => problem ?? []),
      ...(isCut ? [tooMany(licenseFiles)] : []),
    ],
    diagnostics: () => [...diagnostics.values()],
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

/** Options files of daemons that the server does not have: their reservations would be missing without a word. */
function strangeDaemons({ optionsFiles }: FlexnetOwn, { vendorLicenses }: FlexnetParsed): readonly SourceProblem[] {
  const known = new Set(vendorLicenses.map(({ daemon }) => daemon.toLowerCase()));
  const strange = Object.keys(optionsFiles).filter((daemon) => !known.has(daemon.toLowerCase()));
  if (strange.length === 0 || known.size === 0) return [];
  const message = `options_files names the vendor daemon ${strange.join(', ')}, which the server does not have; it has ${[...known].join(', ')}`;
  return [{ kind: 'unparsed', message, isMinor: true }];
}

/** What the logs in which a daemon writes say of it. Its options file can forbid that it writes denials. */
function deniedIn(
  logs: readonly TakenDenials[],
  options: ReadonlyMap<string, OptionsFile>,
  daemon: string,
): readonly Denials[] | undefined {
  if (optionsOf(options, daemon)?.logsDenials === false) return undefined;
  const known = logs.flatMap((log) => [log.of(daemon) ?? []]).filter((one) => one.length > 0);
  return logs.some((log) => log.of(daemon) !== undefined) ? known.flat() : undefined;
}

/** A server that lists no feature may not answer: it would hold up other questions too. */
const listsFeatures = ({ stdout, stderr }: { stdout: string; stderr: string }): boolean =>
  /^[ \t]*Users of /m.test(stdout) || /^[ \t]*Users of /m.test(stderr);

/** Reads a FlexNet license server with what is known beside it, or license files alone. */
export function createFlexnetReader(
  settings: SourceSettings & FlexnetOwn,
  { transport, host, read }: ReaderDeps<FlexnetOwn, Beside, FlexnetParsed>,
): ManagerReader {
  const { via, ...others } = settings;
  const { debugLogs, licenseFiles } = settings;
  const flexnet = flexnetSettings(settings);
  const files = createFlexnetFiles(settings, flexnet.localTime, via?.kind === 'command' ? transport : undefined, host);
  const counts = debugLogs.map((log) => new DenialCount(debugLogKind, log, { now: host.now, elapsed: host.elapsed }));
  let memory = noMemory;
  let options: ReadonlyMap<string, OptionsFile> = new Map();
  let supplied: readonly VendorLicenseObservation[] = [];

  const ask = async (server: Transport, signal: AbortSignal): Promise<FlexnetParsed> => {
    const fileSupply = await files.licenses(signal);
    supplied = observeSupplies(fileSupply ?? [], flexnet, host.now());
    const output = await server.read(lmstatArguments(settings, '-a'), signal);
    const inventory = listsFeatures(output) ? await files.inventory(signal) : undefined;
    options = await files.options(signal);
    const beside = { inventory, fileSupply, options, memory };
    const input = { settings: others, via: via?.kind ?? 'file', now: host.now(), output };
    const parsed = await read({ ...input, more: beside });
    if (parsed.unattributed === 0) return parsed;
    const served = await files.served(parsed.running, signal);
    return served === undefined ? parsed : await read({ ...input, more: { ...beside, served } });
  };

  return {
    read: async (signal) => {
      if (transport === undefined) {
        supplied = observeSupplies((await files.licenses(signal)) ?? [], flexnet, host.now());
        const [problem] = files.problems();
        if (supplied.length === 0) throw filesFailure(problem, licenseFiles);
        return parsedSupplies(supplied, files.problems(), files.diagnostics());
      }
      const parsed = await ask(transport, signal);
      memory = parsed.memory;
      const denied = await Promise.all(counts.map((count) => count.take()));
      for (const one of denied) one.confirm();
      return {
        ...parsed,
        vendorLicenses: parsed.vendorLicenses.map((one) => withDenials(one, deniedIn(denied, options, one.daemon))),
        problems: [
          ...parsed.problems,
          ...files.problems(),
          ...strangeDaemons(settings, parsed),
          ...counts.flatMap((count) => count.problems()),
        ],
        diagnostics: joined([parsed.diagnostics, ...files.diagnostics()]),
      };
    },
    restore: (known) => {
      const hasSeenQueue = known.some(({ observation: { pools } }) => pools.some(({ queued }) => queued !== undefined));
      const remembered = new Map<string, ReadonlySet<string>>();
      for (const { observation } of known) {
        if (observation.daemon === NO_DAEMON) continue;
        for (const { feature } of observation.pools) addDaemon(remembered, feature, observation.daemon);
      }
      memory = { ...memory, hasSeenQueue, daemons: remembered };
    },
    withoutServer: () => supplied,
    close: async () => {
      await Promise.all([transport?.close(), files.close(), ...counts.map((count) => count.stop())]);
    },
  };
}

function filesFailure(problem: SourceProblem | undefined, files: readonly string[]): SourceFailure {
  if (problem !== undefined) return new SourceFailure(problem.kind, problem.message);
  return new SourceFailure(
    'empty',
    `no FEATURE or INCREMENT line was understood in ${files.join(', ')}; check \`license_files\` of the source`,
  );
}
