import { z } from 'zod';
import { recordOf } from '../../../base/settings/structures.ts';
import { isNot, text } from '../../../base/settings/values.ts';
import type { OwnSettings } from '../manager.ts';
import type { LogSettings } from '../source-settings.ts';

/** Files beside the output of rlmstat. */
export interface RlmOwn {
  /** By ISV server. */
  readonly reportLogs: Readonly<Record<string, LogSettings>>;
}

/** As it is written. */
interface RlmEntry {
  readonly reportLogs?: Readonly<Record<string, string>>;
}

const mapped = <A, B>(record: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));

/** The settings that only RLM has. */
export const ownSettings: OwnSettings<RlmEntry, RlmOwn> = {
  keys: {
    report_logs: recordOf(z.string(), text, isNot('a map of ISV servers and files'), 'is not a valid name').describe(
      'RLM report log of each ISV server. They give denials.',
    ),
  },
  inFolder: ({ reportLogs, ...others }, absolute) => ({
    ...others,
    ...(reportLogs && { reportLogs: mapped(reportLogs, absolute) }),
  }),
  complete: ({ reportLogs = {} }, timeZone) => ({
    reportLogs: mapped(reportLogs, (path) => ({ path, timeZone, encoding: undefined })),
  }),
  files: ({ reportLogs }) => Object.values(reportLogs).map(({ path }) => ['report_logs', path] as const),
};
