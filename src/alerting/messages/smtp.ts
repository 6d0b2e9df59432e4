import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import { type ClientTls, tlsOptions } from '../../base/model/client-tls.ts';
import { openFilesProblem } from '../../base/model/operator-error.ts';
import type { RefusedRecipient, SendOutcome } from './channel.ts';
import type { Recipient } from './receiver-state.ts';
import { line } from './texts.ts';

/** Sends mails to a smarthost, one connection for each. */

/** The mail server, whether it must use TLS, and the account for it. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** The name in the greeting. */
  readonly hello: string;
  readonly username: string | undefined;
  /** It is called for each mail, so that a new password is used at once. @throws Error that names the problem of the file */
  readonly password: () => string;
  /** Whether mails are sent over TLS only. */
  readonly requireTls: boolean;
  readonly tls: ClientTls;
}

/** Sender and recipients as the mail server gets them, which the text of the mail need not repeat. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly Recipient[];
}

/** Milliseconds. A server may take long to accept a mail that it scans. */
const CONNECT_MS = 30_000;
const ANSWER_MS = 120_000;
/** The port of implicit TLS. */
const TLS_PORT = 465;

interface SmtpError extends Error {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

/** Hosts to which a password can be sent without TLS. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
const NO_TLS = 'NO_TLS';

const SECTION = 'alerting.email';

/** Why a connection could not be used, with the remedy. */
function connectionProblem(error: SmtpError, { host, port, requireTls }: SmtpOptions): string {
  const { code = '', command = '', message, response } = error;
  const cause = error.originalCode ?? code;
  const server = `${host}:${port}`;
  const said = response === undefined ? line(message) : line(response);
  const tooMany = openFilesProblem(error) ?? openFilesProblem({ code: cause });
  if (tooMany !== undefined) return `the connection to ${server} ${tooMany}`;
  if (/ALTNAME/.test(cause)) {
    return `the certificate of ${server} is for another name; check ${SECTION}.smarthost, or set ${SECTION}.tls_config.server_name`;
  }
  if (/CERT|SIGNATURE|ISSUER/.test(cause) || /certificate|self.signed/i.test(message)) {
    return `the certificate of ${server} is not trusted (${said}); set ${SECTION}.tls_config.ca_file to the CA that signed it`;
  }
  if (command === 'STARTTLS' || (requireTls && command === 'EHLO')) {
    return `${server} offers no STARTTLS (${said}); use a port that does, or port ${TLS_PORT} with TLS from the start, or set ${SECTION}.require_tls to false if mails may be sent unencrypted`;
  }
  if (code === NO_TLS) {
    return `the password is not sent to ${server} without TLS, which it does not offer; use another port of it`;
  }
  if (code === 'EAUTH') {
    return `${server} rejected the logon (${said}); check ${SECTION}.auth_username and auth_password_file`;
  }
  if (code === 'EDNS') return `the host ${host} was not found (${line(cause)}); check ${SECTION}.smarthost`;
  if (command === 'MAIL FROM') return `${server} refused the sender (${said}); check ${SECTION}.from`;
  if (/wrong version number|packet length/i.test(message)) {
    return `${server} does not speak TLS from the start; use its port for STARTTLS, usually 587`;
  }
  return `no mail accepted by ${server}: ${said}${cause === '' ? '' : ` (${line(cause)})`}; check ${SECTION}.smarthost and the network`;
}

const refusedOf = (errors: SmtpError['rejectedErrors'], to: readonly Recipient[]): readonly RefusedRecipient[] =>
  (errors ?? []).flatMap((error) =>
    to
      .filter(({ address }) => address === error.recipient)
      .map((recipient) => ({
        recipient,
        isPermanent: (error.responseCode ?? 0) >= 500,
        reason: line(error.response ?? error.message),
      })),
  );

/** The outcome of an error. @param isBegun whether the mail itself was transmitted */
function outcomeOf(error: SmtpError, isBegun: boolean, { to }: Envelope, options: SmtpOptions): SendOutcome {
  const { command, code, responseCode, response, message } = error;
  if (isBegun && responseCode === undefined) {
    return {
      is: 'unknown',
      reason: `${options.host}:${options.port} did not say whether it accepted the mail: ${line(message)}`,
    };
  }
  if (command === 'RCPT TO') {
    const refused = refusedOf(error.rejectedErrors, to).map(
      ({ recipient, reason }) => `${recipient.setting}: ${reason}`,
    );
    return { is: 'refused', isAboutMessage: true, reason: refused.join('; ') || line(message) };
  }
  if (command === 'DATA' || code === 'EMESSAGE') {
    const reason = `${options.host}:${options.port} refused the mail: ${line(response ?? message)}`;
    return { is: 'refused', isAboutMessage: true, reason };
  }
  return { is: 'refused', isAboutMessage: false, reason: connectionProblem(error, options) };
}

type Step = <T>(begin: (done: (error?: Error | null, result?: T) => void) => void) => Promise<T>;

/** A connection that is logged on, for one use. @throws SmtpError, with the secret in no text */
async function converse<T>(
  options: SmtpOptions,
  secret: string,
  signal: AbortSignal,
  use: (connection: SMTPConnection, step: Step) => Promise<T>,
): Promise<T> {
  const { host, port, tls, username } = options;
  // most sites send no mail
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection({
    host,
    port,
    name: options.hello,
    secure: port === TLS_PORT,
    requireTLS: options.requireTls,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    tls: tlsOptions(tls),
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const abort = (): void => failed.reject(new Error('canceled, because the program is stopping'));
  connection.on('error', failed.reject);
  connection.on('end', () => failed.reject(new Error('the connection was closed')));
  signal.addEventListener('abort', abort);
  const step: Step = <R>(begin: (done: (error?: Error | null, result?: R) => void) => void) =>
    Promise.race([
      failed.promise,
      new Promise<R>((resolve, reject) => begin((error, result) => (error ? reject(error) : resolve(result as R)))),
    ]);
  try {
    if (signal.aborted) abort();
    await step<void>((done) => connection.connect(done));
    if (username !== undefined) {
      if (!connection.secure && !LOOPBACK.has(host)) {
        throw Object.assign(new Error('no TLS'), { code: NO_TLS });
      }
      await step<unknown>((done) => connection.login({ user: username, pass: secret }, done));
    }
    const result = await use(connection, step);
    connection.quit();
    return result;
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The password and how a text is shown without it, or why it cannot be read. */
function secretOf({ username, password }: SmtpOptions) {
  try {
    const secret = username === undefined ? '' : password();
    const hidden = [secret, Buffer.from(secret).toString('base64')].filter((text) => text !== '');
    const hide = (text: string): string => hidden.reduce((shown, each) => shown.replaceAll(each, '<secret>'), text);
    return { secret, hide };
  } catch (error) {
    return { problem: `${SECTION}.auth_password_file: ${(error as Error).message}` };
  }
}

/** Connects, starts TLS and logs on as for a mail. Returns why that failed, in one line, or `undefined`. Never throws. */
export async function tryConnection(options: SmtpOptions, signal: AbortSignal): Promise<string | undefined> {
  const { problem, secret, hide } = secretOf(options);
  if (problem !== undefined) return problem;
  try {
    await converse(options, secret, signal, async () => undefined);
    return undefined;
  } catch (error) {
    return hide(connectionProblem(error as SmtpError, options));
  }
}

/** After a rejected logon, the same password is not sent again for some time: a directory could lock the account. */

/** Seconds. */
const HOLD = 1800;

interface LogonHold {
  /** Whether a password must not be sent now. */
  isHeld(password: string): boolean;
  /** Notes that a password was rejected. */
  reject(password: string): void;
}

/** It is kept in memory: a restart sends the password once more. @param now epoch seconds */
export function createLogonHold(now: () => number): LogonHold {
  let rejected: { readonly password: string; readonly at: number } | undefined;
  return {
    isHeld: (password) => rejected?.password === password && now() - rejected.at < HOLD,
    reject: (password) => {
      rejected = { password, at: now() };
    },
  };
}

/** Whether the logon was rejected. A server that cannot check it now answers with another code. */
const isRejection = ({ code, responseCode = 0 }: SmtpError): boolean => code === 'EAUTH' && responseCode >= 500;

/** Sends one mail. Never throws. @param body as it is transmitted */
export async function sendMail(
  body: string,
  envelope: Envelope,
  options: SmtpOptions,
  hold: LogonHold,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { problem, secret, hide } = secretOf(options);
  if (problem !== undefined) return { is: 'refused', isAboutMessage: false, reason: problem };
  if (options.username !== undefined && hold.isHeld(secret)) {
    const reason = `${options.host}:${options.port} rejected the logon, which is not sent again for 30 minutes, or until the password changes; check ${SECTION}.auth_username and auth_password_file`;
    return { is: 'refused', isAboutMessage: false, reason };
  }
  let isBegun = false;
  const mail = new Readable({
    read() {
      isBegun = true;
      this.push(Buffer.from(body, 'latin1'));
      this.push(null);
    },
  });
  try {
    const to = envelope.to.map(({ address }) => address);
    const info = await converse(options, secret, signal, (connection, step) =>
      step<SMTPConnectionSendInfo>((done) =>
        connection.send({ from: envelope.from, to, size: body.length }, mail, (error, sent) => done(error, sent)),
      ),
    );
    const refused = refusedOf(info.rejectedErrors, envelope.to);
    return {
      is: 'accepted',
      refused: refused.map((one) => ({ ...one, reason: hide(one.reason) })),
      answer: hide(line(info.response)),
    };
  } catch (error) {
    if (isRejection(error as SmtpError)) hold.reject(secret);
    const outcome = outcomeOf(error as SmtpError, isBegun, envelope, options);
    return outcome.is === 'accepted' ? outcome : { ...outcome, reason: hide(outcome.reason) };
  } finally {
    mail.destroy();
  }
}
