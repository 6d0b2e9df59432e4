import { defineManager, type ManagerDefinition } from '../manager.ts';
import { ownSettings } from './own-settings.ts';

const reported = 'as reported';

/** Another analyzer of the Query API. */
export const queryApi: ManagerDefinition = defineManager({
  how: 'another analyzer of the Query API',
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
    people: 'none',
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
