import { type VendorLicenseObservation, vendorLicenseName } from '../../../base/model/observation/observation.ts';
import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { joined, type OnUnread } from '../lines.ts';
import { DenialCount, type Denials, type TakenDenials, withDenials } from '../log/denials.ts';
import type { ManagerReader, ReaderDeps, ReadInput } from '../manager.ts';
import type { SourceSettings } from '../source-settings.ts';
import { type Transport, textOf } from '../transport/transport.ts';
import { debugLog as debugLogKind, withoutFork } from './debug-log-denials.ts';
import { userOf } from './debug-log-line.ts';
import { createFlexnetFiles, lmstatArguments } from './flexnet-files.ts';
import type { LicenseSupply } from './inventory.ts';
import { parseLmstat } from './lmstat.ts';
import { type InventoryReport, parseLmstatInventory } from './lmstat-inventory.ts';
import type { LmstatReport } from './lmstat-report.ts';
import { addDaemon, type FlexnetInput, type FlexnetParsed, noMemory, observeFlexnet, ownPartOf } from './observe.ts';
import { type OptionsFile, optionsOf } from './options-file.ts';
import { type FlexnetOwn, flexnetSettings } from './own-settings.ts';
import { observeSupplies, parsedSupplies } from './supplied-licenses.ts';
import { NO_DAEMON } from './which-daemon.ts';

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
  { transport, host, people, read }: ReaderDeps<FlexnetOwn, Beside, FlexnetParsed>,
): ManagerReader {
  const { via, ...others } = settings;
  const { debugLogs, licenseFiles } = settings;
  const flexnet = flexnetSettings(settings);
  const files = createFlexnetFiles(settings, flexnet.localTime, via?.kind === 'command' ? transport : undefined, host);
  const nameOf = (daemon: string): string =>
    vendorLicenseName({
      server: flexnet.servers[0]?.toLowerCase() ?? '',
      daemon: withoutFork(daemon),
      part: settings.part,
    });
  const counts = debugLogs.map(
    (log) =>
      new DenialCount(debugLogKind, log, {
        now: host.now,
        elapsed: host.elapsed,
        people: people?.log({ userOf, vendorLicenseOf: nameOf }),
      }),
  );
  const withRefused = (observation: VendorLicenseObservation, denied: readonly TakenDenials[]) => {
    const known = deniedIn(denied, options, observation.daemon);
    const counted = withDenials(observation, known);
    return known === undefined || people === undefined ? counted : people.taken(counted, nameOf(observation.daemon));
  };
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
        vendorLicenses: parsed.vendorLicenses.map((one) => withRefused(one, denied)),
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
