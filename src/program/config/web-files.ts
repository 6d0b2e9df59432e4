import { randomBytes } from 'node:crypto';
import { BlockList } from 'node:net';
import { type AddressRange, CLIENT_CERTIFICATE, type TrustedProxy } from '../../base/settings/addresses.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { Config } from './config.ts';
import type { ConfigSettings } from './config-settings.ts';
import { ConfigError } from './problems.ts';
import { readWebConfig, type WebConfig } from './web-config.ts';

/** The HTTP server and its routes for Grafana, with the content of their files, and the proxy that may name users. */

const SECTION = 'web.trusted_proxy';
const FROM = `${SECTION}.from` as const;
const USER = `${SECTION}.user_header` as const;
const GROUPS = `${SECTION}.groups_header` as const;

const LOOPBACK = { ipv4: '127.0.0.1', ipv6: '::1' } as const;

function hasLoopback({ address, prefix, family }: AddressRange): boolean {
  const range = new BlockList();
  range.addSubnet(address, prefix, family);
  return range.check(LOOPBACK[family], family) || (family === 'ipv4' && address.startsWith('127.'));
}

function checkHeaders(settings: ConfigSettings, isOn: boolean): void {
  const [user, groups] = [settings.value(USER), settings.value(GROUPS)];
  if (isOn && user === undefined)
    settings.reportMissing(USER, settings.rawSetting(FROM)?.where([]), `is required with ${FROM}`);
  if (!isOn && !settings.isInvalid(FROM)) {
    for (const key of [USER, GROUPS] as const) {
      if (settings.value(key) !== undefined) settings.refuse(key, `has no effect without ${FROM}`);
    }
  }
  if (isOn && user !== undefined && user.toLowerCase() === groups?.toLowerCase()) {
    settings.refuse(GROUPS, 'is the header of the user too; the groups need a header of their own');
  }
}

/** @param access the web config. @returns `undefined` if no proxy is trusted */
function trustedProxyOf(settings: ConfigSettings, access: WebConfig | undefined): TrustedProxy | undefined {
  const from = settings.value(FROM) ?? [];
  checkHeaders(settings, from.length > 0);
  for (const [i, client] of from.entries()) {
    if (client !== CLIENT_CERTIFICATE) {
      if (!hasLoopback(client)) continue;
      settings.warnings.add(
        `${FROM}[${i}] has a loopback address: every process on this host can name any user; let the proxy use client_certificate if other people use this host`,
      );
      if (settings.value('web.external_url') === undefined)
        settings.warnings.add(
          `${FROM}[${i}] is on this host, and web.external_url is not set: what a proxy sends with the Host header of its clients is refused with 403, unless it is an address or the name of this host; set web.external_url to the address that people use`,
        );
    } else if (access?.tls?.clientCa === undefined && !settings.isInvalid('web.config_file')) {
      settings.refuse(FROM, `${client} needs client_ca_file and client_auth_type in the file of web.config_file`, [i]);
    }
  }
  const userHeader = settings.value(USER);
  if (from.length === 0 || userHeader === undefined) return undefined;
  return { from, userHeader, groupsHeader: settings.value(GROUPS) };
}

/** Bytes of a generated key. */
const KEY_BYTES = 32;
/** Minimum length of a configured key, characters. */
const MIN_KEY = 16;

/** The configuration of the HTTP server. */
export function webOf(settings: ConfigSettings): Config['web'] {
  const { listenAddress, configFile: _, trustedProxy: __, ...section } = settings.section('web');
  const web = webConfigOf(settings);
  return { ...section, ...web, listen: listenAddress, trustedProxy: trustedProxyOf(settings, web.access) };
}

function webConfigOf(settings: ConfigSettings): Pick<Config['web'], 'configFile' | 'access'> {
  const configFile = settings.pathOf('web.config_file');
  // `readFile` reports a missing file with the line that names it
  if (configFile === undefined || settings.readFile(settings.reference('web.config_file')) === undefined) {
    return { configFile, access: undefined };
  }
  try {
    const access = readWebConfig(configFile);
    for (const warning of access.warnings) settings.warnings.add(warning);
    return { configFile, access };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    settings.problems.push(...error.problems);
    return { configFile, access: undefined };
  }
}

/** The configuration of the routes for Grafana. @param timeZone of the analyzer that is read */
export function datasourceOf(settings: ConfigSettings, timeZone: string): Config['datasource'] {
  const { pseudonymise, pseudonymKeyFile: _, ...section } = settings.section('datasource');
  return { ...section, timeZone, pseudonymKey: pseudonymise ? pseudonymKeyOf(settings) : undefined };
}

function pseudonymKeyOf(settings: ConfigSettings): Secret | undefined {
  const key = 'datasource.pseudonym_key_file';
  const file = settings.pathOf(key);
  if (file === undefined) {
    settings.warnings.add('without datasource.pseudonym_key_file the pseudonyms of users change at every start');
    return new Secret(randomBytes(KEY_BYTES).toString('hex'));
  }
  const text = settings.readSecretFile(settings.reference(key))?.trim();
  if (text !== undefined && text.length < MIN_KEY) settings.refuse(key, `${file} has fewer than ${MIN_KEY} characters`);
  return new Secret(text ?? '');
}
