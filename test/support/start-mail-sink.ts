import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Cleanup } from './harness.ts';

/** A message as Alertmanager sends it, with its parts decoded. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailSink {
  /** `host:port` for `smtp_smarthost`. */
  readonly address: string;
  readonly mails: readonly Mail[];
}

/** Decodes "quoted-printable" in UTF-8. */
function unquoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}

function mailOf(to: string, message: string): Mail {
  const part = (type: string): string => {
    const found = message.split(/^--[^\r\n]+\r\n/m).find((candidate) => candidate.includes(`Content-Type: ${type}`));
    return unquoted(found?.slice(found.indexOf('\r\n\r\n') + 4) ?? '').trimEnd();
  };
  return {
    to,
    subject: /^Subject: (.*)\r$/m.exec(message)?.[1] ?? '',
    text: part('text/plain'),
    html: part('text/html'),
  };
}

/** Speaks as much of SMTP as Alertmanager needs. */
function receive(socket: Socket, onMail: (mail: Mail) => void): void {
  let to = '';
  let message: string[] | undefined;
  const answer = (line: string): void => void socket.write(`${line}\r\n`);
  socket.setEncoding('latin1');
  answer('220 sink');
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // a connection that is cut has no message
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    if (message !== undefined) {
      if (line !== '.') return void message.push(line.replace(/^\.\./, '.'));
      onMail(mailOf(to, message.map((each) => `${each}\r\n`).join('')));
      message = undefined;
    } else if (/^RCPT /i.test(line)) to = /<(.*)>/.exec(line)?.[1] ?? '';
    else if (/^DATA/i.test(line)) {
      message = [];
      return answer('354 go on');
    } else if (/^QUIT/i.test(line)) return void socket.end('221 bye\r\n');
    answer('250 ok');
  });
}

/** A mail server that keeps the messages it receives. */
export async function startMailSink(cleanup: Cleanup): Promise<MailSink> {
  const mails: Mail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    receive(socket, (mail) => mails.push(mail));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, mails };
}
