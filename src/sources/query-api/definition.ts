import { isNot, text } from '../../settings/values.ts';
import { defineManager, type ManagerDefinition, type OwnSettings } from '../manager.ts';

/** What names the vendor licenses of another analyzer here. */
export interface QueryApiOwn {
  /** Before the server in their names; empty without one. */
  readonly prefix: string;
}

const ownSettings: OwnSettings<{ readonly prefix?: string }, QueryApiOwn> = {
  keys: {
    prefix: text
      .refine((written) => /^[^;%]*$/.test(written), { error: isNot('a text without ; and %') })
      .describe(
        'Text before the names of the vendor licenses of another analyzer. Needed if two analyzers have equal names.',
      ),
  },
  inFolder: (entry) => entry,
  complete: ({ prefix = '' }) => ({ prefix }),
  files: () => [],
};

const reported = 'what it reports';

/** Another analyzer of the Query API. */
export const queryApi: ManagerDefinition = defineManager({
  how: 'another analyzer of the Query API, with `via: {analyzer: …}`',
  triedOn: 'our own analyzer only',
  alsoCalled: /^(?:queryapi|analyzer|licenseanalyzer)/,
  answers: {
    down: 'yes, by its own rule',
    redundancy: 'none',
    usage: reported,
    users: 'of features in use',
    since: 'of features in use',
    unusedReserve: reported,
    usedReserve: reported,
    queue: reported,
    borrowed: reported,
    denials: 'none',
    denialCauses: 'none',
    versions: reported,
    expiry: reported,
    tokens: reported,
    applications: reported,
  },
  settings: ownSettings,
  needsVia: () => true,
  serversProblem: ({ length }) =>
    length === 0
      ? undefined
      : { message: 'belongs to other managers: the analyzer names its license servers', isOfList: true },
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).queryApiCode,
});
