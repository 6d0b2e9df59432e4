import { BlockList } from 'node:net';
import { type AddressRange, CLIENT_CERTIFICATE, type TrustedProxy } from '../model/trusted-proxy.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { WebConfig } from './web-config.ts';

/** The proxy that may name users, with what its settings need from each other. */

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
export function trustedProxyOf(settings: ConfigSettings, access: WebConfig | undefined): TrustedProxy | undefined {
  const from = settings.value(FROM) ?? [];
  checkHeaders(settings, from.length > 0);
  for (const [i, client] of from.entries()) {
    if (client !== CLIENT_CERTIFICATE) {
      if (!hasLoopback(client)) continue;
      settings.warnings.add(
        `${FROM}[${i}] has a loopback address: every process on this host can name any user; let the proxy use client_certificate if other people use this host`,
      );
    } else if (access?.tls?.clientCa === undefined && !settings.isInvalid('web.config_file')) {
      settings.refuse(FROM, `${client} needs client_ca_file and client_auth_type in the file of web.config_file`, [i]);
    }
  }
  const userHeader = settings.value(USER);
  if (from.length === 0 || userHeader === undefined) return undefined;
  return { from, userHeader, groupsHeader: settings.value(GROUPS) };
}
