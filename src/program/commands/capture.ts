import type { SourceConfig } from '../../analyzer/sources/source-settings.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { suggest } from '../../base/settings/names.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { writeCapture } from './capture/capture-file.ts';
import { captureSource } from './capture/capture-source.ts';
import type { CommandContext } from './command.ts';

/** What the user should know before the capture is sent. */
const REMARKS = [
  'Check this file before you send it.',
  'Replaced: every word that is not one of the license manager: users (u01), hosts (h01), servers (s01), features (f01), vendor',
  'daemons (d01), others (w01); IP and MAC addresses; numbers of more than two digits that are not a number of licenses.',
  'Not replaced: words of the license manager, versions, numbers of licenses, dates, times, error codes.',
];

function sourceNamed(name: string, { embeddedAnalyzer: { sources } }: Config): SourceConfig {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = sources.map((one) => one.name);
  if (names.length === 0)
    throw new OperatorError('no source is configured: declare license managers in embedded_analyzer.sources');
  throw new OperatorError(`no source has the name ${name}${suggest(name, names)}; there are ${names.join(', ')}`);
}

/** Prints what a source prints, without names. Returns 0 if all of it could be read and something was recognized, else 1. */
export async function capture({ line, env, createLog, print, stop }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  const source = sourceNamed(line.argument, config);
  const log = createLog(config.log);
  const { problems, isRecognized, ...captured } = await captureSource(config, source, { log, signal: stop });
  for (const { kind, message } of problems) log.error({ source: source.name, kind, reason: message }, 'not read');
  if (!isRecognized) {
    const reason = `nothing of it is an output of ${source.manager}; check the manager and via of the source`;
    log.error({ source: source.name, reason }, 'not recognized');
  }
  print(writeCapture(captured, REMARKS));
  return problems.length === 0 && isRecognized ? 0 : 1;
}
