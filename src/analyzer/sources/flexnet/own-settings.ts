import { z } from 'zod';
import { type Camelized, camelized } from '../../../base/settings/camel.ts';
import { listOf, mapOf, oneOrMoreMaps, recordOf } from '../../../base/settings/structures.ts';
import { isNot, text, timeZone } from '../../../base/settings/values.ts';
import type { OwnSettings } from '../manager.ts';
import type { LogSettings, SourceSettings } from '../source-settings.ts';
import { createSourceTime, type SourceTime } from '../times.ts';

/** What the configuration of a source says of its output. The first server names the vendor licenses. */
export interface FlexnetSettings
  extends Pick<SourceSettings, 'servers' | 'part' | 'daemons' | 'borrow' | 'users' | 'features'> {
  /** Calendar of the zone in which the output has its times. */
  readonly localTime: SourceTime;
}

/** What reading FlexNet needs of the settings of a source. */
export const flexnetSettings = (settings: Omit<SourceSettings, 'via'>): FlexnetSettings => ({
  ...settings,
  localTime: createSourceTime(settings.timeZone, settings.calendarZone),
});

/** Files beside the output of lmstat. */
export interface FlexnetOwn {
  readonly licenseFiles: readonly string[];
  /** By daemon. */
  readonly optionsFiles: Readonly<Record<string, string>>;
  readonly debugLogs: readonly LogSettings[];
}

const keys = {
  license_files: listOf(text).describe('FlexNet license files. They give versions, capacity and expiry.'),
  options_files: recordOf(z.string(), text, isNot('a map of vendor daemons and files'), 'is not a valid name').describe(
    'FlexNet options file of each vendor daemon. They give reservations.',
  ),
  debug_log: oneOrMoreMaps(
    mapOf({ path: text, time_zone: timeZone.optional(), encoding: text.optional() }).transform(camelized),
  ).describe(
    'FlexNet debug log: `path`, and optionally `time_zone` and `encoding`; or a list of them. They give denials.',
  ),
};

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
    ...(debugLog && { debugLog: debugLog.map(({ path, ...log }) => ({ ...log, path: absolute(path) })) }),
  }),
  complete: ({ licenseFiles = [], optionsFiles = {}, debugLog = [] }, analyzerZone) => ({
    licenseFiles,
    optionsFiles,
    debugLogs: debugLog.map(({ path, timeZone: zone = analyzerZone, encoding }) => ({
      path,
      timeZone: zone,
      encoding,
    })),
  }),
  files: ({ licenseFiles, optionsFiles, debugLogs }) => [
    ...licenseFiles.map((file) => ['license_files', file] as const),
    ...Object.values(optionsFiles).map((file) => ['options_files', file] as const),
    ...debugLogs.map(({ path }) => ['debug_log.path', path] as const),
  ],
};
