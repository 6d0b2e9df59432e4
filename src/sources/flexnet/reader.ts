import type { VendorLicenseObservation } from '../../model/observation/observation.ts';
import { SourceFailure, type SourceProblem } from '../../model/observation/source-failure.ts';
import type { SourceSettings } from '../../model/observation/source-settings.ts';
import { runSliced } from '../../scheduling/slices.ts';
import type { ManagerReader } from '../manager-source.ts';
import { textOf } from '../output-text.ts';
import { createSourceTime } from '../times.ts';
import type { Transport } from '../transport/transport.ts';
import type { TransportHost } from '../transport/transport-host.ts';
import { createDenialCount, type DenialCount } from './denial-count.ts';
import { withDenials } from './denied-requests.ts';
import { createFlexnetFiles } from './files.ts';
import { parseLmstat } from './lmstat.ts';
import { lmstatArguments } from './lmstat-command.ts';
import { type FlexnetParsed, observeFlexnet } from './observe.ts';
import { addDaemon } from './remembering.ts';
import { type FlexnetSettings, lmstatContext, noMemory } from './settings.ts';
import { observeSupplies } from './supplied-licenses.ts';
import { NO_DAEMON } from './which-daemon.ts';

const problemsOf = (denials: DenialCount | undefined): readonly SourceProblem[] => {
  const problem = denials?.problem();
  // an error keeps its message where a copy does not see it
  return problem === undefined ? [] : [{ kind: problem.kind, message: problem.message, isMinor: true }];
};

/** Options files of daemons that the server does not have: their reservations would be missing without a word. */
function strangeDaemons({ optionsFiles }: SourceSettings, { vendorLicenses }: FlexnetParsed): readonly SourceProblem[] {
  const known = new Set(vendorLicenses.map(({ daemon }) => daemon.toLowerCase()));
  const strange = Object.keys(optionsFiles).filter((daemon) => !known.has(daemon.toLowerCase()));
  if (strange.length === 0 || known.size === 0) return [];
  const message = `options_files names the vendor daemon ${strange.join(', ')}, which the server does not have; it has ${[...known].join(', ')}`;
  return [{ kind: 'unparsed', message, isMinor: true }];
}

/** Reads a FlexNet license server with what is known beside it, or license files alone. */
export function createFlexnetReader(
  settings: SourceSettings,
  transport: Transport | undefined,
  host: TransportHost,
): ManagerReader {
  const { servers, part, daemons, borrow, users, features, timeZone, debugLog, via, licenseFiles } = settings;
  const localTime = createSourceTime(timeZone, settings.calendarZone);
  const flexnet: FlexnetSettings = {
    servers,
    part,
    daemons,
    lingerAtLeast: borrow.lingerAtLeast,
    split: users.split,
    dropUnsupported: features.dropUnsupported,
    features,
    localTime,
  };
  const isCommand = via?.kind === 'command';
  const files = createFlexnetFiles(settings, localTime, isCommand ? transport : undefined, host);
  const denials =
    debugLog === undefined ? undefined : createDenialCount(debugLog, { now: host.now, elapsed: host.elapsed });
  let memory = noMemory;
  let supplied: readonly VendorLicenseObservation[] = [];

  const ask = async (server: Transport, signal: AbortSignal): Promise<FlexnetParsed> => {
    const fileSupply = await files.licenses(signal);
    supplied = observeSupplies(fileSupply ?? [], flexnet, host.now());
    const output = await server.read(lmstatArguments(settings, '-a'), signal);
    const { at, exitCode: code, stderr } = output;
    const report = await runSliced(parseLmstat(textOf(output), lmstatContext(flexnet, memory, at)));
    // a server that does not answer would hold up lmstat -i too
    const inventory = report.features.length === 0 ? undefined : await files.inventory(signal);
    const options = await files.options(signal);
    const beside = { inventory, fileSupply, options, memory, settings: flexnet };
    const input = { report, ...beside, output: { at, isCommand, exit: { code, stderr } } };
    const parsed = await runSliced(observeFlexnet(input));
    if (parsed.unattributed === 0) return parsed;
    const running = report.daemons.flatMap(({ name, up }) => (up ? [name] : []));
    const served = await files.served(running, signal);
    return served === undefined ? parsed : await runSliced(observeFlexnet({ ...input, served }));
  };

  return {
    read: async (signal) => {
      if (transport === undefined) {
        supplied = observeSupplies((await files.licenses(signal)) ?? [], flexnet, host.now());
        const [problem] = files.problems();
        if (supplied.length === 0) throw filesFailure(problem, licenseFiles);
        const diagnostics = { unparsed: 0, masks: [], contradictions: 0 };
        return {
          vendorLicenses: supplied,
          problems: files.problems(),
          members: [],
          referenceTime: undefined,
          diagnostics,
        };
      }
      const parsed = await ask(transport, signal);
      memory = parsed.memory;
      const denied = await denials?.take();
      denied?.confirm();
      return {
        ...parsed,
        vendorLicenses: parsed.vendorLicenses.map((one) => withDenials(one, denied?.of(one.daemon))),
        problems: [
          ...parsed.problems,
          ...files.problems(),
          ...strangeDaemons(settings, parsed),
          ...problemsOf(denials),
        ],
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
      await Promise.all([transport?.close(), files.close(), denials?.stop()]);
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
