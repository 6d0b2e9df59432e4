import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges } from '../../../src/base/ntlm/challenges.ts';
import { bindingToken } from '../../../src/base/ntlm/channel-binding.ts';
import { authenticate, type Credentials, decodeToken, negotiate } from '../../../src/base/ntlm/client-codec.ts';
import { NtlmError } from '../../../src/base/ntlm/errors.ts';
import {
  av,
  findPair,
  flags,
  readAvPairs,
  readField,
  writeAvPairs,
  writePayload,
} from '../../../src/base/ntlm/messages.ts';
import { hmacMd5, ntHash, ntowfv2, rc4, upcase, utf16 } from '../../../src/base/ntlm/primitives.ts';
import { claimedUser, createChallenge, type ServerContext, verify } from '../../../src/base/ntlm/verify.ts';
import { transcripts } from './transcripts.ts';

const NOW = Date.UTC(2026, 10, 21);
const hex = (bytes: Buffer): string => bytes.toString('hex');
const target = { domain: 'CORP', computer: 'SRV', dnsDomain: 'corp.invalid', dnsComputer: 'srv.corp.invalid' };
const account: Credentials = { username: 'svc-lic', domain: 'CORP', workstation: 'WS', password: 'S3cret-pass!' };
const lookup = (password: string) => () => ntHash(password);

describe('computed vectors', () => {
  it.each([
    ['password', '8846f7eaee8fb117ad06bdd830b7586c'],
    ['Password', 'a4f49c406510bdcab6824ee7c30fd852'],
    ['S3cret-pass!', '3c5b19385281374213453c40ce34f200'],
    ['p@ss wörd', 'd4c5487911aa964a4905025644d1120b'],
    ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
  ])('NT hash of %j', (password, expected) => {
    expect(hex(ntHash(password))).toBe(expected);
  });

  it('NTLMv2 of MS-NLMP 4.2.4', () => {
    const key = ntowfv2(ntHash('Password'), 'User', 'Domain');
    const challenges = Buffer.from('0123456789abcdef', 'hex');
    const client = Buffer.alloc(8, 0xaa);
    const pairs = writeAvPairs([
      { id: av.NB_DOMAIN, value: utf16('Domain') },
      { id: av.NB_COMPUTER, value: utf16('Server') },
    ]);
    const blob = Buffer.concat([
      Buffer.from('0101000000000000', 'hex'),
      Buffer.alloc(8),
      client,
      Buffer.alloc(4),
      pairs,
      Buffer.alloc(4),
    ]);
    const proof = hmacMd5(key, challenges, blob);
    expect(hex(key)).toBe('0c868a403bfd7a93a3001ef22ef02e3f');
    expect(hex(hmacMd5(key, challenges, client))).toBe('86c35097ac9cec102554764a57cccc19');
    expect(hex(proof)).toBe('68cd0ab851e51c96aabc927bebef6a1c');
    expect(hex(hmacMd5(key, proof))).toBe('8de40ccadbc14a82f15cb0ad0de95ca3');
  });

  it('channel binding', () => {
    const hash = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    const data = Buffer.concat([Buffer.from('tls-server-end-point:'), hash]);
    expect(data).toHaveLength(53);
    expect(hex(bindingToken(data))).toBe('8f1214c9c9cab8dc3bf866da9aba57a7');
  });

  it('RC4 of RFC 6229 (key 0102030405)', () => {
    expect(hex(rc4(Buffer.from('0102030405', 'hex'), Buffer.alloc(16)))).toBe('b2396305f03dc027ccc3524a0a1118a8');
  });

  it.each([
    ['straße', 'STRAßE'],
    ['jürgen', 'JÜRGEN'],
    ['µıſ', 'µıſ'],
    ['😀a', '😀A'],
  ])('upcase %j', (text, expected) => {
    expect(upcase(text)).toBe(expected);
  });
});

describe('genuine transcripts', () => {
  const contextOf = ({ negotiate: n, challenge }: (typeof transcripts)[number]): ServerContext => ({
    negotiate: Buffer.from(n, 'base64'),
    challenge: Buffer.from(challenge, 'base64'),
    createdAt: 0,
  });

  it.each(transcripts)('$name is accepted', (transcript) => {
    const verdict = verify(Buffer.from(transcript.authenticate, 'base64'), contextOf(transcript), {
      lookup: lookup('S3cret-pass!'),
      now: NOW,
    });
    expect(verdict).toEqual({ ok: true, user: 'svc-lic', domain: 'CORP' });
  });

  it.each(transcripts)('$name is refused with another password', (transcript) => {
    const message = Buffer.from(transcript.authenticate, 'base64');
    const verdict = verify(message, contextOf(transcript), { lookup: lookup('other'), now: NOW });
    expect(verdict).toMatchObject({ ok: false, reason: 'bad-password' });
  });

  it.each([
    ['curl 7.88.1 against the acceptor', 'without a pair'],
    ['Samba `ntlm_auth` client against the acceptor', 'with zeros'],
  ])('%s is bound to no channel, %s', (name) => {
    const transcript = transcripts.find((one) => one.name === name);
    if (transcript === undefined) throw new Error(name);
    const verdictOf = (required: boolean) =>
      verify(Buffer.from(transcript.authenticate, 'base64'), contextOf(transcript), {
        lookup: lookup('S3cret-pass!'),
        now: NOW,
        channelBinding: { token: Buffer.alloc(16, 7), required },
      });
    expect(verdictOf(false)).toMatchObject({ ok: true });
    expect(verdictOf(true)).toMatchObject({ ok: false, reason: 'channel-binding' });
  });

  it('our own message equals the recorded one', () => {
    const [recorded] = transcripts;
    const message = Buffer.from(recorded?.authenticate ?? '', 'base64');
    const composed = authenticate(
      Buffer.from(recorded?.challenge ?? '', 'base64'),
      { ...account, workstation: 'EXPORTER' },
      {
        negotiate: negotiate(),
        host: 'analyzer.corp.example',
        clientChallenge: Buffer.alloc(8, 0xaa),
      },
    );
    // recorded with a channel binding, which needs the certificate; everything before the response is the same
    expect(negotiate().toString('base64')).toBe(recorded?.negotiate);
    expect(hex(readField(composed, 36))).toBe(hex(readField(message, 36)));
    expect(composed.readUInt32LE(60)).toBe(message.readUInt32LE(60));
    expect(hex(composed.subarray(64, 72))).toBe(hex(message.subarray(64, 72)));
  });
});

function handshake(credentials: Credentials, change: (message: Buffer) => Buffer = (message) => message) {
  const sent = negotiate();
  const context = createChallenge(sent, target, NOW);
  const message = authenticate(context.challenge, credentials, { negotiate: sent, host: 'srv' });
  return { context, message: change(message) };
}

describe('client and server', () => {
  it.each([
    ['svc-lic', 'CORP', 'S3cret-pass!'],
    ['svc lic', 'MY DOM', 'x'],
    ['jürgen', 'ÉCOLE', 'p@ss wörd'],
    ['straße', 'CORP', 'pässword'],
    ['nodomain', '', 'x'],
  ])('C-7 agree on %s of %s', (username, domain, password) => {
    const { context, message } = handshake({ username, domain, password, workstation: '' });
    const options = { lookup: lookup(password), now: NOW, requireMic: true, maxSkewSeconds: 5 };
    expect(verify(message, context, options)).toEqual({ ok: true, user: username, domain });
  });

  it('C-3 use the server time, a MIC and no LM response; without server time, the local clock and an LMv2 response', () => {
    const { message } = handshake(account);
    expect(hex(readField(message, 12))).toBe('00'.repeat(24));
    const pairs = writeAvPairs([{ id: av.NB_DOMAIN, value: utf16('CORP') }]);
    const header = Buffer.alloc(56);
    Buffer.from('NTLMSSP\0').copy(header);
    header.writeUInt32LE(2, 8);
    header.writeUInt32LE((flags.UNICODE | flags.EXTENDED_SESSIONSECURITY | flags.TARGET_INFO | flags.NTLM) >>> 0, 20);
    const challenge = writePayload(header, [
      [12, Buffer.alloc(0)],
      [40, pairs],
    ]);
    const timeless = authenticate(challenge, account, { negotiate: negotiate(), host: 'h', now: NOW });
    expect(hex(timeless.subarray(72, 88))).toBe('00'.repeat(16));
    expect(hex(readField(timeless, 12))).not.toBe('00'.repeat(24));
    const options = { lookup: lookup(account.password), now: NOW, maxSkewSeconds: 1 };
    expect(verify(timeless, { negotiate: negotiate(), challenge, createdAt: NOW }, options)).toMatchObject({
      ok: true,
    });
  });

  it('C-4 replace the flags pair of the server', () => {
    const [recorded] = transcripts;
    const challenge = Buffer.from(recorded?.challenge ?? '', 'base64');
    const message = authenticate(challenge, account, { negotiate: negotiate(), host: 'h' });
    const pairs = readAvPairs(readField(message, 20).subarray(44));
    expect(pairs.filter(({ id }) => id === av.FLAGS).map(({ value }) => hex(value))).toEqual(['02000000']);
    expect(findPair(pairs, av.TARGET_NAME)?.toString('utf16le')).toBe('HTTP/h');
  });

  it('C-8 detect a change that the MIC covers', () => {
    const flip = (at: number) => (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt8((copy[at] ?? 0) ^ 1, at);
      return copy;
    };
    for (const at of [72, 87, 61]) {
      const { context, message } = handshake(account, flip(at));
      expect(verify(message, context, { lookup: lookup(account.password), now: NOW })).toMatchObject({
        reason: 'bad-mic',
      });
    }
    const { context, message } = handshake(account);
    const altered = { ...context, negotiate: flip(13)(context.negotiate) };
    expect(verify(message, altered, { lookup: lookup(account.password), now: NOW })).toMatchObject({
      reason: 'bad-mic',
    });
  });

  it('refuse anonymous, NTLMv1, skewed, unbound and unknown logons by name', () => {
    const { context, message } = handshake(account);
    const options = { lookup: lookup(account.password), now: NOW };
    const field = (at: number, data: Buffer) => {
      const copy = Buffer.concat([message, data]);
      copy.writeUInt16LE(data.length, at);
      copy.writeUInt32LE(message.length, at + 4);
      return copy;
    };
    expect(verify(field(36, Buffer.alloc(0)), context, options)).toMatchObject({ reason: 'anonymous' });
    expect(verify(field(20, Buffer.alloc(24)), context, options)).toMatchObject({ reason: 'ntlmv1' });
    expect(verify(message, context, { ...options, lookup: () => undefined })).toMatchObject({ reason: 'unknown-user' });
    expect(verify(message, context, { ...options, now: NOW + 9000, maxSkewSeconds: 5 })).toMatchObject({
      reason: 'skew',
    });
    const channelBinding = { token: Buffer.alloc(16, 1), required: true };
    expect(verify(message, context, { ...options, channelBinding })).toMatchObject({ reason: 'channel-binding' });
    expect(verify(message.subarray(0, 50), context, options)).toMatchObject({ reason: 'malformed' });
  });

  it('never throw on random bytes', () => {
    const { context, message } = handshake(account);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(message.length), (bytes, at) => {
        const altered = Buffer.concat([message.subarray(0, at), Buffer.from(bytes), message.subarray(at)]);
        for (const candidate of [Buffer.from(bytes), altered]) {
          expect(typeof verify(candidate, context, { lookup: lookup('x'), now: NOW }).ok).toBe('boolean');
          expect(typeof claimedUser(candidate)).toBe('string');
        }
      }),
    );
  });
});

describe('unusable challenges', () => {
  const { challenge } = createChallenge(negotiate(), target, NOW);
  const changed = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(challenge);
    change(copy);
    return copy;
  };
  const withoutFlag = (flag: number) =>
    changed((copy) => copy.writeUInt32LE((copy.readUInt32LE(20) & ~flag) >>> 0, 20));
  const compose = (message: Buffer) => authenticate(message, account, { negotiate: negotiate(), host: 'h' });

  it.each([
    ['C-1 no target information', withoutFlag(flags.TARGET_INFO)],
    ['C-1 no session security', withoutFlag(flags.EXTENDED_SESSIONSECURITY)],
    ['C-1 no Unicode', withoutFlag(flags.UNICODE)],
    ['C-2 cut off', challenge.subarray(0, 40)],
    ['C-2 another signature', changed((copy) => copy.write('X', 0))],
    ['C-2 another type', changed((copy) => copy.writeUInt32LE(3, 8))],
    ['C-2 a field beyond the end', changed((copy) => copy.writeUInt32LE(9999, 44))],
    ['C-2 a length over 32767', changed((copy) => copy.writeUInt16LE(40_000, 40))],
    ['C-2 no end of the pairs', changed((copy) => copy.writeUInt16LE(8, 40))],
  ])('%s', (_, message) => {
    expect(() => compose(message)).toThrow(expect.objectContaining({ code: 'NTLM_CHALLENGE_INVALID' }));
  });

  it('random bytes result in this error or a message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(challenge.length), (bytes, at) => {
        for (const message of [Buffer.from(bytes), Buffer.concat([challenge.subarray(0, at), Buffer.from(bytes)])]) {
          try {
            expect(compose(message).readUInt32LE(8)).toBe(3);
          } catch (error) {
            expect(error).toBeInstanceOf(NtlmError);
          }
        }
      }),
    );
  });

  it('a token that is not base64', () => {
    expect(() => decodeToken('a*b')).toThrow(expect.objectContaining({ code: 'NTLM_CHALLENGE_INVALID' }));
  });
});

describe('parseChallenges', () => {
  it.each([
    [undefined, []],
    ['Basic realm="NTLM, x"', []],
    ['NTLM', [{ scheme: 'NTLM' }]],
    ['ntlm abc=, Basic realm="a \\" , NTLM"', [{ scheme: 'NTLM', token: 'abc=' }]],
    [
      ['Negotiate', 'NTLM x=='],
      [{ scheme: 'Negotiate' }, { scheme: 'NTLM', token: 'x==' }],
    ],
  ])('%j', (header, expected) => {
    expect(parseChallenges(header)).toEqual(expected);
  });
});
