import { describe, expect, it } from 'vitest';
import { problemText } from '../../../src/program/config/problems.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { createConfig } from '../../support/harness.ts';

const load = (settings: Partial<Record<SettingKey, unknown>>) =>
  createConfig('http://127.0.0.1:1/analyzer', { 'web.trusted_proxy.user_header': 'X-User', ...settings });
const FROM = 'web.trusted_proxy.from';

describe('a trusted proxy', () => {
  it('is an address, or a range', () => {
    const { trustedProxy } = load({ [FROM]: '10.0.0.5, 10.1.0.0/28,fd00::7,FD00::/64' }).web;
    expect(trustedProxy).toEqual({
      from: [
        { address: '10.0.0.5', prefix: 32, family: 'ipv4' },
        { address: '10.1.0.0', prefix: 28, family: 'ipv4' },
        { address: 'fd00::7', prefix: 128, family: 'ipv6' },
        { address: 'FD00::', prefix: 64, family: 'ipv6' },
      ],
      userHeader: 'X-User',
      groupsHeader: undefined,
    });
  });

  it.each(['127.0.0.1', '127.0.1.1', '127.0.0.0/8', '126.0.0.0/7', '::1', '::/8'])(
    'on loopback, as with %s, is warned of',
    (from) => {
      const named = (index: number) =>
        `${FROM}[${index}] has a loopback address: every process on this host can name any user; let the proxy use client_certificate if other people use this host`;
      const url = { 'web.external_url': 'https://licenses.example.com' };
      expect(load({ [FROM]: from, ...url }).warnings).toEqual([named(0)]);
      expect(load({ [FROM]: `10.0.0.1,${from},fd00::/8`, ...url }).warnings).toEqual([named(1)]);
      expect(load({ [FROM]: from }).warnings).toEqual([
        named(0),
        `${FROM}[0] is on this host, and web.external_url is not set: what a proxy sends with the Host header of its clients is refused with 403, unless it is an address or the name of this host; set web.external_url to the address that people use`,
      ]);
    },
  );
});

describe('entries of the lists', () => {
  const lists = { 'access.names': 'ada,group:staff,*', 'access.prices': 'group:buyers' };

  it('are users and groups of the proxy', () => {
    const proxy = { [FROM]: '10.0.0.1', 'web.trusted_proxy.groups_header': 'X-Groups' };
    expect(load({ ...lists, ...proxy }).withoutEffect).toEqual([]);
  });

  it('that nobody can be are warned of', () => {
    const noGroups = 'is a group, and no proxy names groups: set web.trusted_proxy.groups_header';
    expect(load({ ...lists, [FROM]: '10.0.0.1' }).withoutEffect.map(problemText)).toEqual([
      `--access.names: access.names[1]: ${noGroups}`,
      `--access.prices: access.prices[0]: ${noGroups}`,
    ]);
  });
});
