import { describe, expect, it } from 'vitest';
import {
  createNtlmAcceptor,
  type LogonVerdict,
  type NtlmAcceptor,
  type NtlmAcceptorOptions,
} from '../../../src/analyzer/server/ntlm-acceptor.ts';
import { authenticate } from '../../../src/base/ntlm/client-codec.ts';
import { negotiate, ntHash } from '../../../src/base/ntlm/primitives.ts';
import { account } from '../../support/harness.ts';

/** The acceptor on a clock of its own; over HTTP it is tested with the server. */
function acceptorOf(
  now: () => number,
  options: Partial<NtlmAcceptorOptions> = {},
): { acceptor: NtlmAcceptor; verdicts: LogonVerdict[] } {
  const verdicts: LogonVerdict[] = [];
  const acceptor = createNtlmAcceptor({
    lookup: (user) => (user.toLowerCase() === account.username ? ntHash(account.password) : undefined),
    target: { domain: 'CORP', computer: 'A', dnsDomain: 'corp.invalid', dnsComputer: 'a.corp.invalid' },
    now,
    onVerdict: (verdict) => verdicts.push(verdict),
    ...options,
  });
  return { acceptor, verdicts };
}

const begin = (acceptor: NtlmAcceptor, socket: object, credentials = account): string => {
  const first = negotiate();
  const offered = acceptor.authenticate({ socket, authorization: `NTLM ${first.toString('base64')}` });
  if (offered.ok) throw new Error('accepted without a password');
  const challenge = Buffer.from(offered.challenge.replace('NTLM ', ''), 'base64');
  return `NTLM ${authenticate(challenge, credentials, { negotiate: first, host: 'a' }).toString('base64')}`;
};

describe('acceptor', () => {
  it.each([
    [60_000, true],
    [60_001, false],
  ])('%i ms after the challenge: %s', (ms, ok) => {
    let now = Date.now();
    const { acceptor, verdicts } = acceptorOf(() => now);
    const socket = {};
    const authorization = begin(acceptor, socket);
    expect(acceptor.isExpecting(socket)).toBe(true);
    now += ms;
    expect(acceptor.authenticate({ socket, authorization }).ok).toBe(ok);
    expect(acceptor.isExpecting(socket)).toBe(false);
    expect(verdicts).toEqual([ok ? expect.objectContaining({ ok }) : { ok, reason: 'expired' }]);
    // the identity stays with the connection, or not at all
    expect(acceptor.authenticate({ socket, authorization: undefined }).ok).toBe(ok);
  });

  it('sends no challenge on a connection that ends with the request', () => {
    const { acceptor } = acceptorOf(Date.now);
    const socket = {};
    const authorization = `NTLM ${negotiate().toString('base64')}`;
    expect(acceptor.authenticate({ socket, authorization, isLast: true })).toEqual({ ok: false, challenge: 'NTLM' });
    // the last leg may say that it is the last request
    expect(acceptor.authenticate({ socket, authorization: begin(acceptor, socket), isLast: true }).ok).toBe(true);
  });

  it('takes an answer once, and on its own connection only', () => {
    const { acceptor, verdicts } = acceptorOf(Date.now);
    const socket = {};
    const authorization = begin(acceptor, socket);
    expect(acceptor.authenticate({ socket: {}, authorization }).ok).toBe(false);
    expect(acceptor.authenticate({ socket, authorization }).ok).toBe(true);
    expect(acceptor.authenticate({ socket, authorization }).ok).toBe(false);
    expect(verdicts.map(({ reason }) => reason)).toEqual(['no-context', undefined, 'no-context']);
    // the second one ended the first logon
    expect(acceptor.authenticate({ socket, authorization: undefined }).ok).toBe(false);
  });

  it('reports the domain of the account, not the one that the client sends', () => {
    const { acceptor } = acceptorOf(Date.now);
    for (const domain of ['', 'CORP', 'ELSEWHERE', 'CORP\\admin']) {
      const socket = {};
      const authorization = begin(acceptor, socket, { ...account, domain });
      const identity = { domain: 'CORP', user: account.username };
      expect(acceptor.authenticate({ socket, authorization })).toEqual({ ok: true, identity });
    }
  });

  it('counts no message without a user, and does not check the password of a throttled one', () => {
    const calls: unknown[] = [];
    let lookups = 0;
    const record = (what: string) => (user: string, address: string) => void calls.push([what, user, address]);
    const throttle = {
      wait: (user: string) => (user === 'held' ? 1001 : 0),
      failed: record('failed'),
      succeeded: record('succeeded'),
    };
    const lookup = (): Buffer => {
      lookups += 1;
      return ntHash(account.password);
    };
    const { acceptor } = acceptorOf(Date.now, { throttle, lookup });
    const logOn = (change: Partial<typeof account>, corrupt = (text: string): string => text) => {
      const socket = {};
      const authorization = corrupt(begin(acceptor, socket, { ...account, ...change }));
      return acceptor.authenticate({ socket, authorization, address: '192.0.2.1' });
    };
    expect(logOn({}).ok).toBe(true);
    expect(logOn({ password: 'wrong' }).ok).toBe(false);
    expect(calls).toEqual([
      ['succeeded', 'svc-lic', '192.0.2.1'],
      ['failed', 'svc-lic', '192.0.2.1'],
    ]);
    expect(logOn({ username: '' })).toEqual({ ok: false, challenge: 'NTLM' });
    expect(logOn({}, (text) => text.slice(0, 60))).toEqual({ ok: false, challenge: 'NTLM' });
    expect(logOn({ username: 'held' })).toEqual({ ok: false, challenge: 'NTLM', retryAfter: 2 });
    expect([calls.length, lookups]).toEqual([2, 2]);
  });
});
