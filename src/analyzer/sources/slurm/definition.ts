import { defineManager, type ManagerDefinition, noOwnSettings, serversRequired } from '../manager.ts';

/** The licenses that the scheduler Slurm gives to jobs. */
export const slurm: ManagerDefinition = defineManager({
  how: '`scontrol show licenses`',
  triedOn: 'a real controller, Slurm 22.05',
  alsoCalled: /^(?:slurm|scontrol)/,
  answers: {
    down: 'yes',
    redundancy: 'none; the tool finds the controller',
    usage: 'yes; available only without reservations',
    users: 'none',
    since: 'none',
    unusedReserve: 'total only',
    usedReserve: 'none',
    queue: 'none',
    borrowed: 'none',
    denials: 'none',
    denialCauses: 'none',
    people: 'none',
    versions: 'none',
    expiry: 'none',
    tokens: 'none',
    applications: 'none',
  },
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: serversRequired('6817@host'),
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).slurmCode,
});
