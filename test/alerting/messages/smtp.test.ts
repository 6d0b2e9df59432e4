import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Recipient } from '../../../src/alerting/messages/receiver-state.ts';
import { createLogonHold, type SmtpOptions, sendMail } from '../../../src/alerting/messages/smtp.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup } from '../../support/harness.ts';
import { type SmtpSink, startSmtpServer } from '../../support/start-smtp-server.ts';

/** Each way in which a mail server does not take a mail has its own sentence. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const BODY = 'Subject: test\r\nMessage-ID: <1@example.com>\r\n\r\nText\r\n';
const to: readonly Recipient[] = [
  { address: 'a@example.com', setting: 'alerting.email.to[0]' },
  { address: 'b@example.com', setting: 'alerting.email.owners.cad[0]' },
];
const certificate = createCertificate(createCleanup());
const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };

function optionsOf(sink: Pick<SmtpSink, 'port'>, more: Partial<SmtpOptions> = {}): SmtpOptions {
  return {
    host: 'localhost',
    port: sink.port,
    hello: 'test.example.com',
    username: undefined,
    password: () => 'right',
    requireTls: false,
    tls: noTls,
    ...more,
  };
}

const send = (
  options: SmtpOptions,
  recipients = to,
  signal = new AbortController().signal,
  hold = createLogonHold(() => 0),
) => sendMail(BODY, { from: 'licenses@example.com', to: recipients }, options, hold, signal);

const trusted = { requireTls: true, tls: { ...noTls, ca: certificate.cert } };

describe('a mail', () => {
  it('is delivered over STARTTLS with a logon', async () => {
    const sink = await startSmtpServer(cleanup, { certificate, password: 'right' });
    expect(await send(optionsOf(sink, { ...trusted, username: 'monitor' }))).toEqual({
      is: 'accepted',
      refused: [],
      answer: '250 OK: message queued',
    });
    expect(sink.mails.map(({ recipients, raw }) => [recipients, raw])).toEqual([
      [['a@example.com', 'b@example.com'], BODY],
    ]);
  });

  it('with a wrong password is refused with a sentence that names the settings, and not the password', async () => {
    const sink = await startSmtpServer(cleanup, {
      certificate,
      password: 'right',
      options: {
        onAuth: ({ password }, _, callback) => callback(new Error(`Invalid password ${password}`)),
      },
    });
    const outcome = await send(optionsOf(sink, { ...trusted, username: 'monitor', password: () => 'S3cret' }));
    expect(outcome).toEqual({
      is: 'refused',
      isAboutMessage: false,
      reason: `localhost:${sink.port} rejected the logon (535 Invalid password <secret>); check alerting.email.auth_username and auth_password_file`,
    });
  });

  it('with a rejected password is not tried again for half an hour, unless the password changes', async () => {
    let logons = 0;
    const sink = await startSmtpServer(cleanup, {
      certificate,
      password: 'right',
      options: {
        onAuth: ({ password: given }, _, callback) => {
          logons += 1;
          if (given === 'right') callback(null, { user: 'monitor' });
          else callback(new Error('no'));
        },
      },
    });
    let [now, password] = [1000, 'wrong'];
    const hold = createLogonHold(() => now);
    const options = optionsOf(sink, { ...trusted, username: 'monitor', password: () => password });
    const attempt = () => send(options, to, undefined, hold);
    expect(await attempt()).toMatchObject({ reason: expect.stringContaining('rejected the logon (535') });
    now += 1799;
    expect(await attempt()).toMatchObject({
      is: 'refused',
      reason: expect.stringContaining('is not sent again for 30 minutes, or until the password changes'),
    });
    expect(logons).toBe(1);
    now += 1;
    await attempt();
    expect(logons).toBe(2);
    password = 'right';
    expect(await attempt()).toMatchObject({ is: 'accepted', refused: [] });
  });

  it('is not sent to a server whose CA is missing, or whose name is another one', async () => {
    const sink = await startSmtpServer(cleanup, { certificate });
    expect(await send(optionsOf(sink, { requireTls: true }))).toEqual({
      is: 'refused',
      isAboutMessage: false,
      reason: expect.stringMatching(
        /^the certificate of localhost:\d+ is not trusted \(.*self.signed certificate.*\); set alerting\.email\.tls_config\.ca_file to the CA that signed it$/,
      ),
    });
    const other = { ...trusted, tls: { ...trusted.tls, serverName: 'smtp.example.com' } };
    expect(await send(optionsOf(sink, other))).toMatchObject({
      reason: expect.stringContaining(
        'is for another name; check alerting.email.smarthost, or set alerting.email.tls_config.server_name',
      ),
    });
    expect(sink.mails).toHaveLength(0);
  });

  it('is not sent unencrypted if TLS is required', async () => {
    const sink = await startSmtpServer(cleanup);
    expect(await send(optionsOf(sink, trusted))).toMatchObject({
      is: 'refused',
      isAboutMessage: false,
      reason: expect.stringMatching(
        /^localhost:\d+ offers no STARTTLS \(5\d\d .*\); use a port that does, or port 465 with TLS from the start, or set alerting\.email\.require_tls to false if mails may be sent unencrypted$/,
      ),
    });
    expect(sink.mails).toHaveLength(0);
  });

  it('says which address is refused, and whether another attempt makes sense', async () => {
    const sink = await startSmtpServer(cleanup);
    sink.refuseAddress((address) => (address.startsWith('b') ? { code: 550, text: 'no such user' } : undefined));
    expect(await send(optionsOf(sink))).toEqual({
      is: 'accepted',
      refused: [{ recipient: to[1], isPermanent: true, reason: '550 no such user' }],
      answer: '250 OK: message queued',
    });
    sink.refuseAddress(() => ({ code: 450, text: 'greylisted' }));
    expect(await send(optionsOf(sink))).toEqual({
      is: 'refused',
      isAboutMessage: true,
      reason: 'alerting.email.to[0]: 450 greylisted; alerting.email.owners.cad[0]: 450 greylisted',
    });
    expect(sink.mails.map(({ recipients }) => recipients)).toEqual([['a@example.com']]);
  });

  it('that is accepted has what the server said, on one line and without the password', async () => {
    const sink = await startSmtpServer(cleanup, {
      certificate,
      password: 'right',
      options: {
        onData: (stream, _, callback) => {
          stream.resume().on('end', () => callback(null, '2.0.0 queued \u202eas 4F2 for right'));
        },
      },
    });
    expect(await send(optionsOf(sink, { ...trusted, username: 'monitor' }))).toMatchObject({
      answer: '250 2.0.0 queued \ufffdas 4F2 for <secret>',
    });
  });

  it('that is refused after its text was not accepted by anyone', async () => {
    const sink = await startSmtpServer(cleanup);
    sink.answer('refuse');
    expect(await send(optionsOf(sink))).toEqual({
      is: 'refused',
      isAboutMessage: true,
      reason: `localhost:${sink.port} refused the mail: 550 refused by the content filter`,
    });
  });

  it('whose connection is lost after its text may have been accepted', async () => {
    const sink = await startSmtpServer(cleanup);
    sink.answer('keep and cut');
    expect(await send(optionsOf(sink))).toMatchObject({
      is: 'unknown',
      reason: expect.stringContaining('did not say whether it accepted the mail'),
    });
    sink.answer('hang');
    const stopping = new AbortController();
    const outcome = send(optionsOf(sink), to, stopping.signal);
    await sink.received(2);
    stopping.abort();
    expect(await outcome).toMatchObject({ is: 'unknown' });
  });

  it('is not accepted by a server that does not answer, or is not a mail server', async () => {
    const refused = await send(optionsOf({ port: 1 }));
    expect(refused).toMatchObject({
      is: 'refused',
      isAboutMessage: false,
      reason: expect.stringMatching(/ECONNREFUSED.*; check alerting\.email\.smarthost and the network$/),
    });
    expect(await send(optionsOf({ port: 25 }, { host: 'mail.invalid' }))).toMatchObject({
      reason: expect.stringMatching(/^the host mail\.invalid was not found .*; check alerting\.email\.smarthost$/),
    });
    const web = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => web.close());
    expect(await send(optionsOf({ port: (web.address() as AddressInfo).port }))).toMatchObject({
      is: 'refused',
      isAboutMessage: false,
    });
  });

  it('needs a password file that can be read', async () => {
    const sink = await startSmtpServer(cleanup, { password: 'right' });
    const password = (): string => {
      throw new Error('/etc/mail-password does not exist');
    };
    expect(await send(optionsOf(sink, { username: 'monitor', password }))).toMatchObject({
      reason: 'alerting.email.auth_password_file: /etc/mail-password does not exist',
    });
    expect(sink.connections()).toBe(0);
  });
});
