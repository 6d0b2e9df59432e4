import type { Diagnostics } from '../../../base/model/observation/source.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { isPlainName } from '../../../base/model/vendor-license.ts';
import { LastGood } from '../last-good.ts';
import { checkLogs } from '../log/denials.ts';
import type { SourceSettings } from '../source-settings.ts';
import type { SourceTime } from '../times.ts';
import { createFileTransport } from '../transport/file-transport.ts';
import { type Output, type Transport, textOf } from '../transport/transport.ts';
import type { FileHost } from '../transport/transport-host.ts';
import { readLicenseFile, readOptionsFile, remarkOn } from './configured-file.ts';
import { debugLog } from './debug-log-denials.ts';
import type { LicenseSupply } from './inventory.ts';
import { grantedBy, type LicenseFile } from './license-file.ts';
import { parseLmstat } from './lmstat.ts';
import { parseLmstatInventory } from './lmstat-inventory.ts';
import type { OptionsFile } from './options-file.ts';
import { type FlexnetOwn, flexnetSettings } from './own-settings.ts';
import type { FeatureDaemon } from './which-daemon.ts';

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

const tooMany = (files: readonly string[]): SourceProblem => ({
  kind: 'unparsed',
  message: `${files.join(', ')} grant more licenses than are read: 100,000 of different names, versions and dates`,
  isMinor: true,
});

const HOUR = 3600;

/** What is known beside `lmstat -a` of a source. @param tool runs lmstat; undefined if the source has no command */
export function createFlexnetFiles(
  settings: SourceSettings & FlexnetOwn,
  localTime: SourceTime,
  tool: Transport | undefined,
  host: FileHost,
): FlexnetFiles {
  const { name: label, timeout, maxOutput, encoding, licenseFiles, optionsFiles } = settings;
  const { now, elapsed } = host;
  const transports: Transport[] = [];
  /** By file. */
  const diagnostics = new Map<string, Diagnostics>();
  const remarks = new Map<string, SourceProblem | undefined>();
  let isCut = false;

  const fileOf = <T>(setting: string, file: string, parse: (output: Output) => T): LastGood<T> => {
    const via = { kind: 'file', file, maxAge: Number.POSITIVE_INFINITY } as const;
    const transport = createFileTransport({ ...via, label, timeout, maxOutput, encoding }, host, setting);
    transports.push(transport);
    const read = async (signal: AbortSignal): Promise<T> => parse(await transport.read([], signal));
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

  const note = <T extends LicenseFile | OptionsFile>(file: string, output: Output, found: T): T => {
    diagnostics.set(file, found.diagnostics);
    remarks.set(file, remarkOn(file, output, found));
    return found;
  };
  const licenses = licenseFiles.map((file) =>
    fileOf('license_files', file, (output) => note(file, output, readLicenseFile(file, output, localTime))),
  );
  const options = Object.entries(optionsFiles).map(([daemon, file]) => {
    const parse = (output: Output): OptionsFile => note(file, output, readOptionsFile(file, output, daemon));
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
      ...[...licenses, ...options.map(([, file]) => file)].flatMap(({ problem }) =>
        problem === undefined ? [] : [{ ...problem, isFile: true as const }],
      ),
      ...[...remarks.values()].filter((remark) => remark !== undefined),
      ...(isCut ? [tooMany(licenseFiles)] : []),
    ],
    diagnostics: () => [...diagnostics.values()],
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

/** What is wrong with license files, options files and debug logs. */
export async function checkFlexnetFiles(
  settings: SourceSettings & FlexnetOwn,
  host: FileHost,
): Promise<readonly SourceProblem[]> {
  const files = createFlexnetFiles(settings, flexnetSettings(settings).localTime, undefined, host);
  const { signal } = new AbortController();
  await Promise.all([files.licenses(signal), files.options(signal)]);
  const logs = await checkLogs(
    settings.debugLogs.map((log) => [debugLog, log]),
    host,
  );
  await files.close();
  return [...files.problems(), ...logs];
}
