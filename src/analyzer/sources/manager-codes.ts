import type { ManagerCode } from './manager.ts';
import { type Manager, managerNames, managers } from './managers.ts';

/** The code of all license managers. Only what reads their texts imports this. */
export const managerCodes = Object.fromEntries(
  await Promise.all(managerNames.map(async (name) => [name, await managers[name].code()] as const)),
) as Readonly<Record<Manager, ManagerCode>>;
