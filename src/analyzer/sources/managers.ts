import { dsls } from './dsls/definition.ts';
import { flexnet } from './flexnet/definition.ts';
import { json } from './json/definition.ts';
import { lmx } from './lmx/definition.ts';
import { lsdyna } from './lsdyna/definition.ts';
import type { ManagerDefinition } from './manager.ts';
import { queryApi } from './query-api/definition.ts';
import { rlm } from './rlm/definition.ts';
import { rms } from './rms/definition.ts';
import { slurm } from './slurm/definition.ts';

/** The license managers, in the order of the documentation. */
export const managers = {
  flexnet,
  rlm,
  dsls,
  lmx,
  lsdyna,
  rms,
  slurm,
  'query-api': queryApi,
  json,
} as const satisfies Record<string, ManagerDefinition>;

/** The value of `manager` in the configuration. */
export type Manager = keyof typeof managers;

/** The names of all managers, in the order of the documentation. */
export const managerNames = Object.keys(managers) as Manager[];

/** The manager with a name that the schema of the configuration has accepted. @throws Error for any other name */
export function managerNamed(name: string): Manager {
  const found = managerNames.find((one) => one === name);
  if (found === undefined) throw new Error(`no license manager is called ${name}`);
  return found;
}
