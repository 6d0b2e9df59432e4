import { z } from 'zod';
import { type Camelized, camelized } from '../../settings/camel.ts';
import { listOf, mapOf, recordOf } from '../../settings/structures.ts';
import { isNot, text, timeZone } from '../../settings/values.ts';
import type { OwnSettings } from '../manager.ts';
import type { LogSettings } from '../source-settings.ts';

/** Files beside the output of lmstat. */
export interface FlexnetOwn {
  readonly licenseFiles: readonly string[];
  /** By daemon. */
  readonly optionsFiles: Readonly<Record<string, string>>;
  readonly debugLog: LogSettings | undefined;
}

const keys = {
  license_files: listOf(text).describe('FlexNet license files. They give versions, capacity and expiry.'),
  options_files: recordOf(z.string(), text, isNot('a map of vendor daemons and files'), 'is not a valid name').describe(
    'FlexNet options file of each vendor daemon. They give reservations.',
  ),
  debug_log: mapOf({
    path: text,
    time_zone: timeZone.optional(),
    encoding: text.optional(),
  })
    .transform(camelized)
    .describe('FlexNet debug log, with `path`, and optionally `time_zone` and `encoding`. It gives denials.'),
};

/** As it is written. */
export type FlexnetEntry = Partial<Camelized<{ readonly [K in keyof typeof keys]: z.output<(typeof keys)[K]> }>>;

/** The settings that only FlexNet has. */
export const ownSettings: OwnSettings<FlexnetEntry, FlexnetOwn> = {
  keys,
  inFolder: ({ licenseFiles, optionsFiles, debugLog, ...others }, absolute) => ({
    ...others,
    ...(licenseFiles && { licenseFiles: licenseFiles.map(absolute) }),
    ...(optionsFiles && {
      optionsFiles: Object.fromEntries(Object.entries(optionsFiles).map(([daemon, file]) => [daemon, absolute(file)])),
    }),
    ...(debugLog && { debugLog: { ...debugLog, path: absolute(debugLog.path) } }),
  }),
  complete: ({ licenseFiles = [], optionsFiles = {}, debugLog }, analyzerZone) => ({
    licenseFiles,
    optionsFiles,
    debugLog: debugLog && {
      path: debugLog.path,
      timeZone: debugLog.timeZone ?? analyzerZone,
      encoding: debugLog.encoding,
    },
  }),
  files: ({ licenseFiles, optionsFiles, debugLog }) => [
    ...licenseFiles.map((file) => ['license_files', file] as const),
    ...Object.values(optionsFiles).map((file) => ['options_files', file] as const),
    ...(debugLog === undefined ? [] : [['debug_log.path', debugLog.path] as const]),
  ],
};
