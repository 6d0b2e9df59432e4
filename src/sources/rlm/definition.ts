import { defineManager, type ManagerDefinition, noOwnSettings } from '../manager.ts';

/** RLM of Reprise Software. */
export const rlm: ManagerDefinition = defineManager({
  how: '`rlmutil rlmstat -a`',
  alsoCalled: /^(?:reprise|rlm)/,
  answers: {
    usage: 'yes; available only without reservations',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'total only',
    usedReserve: 'none',
    queue: 'none',
    borrowed: 'none',
    denials: 'none',
    versions: 'yes',
    expiry: 'yes',
    tokens: 'none',
    applications: 'none',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: ({ length }) =>
    length > 0 ? undefined : { message: 'servers is required, for example "servers: [27000@host]"', isOfList: false },
  namesDaemons: ({ daemons }) => daemons.length > 0,
  code: async () => (await import('./code.ts')).rlmCode,
});
