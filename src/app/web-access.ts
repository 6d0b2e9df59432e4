import type { Config } from '../config/config.ts';
import { hasChanged, readWebConfig, type WebConfig } from '../config/web-config.ts';
import type { Log } from '../model/log.ts';
import type { TrustedProxy } from '../model/trusted-proxy.ts';
import { type Access, openAccess } from '../web/access.ts';

/** The access defined by the configuration and the web config. It follows changes of the files: renewed certificates, added and removed users. */

/** Who may send requests now. The files that say it are read again when they change. */
export interface WebAccess {
  current(): Access;
  /** Applies another configuration. */
  reload(config: Config): void;
  /** @param onChange called when `current` has changed */
  start(onChange: () => void): void;
  stop(): void;
}

/** How often the files are checked for changes, milliseconds. */
const CHECK_MS = 1_000;
const RELOAD = 'if that is intended, reload the configuration (SIGHUP)';

function toAccess(web: WebConfig | undefined, proxy: TrustedProxy | undefined): Access {
  if (web === undefined) return { ...openAccess, proxy };
  const { tls, users, headers } = web;
  return { users, headers, tls: tls === undefined ? undefined : { ...tls, key: tls.key.reveal() }, proxy };
}

/** TLS settings that a running listener cannot change. */
const handshakeOf = (web: WebConfig | undefined): string =>
  JSON.stringify([web?.tls?.clientAuth, web?.tls?.minVersion, web?.tls?.maxVersion]);

/** The access of a configuration. A file that becomes invalid changes nothing, and is logged. */
export function createWebAccess(initial: Config, log: Log): WebAccess {
  let { configFile, access: web, trustedProxy } = initial.web;
  let current = toAccess(web, trustedProxy);
  let refused = '';
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let notify = (): void => undefined;

  const take = (next: WebConfig | undefined): void => {
    if (handshakeOf(next) !== handshakeOf(web)) {
      log.warn({}, 'web config: TLS on or off, client_auth_type and the TLS versions cannot change without a restart');
    }
    web = next;
    refused = '';
    current = toAccess(next, trustedProxy);
    notify();
  };

  const reloadChanged = (): void => {
    if (configFile === undefined || web === undefined || !hasChanged(web)) return;
    try {
      const next = readWebConfig(configFile);
      // a file that is being written can be empty for a moment: that must not remove authentication
      if (web.users.size > 0 && next.users.size === 0)
        throw new Error(`${configFile} has no users any more; ${RELOAD}`);
      take(next);
      for (const warning of next.warnings) log.warn({}, warning);
      log.info({}, 'web config reloaded');
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== refused) log.error({ reason }, 'web config not reloaded, the old one is kept');
      refused = reason;
    }
  };

  const follow = (): void => {
    clearInterval(timer);
    if (isStarted && configFile !== undefined) timer = setInterval(reloadChanged, CHECK_MS).unref();
  };

  return {
    current: () => current,
    reload: (config) => {
      ({ configFile, trustedProxy } = config.web);
      take(config.web.access);
      follow();
    },
    start: (onChange) => {
      notify = onChange;
      isStarted = true;
      follow();
    },
    stop: () => {
      isStarted = false;
      follow();
    },
  };
}
