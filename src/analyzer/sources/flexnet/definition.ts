import { defineManager, type ManagerDefinition } from '../manager.ts';
import { ownSettings } from './own-settings.ts';

function serversProblem({ length }: readonly string[]): { message: string; isOfList: boolean } | undefined {
  if (length === 0) return { message: 'servers is required, for example "servers: [27000@host]"', isOfList: false };
  if (length === 2) {
    const message = 'a redundant group has three servers; make independent servers independent sources';
    return { message, isOfList: true };
  }
  return length > 3 ? { message: 'a redundant group has three servers', isOfList: true } : undefined;
}

/** FlexNet Publisher, formerly FLEXlm. */
export const flexnet: ManagerDefinition = defineManager({
  how: '`lmutil lmstat -a`, `lmstat -i`, license files, options files, debug logs',
  triedOn: 'public texts of all of these, `lmstat` of 11.7 to 11.19',
  alsoCalled: /^(?:flex|lm(?:grd|util|stat|admin|tools)$)/,
  answers: {
    down: 'yes',
    redundancy: 'yes, of a redundant group',
    usage: 'yes',
    users: 'yes',
    since: 'yes',
    unusedReserve: 'yes',
    usedReserve: 'with `options_files`',
    queue: 'from the first one that was ever listed',
    borrowed: 'by their linger time, and `BORROW` in `license_files`',
    denials: 'with `debug_log`',
    denialCauses: 'with `debug_log`',
    people: 'with `debug_log`',
    versions: 'with `license_files` or `lmstat -i` that fit the number issued; else all are one',
    expiry: 'with `license_files`, `lmstat -i`, or of licenses in use',
    tokens: 'none',
    applications: 'none',
  },
  settings: ownSettings,
  needsVia: ({ licenseFiles }) => licenseFiles === undefined,
  serversProblem,
  namesDaemons: ({ daemons, licenseFiles }) => daemons.length + licenseFiles.length > 0,
  code: async () => (await import('./code.ts')).flexnetCode,
});
