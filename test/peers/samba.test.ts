import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { authenticate, type Credentials, negotiate } from '../../src/base/ntlm/client-codec.ts';
import { ntHash } from '../../src/base/ntlm/primitives.ts';
import { createChallenge, verify } from '../../src/base/ntlm/verify.ts';
import { findProgram, peer } from '../support/peers.ts';

/** Samba's helper: one line in, one line out. */
function startNtlmAuth(protocol: string, password: string, username = 'x') {
  const child = spawn(
    findProgram('ntlm_auth') ?? 'ntlm_auth',
    [
      `--helper-protocol=${protocol}`,
      `--username=${username}`,
      '--domain=CORP',
      '--workstation=LICSRV',
      `--password=${password}`,
      '--configfile=/dev/null',
    ],
    { env: { ...process.env, LC_ALL: 'C.UTF-8' }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (line: string): Promise<[string, string]> => {
      child.stdin.write(`${line}\n`);
      const { value } = await lines.next();
      const [word = '', rest = ''] = String(value).split(/ (.*)/s);
      return [word, rest];
    },
    stop: () => child.kill(),
  };
}

describe.runIf(peer('ntlm_auth'))('Samba ntlm_auth', () => {
  const logOn = async (credentials: Credentials, actual = credentials.password): Promise<[string, string]> => {
    const samba = startNtlmAuth('squid-2.5-ntlmssp', actual);
    try {
      const sent = negotiate();
      const [, challenge] = await samba.ask(`YR ${sent.toString('base64')}`);
      const answer = authenticate(Buffer.from(challenge, 'base64'), credentials, { negotiate: sent, host: 'licsrv' });
      return await samba.ask(`KK ${answer.toString('base64')}`);
    } finally {
      samba.stop();
    }
  };

  it.each([
    ['svc-lic', 'CORP', 'S3cret-pass!', 'EXPORTER'],
    ['u2', 'CORP', 'p@ss wörd', ''],
    ['svc-lic', '', 'S3cret-pass!', ''],
    ['u3', 'MY DOM', 'x', ''],
    ['u4', 'ÉCOLE', 'x', ''],
    ['jürgen', 'CORP', 'x', ''],
    ['straße', 'CORP', 'x', ''],
  ])('accepts our logon as %s of %j', async (username, domain, password, workstation) => {
    const [verdict, identity] = await logOn({ username, domain, password, workstation });
    expect(verdict).toBe('AF');
    expect(identity).toContain(username);
  });

  it('rejects our logon with another password', async () => {
    const refused = await logOn({ username: 'svc-lic', domain: 'CORP', password: 'a', workstation: '' }, 'b');
    expect(refused).toEqual(['NA', 'NT_STATUS_LOGON_FAILURE']);
  });

  it.each([
    ['S3cret-pass!', true],
    ['other', false],
  ])('as a client gets the right verdict from our server, password %s', async (password, ok) => {
    const samba = startNtlmAuth('ntlmssp-client-1', password, 'svc-lic');
    try {
      const [, sent] = await samba.ask('YR');
      const now = Date.now();
      const target = { domain: 'CORP', computer: 'SRV', dnsDomain: 'corp.invalid', dnsComputer: 'srv.corp.invalid' };
      const context = createChallenge(Buffer.from(sent, 'base64'), target, now);
      const [, answer] = await samba.ask(`TT ${context.challenge.toString('base64')}`);
      const verdict = verify(Buffer.from(answer, 'base64'), context, { lookup: () => ntHash('S3cret-pass!'), now });
      expect(verdict).toMatchObject(ok ? { ok, user: 'svc-lic', domain: 'CORP' } : { ok, reason: 'bad-password' });
    } finally {
      samba.stop();
    }
  });
});
