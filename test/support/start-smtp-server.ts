import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Certificate } from './certificate.ts';
import { type Cleanup, eventually } from './harness.ts';

/** A mail as it arrived. */
export interface ReceivedMail extends Email {
  /** The addresses of the envelope. */
  readonly recipients: readonly string[];
  readonly raw: string;
}

/** What the server does with a mail whose text it has. */
export type Verdict = 'accept' | 'keep and cut' | 'refuse' | 'hang';

export interface SmtpSink {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Connections so far. */
  connections(): number;
  /** Decides about mails from now on. */
  answer(verdict: Verdict): void;
  /** The answer to an address; `undefined` accepts it. */
  refuseAddress(refusal: (address: string) => { readonly code: number; readonly text: string } | undefined): void;
  /** Waits until so many mails have arrived. */
  received(count: number): Promise<readonly ReceivedMail[]>;
  /** Stops listening, and cuts all connections. */
  down(): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
}

export interface SmtpSinkOptions {
  /** With it, STARTTLS is offered. */
  readonly certificate?: Certificate;
  /** With it, a logon is required. */
  readonly password?: string;
  readonly options?: SMTPServerOptions;
}

/** A mail server that keeps the mails it receives. */
export async function startSmtpServer(cleanup: Cleanup, sink: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const { certificate, password } = sink;
  const mails: ReceivedMail[] = [];
  let connections = 0;
  let verdict: Verdict = 'accept';
  let refusal: Parameters<SmtpSink['refuseAddress']>[0] = () => undefined;

  const create = () =>
    new SMTPServer({
      authOptional: password === undefined,
      disabledCommands: [
        ...(certificate === undefined ? ['STARTTLS' as const] : []),
        ...(password === undefined ? ['AUTH' as const] : []),
      ],
      ...(certificate !== undefined && { key: certificate.key, cert: certificate.cert }),
      closeTimeout: 1,
      onConnect: (_, callback) => {
        connections += 1;
        callback();
      },
      onAuth: (auth, _, callback) => {
        if (auth.password === password) callback(null, { user: auth.username });
        else callback(new Error('Invalid username or password'));
      },
      onRcptTo: ({ address }, _, callback) => {
        const answer = refusal(address);
        if (answer === undefined) callback();
        else callback(Object.assign(new Error(answer.text), { responseCode: answer.code }));
      },
      onData: (stream, { envelope }, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', async () => {
          const raw = Buffer.concat(chunks).toString('latin1');
          if (verdict === 'refuse') {
            callback(Object.assign(new Error('refused by the content filter'), { responseCode: 550 }));
            return;
          }
          const parsed = await PostalMime.parse(Buffer.from(raw, 'latin1'));
          mails.push({ ...parsed, recipients: envelope.rcptTo.map(({ address }) => address), raw });
          if (verdict === 'accept') callback();
          else if (verdict === 'keep and cut') cut();
        });
      },
      ...sink.options,
    });

  let server = create();
  const cut = (): void => {
    for (const connection of server.connections) (connection as { _socket?: { destroy(): void } })._socket?.destroy();
  };
  const listen = (at: number): Promise<void> =>
    new Promise((resolve) => {
      // clients cut connections
      server.on('error', () => undefined);
      server.listen(at, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.server.address() as AddressInfo;
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      cut();
    });
  cleanup.add(() => (server.server.listening ? down() : undefined));
  return {
    port,
    mails,
    connections: () => connections,
    answer: (next) => {
      verdict = next;
    },
    refuseAddress: (next) => {
      refusal = next;
    },
    received: async (count) => {
      await eventually(`${count} mails`, () => mails.length >= count);
      return mails;
    },
    down,
    up: async () => {
      server = create();
      await listen(port);
    },
  };
}
