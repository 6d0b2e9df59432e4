import { defineManager, type ManagerDefinition, noOwnSettings, serversRequired } from '../manager.ts';

/** LM-X of X-Formation, and the license manager of Altair, which is made of it. */
export const lmx: ManagerDefinition = defineManager({
  how: '`lmxendutil -licstatxml`, or `almutil -licstatxml` of Altair',
  triedOn: 'public texts of servers 4.9.3 to 5.5',
  alsoCalled: /^(?:lm[-_]?x|altair|almutil|xformation)/,
  answers: {
    down: 'yes',
    redundancy: '`servers` (HAL) in order',
    usage: 'yes',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'none',
    usedReserve: 'none',
    queue: 'none',
    borrowed: 'yes',
    denials: 'since version 5, by a counter',
    denialCauses: 'none',
    people: 'none',
    versions: 'yes',
    expiry: 'yes',
    tokens: 'none',
    applications: 'none',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: serversRequired('6200@host'),
  namesDaemons: ({ daemons }) => daemons.length > 0,
  code: async () => (await import('./code.ts')).lmxCode,
});
