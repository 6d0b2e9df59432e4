import { describe, expect, it } from 'vitest';
import { createNtlmAcceptor, type LogonVerdict, type NtlmAcceptor } from '../../src/analyzer/ntlm-acceptor.ts';
import { authenticate } from '../../src/ntlm/client-codec.ts';
import { negotiate, ntHash } from '../../src/ntlm/primitives.ts';
import { account } from '../harness.ts';

/** The acceptor on a clock of its own; over HTTP it is tested with the server. */
function acceptorOf(now: () => number): { acceptor: NtlmAcceptor; verdicts: LogonVerdict[] } {
  const verdicts: LogonVerdict[] = [];
  const acceptor = createNtlmAcceptor({
    lookup: (user) => (user.toLowerCase() === account.username ? ntHash(account.password) : undefined),
    target: { domain: 'CORP', computer: 'A', dnsDomain: 'corp.invalid', dnsComputer: 'a.corp.invalid' },
    now,
    onVerdict: (verdict) => verdicts.push(verdict),
  });
  return { acceptor, verdicts };
}

const begin = (acceptor: NtlmAcceptor, socket: object): string => {
  const first = negotiate();
  const offered = acceptor.authenticate({ socket, authorization: `NTLM ${first.toString('base64')}` });
  if (offered.ok) throw new Error('accepted without a password');
  const challenge = Buffer.from(offered.challenge.replace('NTLM ', ''), 'base64');
  return `NTLM ${authenticate(challenge, account, { negotiate: first, host: 'a' }).toString('base64')}`;
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
});
