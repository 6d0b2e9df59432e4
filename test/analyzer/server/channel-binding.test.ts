import { connect as connectTls, createServer } from 'node:tls';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelBindingMode } from '../../../src/analyzer/server/gate.ts';
import { authenticate } from '../../../src/base/ntlm/client-codec.ts';
import { negotiate, ntHash } from '../../../src/base/ntlm/primitives.ts';
import { NtlmDispatcher } from '../../../src/exporter/client/dispatcher.ts';
import { type Certificate, createCertificate } from '../../support/certificate.ts';
import { connectTo } from '../../support/connection.ts';
import { account, createCleanup, createTestGate, eventually, startAnalyzer } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const PATH = '/analyzer/api/GetHttpUserName';

async function start(
  tls: Certificate | undefined,
  channelBinding?: ChannelBindingMode,
): Promise<{ url: string; reasons: unknown[] }> {
  const reasons: unknown[] = [];
  const users = () => [{ name: account.username, ntHash: ntHash(account.password) }];
  const onVerdict = ({ reason = 'ok' }: { reason?: string }) => void reasons.push(reason);
  const gate = { domain: 'CORP', users, onVerdict, ...(channelBinding !== undefined && { channelBinding }) };
  const analyzer = await startAnalyzer({}, { gate, ...(tls !== undefined && { tls }) });
  cleanup.add(() => analyzer.stop());
  return { url: analyzer.url, reasons };
}

/** Logs on once, bound to a certificate or to none, and gives the status. */
async function logOn(url: string, certificate: Buffer | undefined): Promise<number> {
  const connection = connectTo(url);
  cleanup.add(() => connection.close());
  const sent = negotiate();
  const send = (message: Buffer) =>
    connection.send(PATH, { headers: { authorization: `NTLM ${message.toString('base64')}` } });
  const offered = await send(sent);
  const challenge = Buffer.from(String(offered.headers['www-authenticate']).replace('NTLM ', ''), 'base64');
  const context = { negotiate: sent, host: 'localhost', ...(certificate !== undefined && { certificate }) };
  return (await send(authenticate(challenge, account, context))).status;
}

describe.runIf(peer('openssl'))('channel binding', () => {
  it.each([
    [undefined, [200, 200, 401]],
    ['allow', [200, 200, 401]],
    ['require', [200, 401, 401]],
    ['off', [200, 200, 200]],
  ] as const)('%s: bound to the certificate, to none, to another one', async (mode, statuses) => {
    const [own, other] = [createCertificate(cleanup), createCertificate(cleanup)];
    // a file holds the whole chain, the server's own certificate first
    const { url, reasons } = await start({ ...own, cert: `${own.cert}${other.cert}` }, mode);
    const seen: number[] = [];
    for (const certificate of [own.der, undefined, other.der]) seen.push(await logOn(url, certificate));
    expect(seen).toEqual(statuses);
    expect(reasons).toEqual(statuses.map((status) => (status === 200 ? 'ok' : 'channel-binding')));
  });

  it('is not looked at without TLS, where it cannot be required', async () => {
    const { url } = await start(undefined, 'allow');
    expect(await logOn(url, createCertificate(cleanup).der)).toBe(200);
    await expect(start(undefined, 'require')).rejects.toThrow('over TLS only');
  });

  it('refuses a logon that came through a man in the middle', async () => {
    const [own, his] = [createCertificate(cleanup), createCertificate(cleanup)];
    const { url, reasons } = await start(own);
    const middle = createServer({ cert: his.cert, key: his.key }, (client) => {
      const server = connectTls({ host: '127.0.0.1', port: Number(new URL(url).port), ca: own.cert });
      client.pipe(server).pipe(client);
      client.on('error', () => server.destroy());
      server.on('error', () => client.destroy());
    });
    await new Promise<void>((resolve) => middle.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => void middle.close());
    const { port } = middle.address() as { port: number };
    const origin = `https://127.0.0.1:${port}`;
    const gate = createTestGate();
    const dispatcher = new NtlmDispatcher({ origin, logonPath: PATH, gate, tls: () => ({ ca: his.cert }) });
    cleanup.add(() => dispatcher.destroy());
    await expect(request(`${origin}${PATH}`, { dispatcher })).rejects.toMatchObject({
      code: 'NTLM_CREDENTIALS_REJECTED',
    });
    await eventually('verdict', () => reasons.length > 0);
    expect(reasons).toEqual(['channel-binding']);
  });
});
