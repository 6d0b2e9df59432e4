import { captureSource } from '../app/capture.ts';
import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/embedded-sources.ts';
import { loadConfig } from '../config/load.ts';
import { OperatorError } from '../model/operator-error.ts';
import { suggest } from '../settings/names.ts';
import { writeCapture } from '../sources/capture/capture-file.ts';
import type { CommandContext } from './command.ts';

/** What the user should know before the capture is sent. */
const REMARKS = [
  'Check this file before you send it.',
  'Replaced: names of users (u01), hosts (h01), servers (s01), groups (g01), displays (x01), domains (n01) and all other words',
  'that are not those of the license manager (w01); IP and MAC addresses; numbers in lines that are not understood.',
  'Masked with x and 0: SIGN, host ids, keys, vendor strings, serial numbers, notices. Removed: comments.',
  'Not replaced: names of features and vendor daemons, versions, numbers of licenses, dates, times, ports, handles, error codes.',
];

const remarksOf = (replaced: number): readonly string[] =>
  replaced === 0
    ? REMARKS
    : [
        ...REMARKS,
        `${replaced} features or daemons were replaced (f01), because they contain the name of a user, host or group.`,
      ];

function sourceNamed(name: string, { embeddedAnalyzer: { sources } }: Config): SourceConfig {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = sources.map((one) => one.name);
  if (names.length === 0)
    throw new OperatorError('no source is configured: declare license managers in embedded_analyzer.sources');
  throw new OperatorError(`no source has the name ${name}${suggest(name, names)}; there are ${names.join(', ')}`);
}

/** Prints what a source prints, without names. Returns 0 if all of it could be read, else 1. */
export async function capture({ line, env, createLog, print, stop }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const source = sourceNamed(line.argument, config);
  const log = createLog(config.log);
  const { problems, replacedNames, ...captured } = await captureSource(config, source, { log, signal: stop });
  for (const { kind, message } of problems) log.error({ source: source.name, kind, reason: message }, 'not read');
  print(writeCapture(captured, remarksOf(replacedNames)));
  return problems.length === 0 ? 0 : 1;
}
