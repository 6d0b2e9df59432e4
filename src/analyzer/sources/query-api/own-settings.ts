import { isNot, text } from '../../../base/settings/values.ts';
import type { OwnSettings } from '../manager.ts';

/** What names the vendor licenses of another analyzer here. */
export interface QueryApiOwn {
  /** Before the server in their names; empty without one. */
  readonly prefix: string;
}

/** The settings that only another analyzer has. */
export const ownSettings: OwnSettings<{ readonly prefix?: string }, QueryApiOwn> = {
  keys: {
    prefix: text
      .refine((written) => /^[^;%]*$/.test(written), { error: isNot('a text without ; and %') })
      .describe('Text before the names of the vendor licenses of another analyzer, if two analyzers have equal names.'),
  },
  inFolder: (entry) => entry,
  complete: ({ prefix = '' }) => ({ prefix }),
  files: () => [],
};
