import { defineManager, type ManagerDefinition, noOwnSettings, serversRequired } from '../manager.ts';

/** The license server of LS-DYNA. */
export const lsdyna: ManagerDefinition = defineManager({
  how: '`lstc_qrun -R`, and `lstc_qrun` for the times',
  triedOn: 'public texts of servers of 2017 to 2024',
  alsoCalled: /^(?:ls-?dyna|lstc|lsdyna)/,
  answers: {
    down: 'yes',
    redundancy: '`servers` in order',
    usage: 'yes',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'none',
    usedReserve: 'none',
    queue: 'yes',
    borrowed: 'none',
    denials: 'none',
    denialCauses: 'none',
    people: 'none',
    versions: 'none',
    expiry: 'yes',
    tokens: 'one of the license group',
    applications: 'none',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: serversRequired('31010@host'),
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).lsdynaCode,
});
