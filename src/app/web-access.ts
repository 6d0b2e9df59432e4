import type { Config } from '../config/config.ts';
import { hasChanged, readWebConfig, type WebConfig } from '../config/web-config.ts';
import type { Log } from '../model/log.ts';
import { type Access, openAccess } from '../web/access.ts';

/** The access that a web config grants, kept up to date: certificates are renewed, users are added and removed. */

export interface WebAccess {
  current(): Access;
  /** Takes another configuration over. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** How often the files are checked for changes, milliseconds. */
const LOOK_MS = 1_000;
const RELOAD = 'reload the configuration (SIGHUP) if that is meant';

function toAccess(web: WebConfig | undefined): Access {
  if (web === undefined) return openAccess;
  const { tls, users, headers } = web;
  return { users, headers, tls: tls === undefined ? undefined : { ...tls, key: tls.key.reveal() } };
}

/** What a listener decides when it is made. */
const handshakeOf = (web: WebConfig | undefined): string =>
  JSON.stringify([web?.tls?.clientAuth, web?.tls?.minVersion, web?.tls?.maxVersion]);

/** @param onChange called when `current` has changed */
export function createWebAccess(initial: Config, log: Log, onChange: () => void): WebAccess {
  let { configFile, access: web } = initial.web;
  let current = toAccess(web);
  let refused = '';
  let timer: NodeJS.Timeout | undefined;

  const take = (next: WebConfig | undefined): void => {
    if (handshakeOf(next) !== handshakeOf(web)) {
      log.warn(
        {},
        'whether there is TLS, client_auth_type and TLS versions of the web config need a restart to change',
      );
    }
    web = next;
    refused = '';
    current = toAccess(next);
    onChange();
  };

  const look = (): void => {
    if (configFile === undefined || web === undefined || !hasChanged(web)) return;
    try {
      const next = readWebConfig(configFile);
      // a file that is just being written may be empty for a moment, and must not open the door
      if (web.users.size > 0 && next.users.size === 0)
        throw new Error(`${configFile} names no users any more; ${RELOAD}`);
      take(next);
      for (const warning of next.warnings) log.warn({}, warning);
      log.info({}, 'web config reloaded');
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== refused) log.error({ reason }, 'web config not reloaded, the old one stays');
      refused = reason;
    }
  };

  return {
    current: () => current,
    reload: (config) => {
      configFile = config.web.configFile;
      take(config.web.access);
    },
    start: () => {
      timer = setInterval(look, LOOK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

/** Why names of users are not served, or undefined where they are. */
export function refusalOfUsers(
  users: boolean | 'auto',
  listen: Config['web']['listen'],
  access: Access,
): string | undefined {
  if (users === true) return undefined;
  if (users === false) return 'names of users are not served here: datasource.users is false';
  if (access.users.size > 0 || listen.every(({ host }) => isLoopback(host))) return undefined;
  return (
    'names of users are personal and not served to everybody: give web.config_file users (basic_auth_users), or set ' +
    'datasource.users to true'
  );
}
