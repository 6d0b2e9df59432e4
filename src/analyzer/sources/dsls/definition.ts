import { defineManager, type ManagerDefinition, noOwnSettings, serversRequired } from '../manager.ts';

/** The license server of Dassault Systèmes, DSLS. */
export const dsls: ManagerDefinition = defineManager({
  how: '`DSLicSrv -admin`, `getLicenseUsage -csv`',
  triedOn: 'public texts of DSLS 6.419 to 6.425',
  alsoCalled: /^(?:dassault|dslicsrv|dsls|catia)/,
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
    versions: 'yes, the release number',
    expiry: 'yes',
    tokens: 'none',
    applications: 'by the last use',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: serversRequired('4084@host'),
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).dslsCode,
});
