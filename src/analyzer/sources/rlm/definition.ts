import { defineManager, type ManagerDefinition, serversRequired } from '../manager.ts';
import { ownSettings } from './own-settings.ts';

/** RLM of Reprise Software. */
export const rlm: ManagerDefinition = defineManager({
  how: '`rlmutil rlmstat -a`, report logs',
  triedOn: 'public texts of both',
  alsoCalled: /^(?:reprise|rlm)/,
  answers: {
    down: 'yes',
    redundancy: '`servers` in order',
    usage: 'yes; available only without reservations',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'total only',
    usedReserve: 'none',
    queue: 'none',
    borrowed: 'none',
    denials: 'with `report_logs`',
    denialCauses: 'with `report_logs`',
    people: 'with `report_logs`',
    versions: 'yes',
    expiry: 'yes',
    tokens: 'none',
    applications: 'none',
  },
  settings: ownSettings,
  needsVia: () => true,
  serversProblem: serversRequired('5053@host'),
  namesDaemons: ({ daemons }) => daemons.length > 0,
  code: async () => (await import('./code.ts')).rlmCode,
});
