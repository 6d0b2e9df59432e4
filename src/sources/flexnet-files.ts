import type { LicenseSupply, OptionsReserve } from '../managers/flexnet/inventory.ts';
import { parseLicenceFile } from '../managers/flexnet/licence-file.ts';
import { parseLmstatInventory } from '../managers/flexnet/lmstat-inventory.ts';
import { type OptionsFile, parseOptionsFile } from '../managers/flexnet/options-file.ts';
import type { LocalTime } from '../model/local-time.ts';
import type { SourceProblem } from '../observation/source-failure.ts';
import { runSliced } from '../scheduling/slices.ts';
import { createFileTransport } from './file-transport.ts';
import { LastGood } from './last-good.ts';
import { textOf } from './output-text.ts';
import type { SourceSettings } from './settings.ts';
import type { Transport } from './transport.ts';
import type { TransportHost } from './transport-host.ts';

/** What FlexNet knows beside `lmstat -a`: license files, `lmstat -i`, and options files. */
export interface FlexnetFiles {
  /** What could be read. A file that cannot be read keeps what it said, for 7 days. */
  read(signal: AbortSignal): Promise<{
    /** Undefined if neither license files nor `lmstat -i` could be read. */
    readonly supplies: readonly LicenseSupply[] | undefined;
    /** By daemon, for those whose options file could be read. */
    readonly options: ReadonlyMap<string, OptionsFile>;
    readonly problems: readonly SourceProblem[];
  }>;
  close(): Promise<void>;
}

const HOUR = 3600;
const MAX_AGE = 7 * 24 * HOUR;
/** Files are small, and may be changed at any time. */
const FILE_INTERVAL = 0;

/** @param inventory runs `lmstat -i`; undefined if it cannot be run */
export function createFlexnetFiles(
  settings: SourceSettings,
  localTime: LocalTime,
  inventory: Transport | undefined,
  host: TransportHost,
): FlexnetFiles {
  const { name: label, timeout, maxOutput, encoding, licenseFiles, optionsFiles, servers } = settings;
  const { now } = host;
  const transports: Transport[] = [];

  const fileOf = <T>(file: string, parse: (text: string) => T): LastGood<T> => {
    const via = { kind: 'file', file, maxAge: Number.POSITIVE_INFINITY } as const;
    const transport = createFileTransport({ ...via, label, timeout, maxOutput, encoding }, host);
    transports.push(transport);
    const read = async (signal: AbortSignal): Promise<T> => parse((await transport.read([], signal)).stdout);
    return new LastGood(read, { interval: FILE_INTERVAL, maxAge: MAX_AGE, now });
  };

  const supplies = licenseFiles.map((file) =>
    fileOf(file, (text) => parseLicenceFile(text, { now: now(), localTime }).supplies),
  );
  if (licenseFiles.length === 0 && inventory !== undefined) {
    const read = async (signal: AbortSignal): Promise<readonly LicenseSupply[]> => {
      const output = await inventory.read(['lmstat', '-i', '-c', servers.join(',')], signal);
      return (await runSliced(parseLmstatInventory(textOf(output), { localTime }))).supplies;
    };
    supplies.push(new LastGood(read, { interval: HOUR, maxAge: MAX_AGE, now }));
  }
  const options = Object.entries(optionsFiles).map(
    ([daemon, file]) => [daemon, fileOf(file, (text) => parseOptionsFile(text, daemon))] as const,
  );

  return {
    read: async (signal) => {
      const found = await Promise.all(supplies.map((supply) => supply.get(signal)));
      const known = found.filter((one) => one !== undefined);
      const read = new Map<string, OptionsFile>();
      for (const [daemon, file] of options) {
        const one = await file.get(signal);
        if (one !== undefined) read.set(daemon, one);
      }
      const problems = [...supplies, ...options.map(([, file]) => file)].flatMap(({ problem }) => problem ?? []);
      // part of the files would look like fewer licenses
      const isComplete = known.length === found.length && found.length > 0;
      return { supplies: isComplete ? known.flat() : undefined, options: read, problems };
    },
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
