import { hostname } from 'node:os';
import type { Log } from '../../base/model/log.ts';
import { type Access, openAccess } from '../../site/web/access.ts';
import type { Config } from './config.ts';
import { hasChanged, readWebConfig, type WebConfig } from './web-config.ts';

/** The access defined by the configuration and the web config. It follows changes of the files: renewed certificates, added and removed users. */

/** How often the files are checked for changes, milliseconds. */
const CHECK_MS = 1_000;
const RELOAD = 'if that is intended, reload the configuration (SIGHUP)';

/** What a configuration says beside the web config. */
type Beside = Pick<Access, 'proxy' | 'names'>;

function besideOf({ trustedProxy, externalUrl, listen }: Config['web']): Beside {
  const external = externalUrl === undefined ? [] : [new URL(externalUrl).hostname];
  return { proxy: trustedProxy, names: [hostname(), ...external, ...listen.flatMap(({ host }) => host ?? [])] };
}

function toAccess(web: WebConfig | undefined, beside: Beside): Access {
  if (web === undefined) return { ...openAccess, ...beside };
  const { tls, users, headers } = web;
  return { users, headers, tls: tls === undefined ? undefined : { ...tls, key: tls.key.reveal() }, ...beside };
}

/** TLS settings that a running listener cannot change. */
const handshakeOf = (web: WebConfig | undefined): string =>
  JSON.stringify([web?.tls?.clientAuth, web?.tls?.minVersion, web?.tls?.maxVersion]);

/** Who may send requests now. The files that say it are read again when they change; one that becomes invalid changes nothing, and is logged. */
export class WebAccess {
  readonly #log: Log;
  #configFile: string | undefined;
  #web: WebConfig | undefined;
  #beside: Beside;
  #current: Access;
  #refused = '';
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  #notify = (): void => undefined;

  constructor({ web }: Config, log: Log) {
    this.#log = log;
    this.#configFile = web.configFile;
    this.#web = web.access;
    this.#beside = besideOf(web);
    this.#current = toAccess(web.access, this.#beside);
  }

  current(): Access {
    return this.#current;
  }

  /** Applies another configuration. */
  reload({ web }: Config): void {
    this.#configFile = web.configFile;
    this.#beside = besideOf(web);
    this.#take(web.access);
    this.#follow();
  }

  /** @param onChange called when `current` has changed */
  start(onChange: () => void): void {
    this.#notify = onChange;
    this.#isStarted = true;
    this.#follow();
  }

  stop(): void {
    this.#isStarted = false;
    this.#follow();
  }

  #follow(): void {
    clearInterval(this.#timer);
    if (this.#isStarted && this.#configFile !== undefined)
      this.#timer = setInterval(() => this.#reloadChanged(), CHECK_MS).unref();
  }

  #reloadChanged(): void {
    const [file, web, log] = [this.#configFile, this.#web, this.#log];
    if (file === undefined || web === undefined || !hasChanged(web)) return;
    try {
      const next = readWebConfig(file);
      // a file that is being written can be empty for a moment: that must not remove authentication
      if (web.users.size > 0 && next.users.size === 0) throw new Error(`${file} has no users any more; ${RELOAD}`);
      this.#take(next);
      for (const warning of next.warnings) log.warn({}, warning);
      log.info({}, 'web config reloaded');
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#refused) log.error({ reason }, 'web config not reloaded, the old one is kept');
      this.#refused = reason;
    }
  }

  #take(next: WebConfig | undefined): void {
    if (handshakeOf(next) !== handshakeOf(this.#web))
      this.#log.warn(
        {},
        'web config: TLS on or off, client_auth_type and the TLS versions cannot change without a restart',
      );
    this.#web = next;
    this.#refused = '';
    this.#current = toAccess(next, this.#beside);
    this.#notify();
  }
}
