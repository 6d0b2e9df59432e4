import { closeSync, openSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { createHttpClient } from '../../src/alerting/alerts/http-client.ts';
import { createLogonHold, sendMail } from '../../src/alerting/messages/smtp.ts';
import { openHistoryFile } from '../../src/analyzer/history/history-file.ts';
import { createFileTransport } from '../../src/analyzer/sources/transport/file-transport.ts';
import { createHttpTransport } from '../../src/analyzer/sources/transport/http-transport.ts';
import { createTransportHost } from '../../src/analyzer/sources/transport/transport-host.ts';
import { readPasswordFile } from '../../src/base/files/named-files.ts';
import { listenError } from '../../src/base/model/listen-error.ts';
import { lockDirectory } from '../../src/base/storage/directory-lock.ts';
import { createFileWrites } from '../../src/base/storage/file-writes.ts';
import { createJsonState } from '../../src/base/storage/json-state.ts';
import { LogonFile } from '../../src/exporter/client/logon-file.ts';
import { openKeptFile } from '../../src/insight/advice/pass/kept-file.ts';
import { createClient, createTestLog } from './harness.ts';

/**
 * A process that has as many open files as it may: prints what the program then says of each thing that it cannot open, as JSON.
 * The folder is its argument, and has the files `password` and `state.json`.
 */

const [folder = ''] = process.argv.slice(2);
const path = (name: string): string => join(folder, name);
const never = new AbortController().signal;
const log = createTestLog();
const tls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
const common = { label: 'test', timeout: 10, maxOutput: 1000, encoding: undefined };
const host = createTransportHost({
  workFolder: path('work'),
  now: () => 0,
  analyzer: () => {
    throw new Error('no analyzer');
  },
  onProblem: () => undefined,
});
const source = createHttpTransport(
  { kind: 'http', url: 'http://127.0.0.1:9/x', tokenFile: undefined, tls, ...common },
  host,
);
const tokened = createHttpTransport(
  { kind: 'http', url: 'http://127.0.0.1:9/x', tokenFile: path('password'), tls, ...common },
  host,
);
const file = createFileTransport({ kind: 'file', file: path('password'), maxAge: 1e12, ...common }, host);
const receiver = createHttpClient({
  timeout: 10,
  authorization: () => undefined,
  tls,
  proxy: undefined,
  userAgent: 'test',
});
const analyzer = createClient('http://127.0.0.1:9/analyzer');
const writes = createFileWrites('state.json', log);
const state = createJsonState({
  path: path('state.json'),
  consequence: 'it is lost',
  content: () => ({}),
  read: () => undefined,
  stamp: () => ({ wall: 0, uptime: 0, boot: undefined }),
  writes,
  log,
});
const options = {
  host: '127.0.0.1',
  port: 9,
  hello: 'test',
  username: undefined,
  password: () => '',
  requireTls: false,
  tls,
};
const mail = () =>
  sendMail(
    'Subject: test\r\n\r\nText\r\n',
    { from: 'a@example.com', to: [{ address: 'b@example.com', setting: 'alerting.email.to[0]' }] },
    options,
    createLogonHold(() => 0),
    never,
  );

/** What a failure says. */
async function said(work: () => unknown): Promise<unknown> {
  try {
    const result = await work();
    return typeof result === 'object' && result !== null && 'reason' in result ? result.reason : result;
  } catch (error) {
    const { kind, message } = error as Error & { kind?: string };
    return kind === undefined ? message : `${kind}: ${message}`;
  }
}

const listening = (): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => resolve('it listens'));
    server.once('error', (error) =>
      reject(listenError('', { host: '127.0.0.1', port: 0 }, 'web.listen_address', error)),
    );
  });

const attempts: Readonly<Record<string, () => unknown>> = {
  password: () => readPasswordFile(path('password')),
  source: () => source.read([], never),
  token: () => tokened.read([], never),
  file: () => file.read([], never),
  receiver: () => receiver.post('http://127.0.0.1:9/x', '{}', {}, never),
  mail,
  analyzer: () => analyzer.client.getProducts({}, never),
  saved: async () => {
    await state.save();
    return writes.problem();
  },
  loaded: () => {
    state.load();
    return writes.problem();
  },
  lock: () => lockDirectory(folder, ''),
  history: () => openHistoryFile({ path: path('history.db'), timeZone: 'UTC', origin: 'test', maxSize: 1e6 }),
  advice: () => openKeptFile(path('rightsizing.db')),
  logons: () => {
    const counted = createFileWrites('logons.db', log);
    new LogonFile({ path: path('logons.db'), writes: counted, log, mayReplace: true });
    return counted.problem();
  },
  listener: listening,
};

// what is loaded at its first use is loaded now
await Promise.all([
  mail(),
  said(attempts.receiver ?? mail),
  said(attempts.source ?? mail),
  said(attempts.analyzer ?? mail),
]);

const held: number[] = [];
try {
  for (;;) held.push(openSync(devNull, 'r'));
} catch {
  // all are open
}
const answers: [string, unknown][] = [];
for (const [name, work] of Object.entries(attempts)) answers.push([name, await said(work)]);
for (const descriptor of held) closeSync(descriptor);
await state.save();
answers.push(['files', readdirSync(folder).filter((name) => name.startsWith('state.json'))]);
process.stdout.write(JSON.stringify(Object.fromEntries(answers)), () => process.exit(0));
