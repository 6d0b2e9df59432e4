import { defineManager, type ManagerDefinition, noOwnSettings, serversRequired } from '../manager.ts';

/** Sentinel RMS of Thales, which AVEVA, CSI and others use. */
export const rms: ManagerDefinition = defineManager({
  how: '`lsmon`',
  triedOn: 'public texts of RMS 9.1',
  alsoCalled: /^(?:sentinel|rms|lsmon|lserv|safenet|thales)/,
  answers: {
    down: 'yes',
    redundancy: '`servers` in order',
    usage: 'yes',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'yes',
    usedReserve: 'yes',
    queue: 'where the server lists it',
    borrowed: 'yes, commuter tokens',
    denials: 'none',
    denialCauses: 'none',
    people: 'none',
    versions: 'yes',
    expiry: 'yes',
    tokens: 'none',
    applications: 'none',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: serversRequired('5093@host'),
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).rmsCode,
});
