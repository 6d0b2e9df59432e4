import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { ask, type Recording, startDaemon, temporary, withoutChance } from './program.ts';

/** Receivers of alerts, and a daemon that sends to them. */

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

/** Takes what is POSTed. */
const httpSink = (take: (text: string) => void): Server =>
  createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => (body += part));
    request.on('end', () => {
      const { 'content-length': _, host: __, ...headers } = request.headers;
      take(`${request.method} ${request.url}\n${JSON.stringify(headers)}\n${body}\n`);
      // the program compares its clock with that of a receiver
      response.sendDate = false;
      response.end('{}');
    });
  });

/** Takes mails, with as much of SMTP as that needs. */
const mailSink = (take: (text: string) => void): Server =>
  createTcpServer((socket) => {
    let envelope: string[] = [];
    let message: string[] | undefined;
    socket.on('error', () => undefined).write('220 sink\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (message === undefined) {
        if (/^(?:MAIL|RCPT)/i.test(line)) envelope.push(line);
        if (/^DATA/i.test(line)) message = [];
        return void socket.write(
          /^DATA/i.test(line) ? '354 go on\r\n' : /^QUIT/i.test(line) ? '221 bye\r\n' : '250 ok\r\n',
        );
      }
      if (line !== '.') return void message.push(line);
      take([...envelope, '', ...message, ''].join('\n'));
      [envelope, message] = [[], undefined];
      return void socket.write('250 ok\r\n');
    });
  });

/** Rules of both stages: what the second one does not have any more is resolved. */
const stages = [
  '{LicenseServerDown: {keep_firing_for: 0s}, LicenseExpired: {for: 0s, keep_firing_for: 0s}, LicenseExpiringSoon: {for: 0s, keep_firing_for: 0s}, LicenseRequestsQueued: {for: 0s, keep_firing_for: 0s}}',
  '{LicenseServerDown: {keep_firing_for: 0s}, LicenseExpired: {for: 0s, keep_firing_for: 0s, within: 1d}, LicenseExpiringSoon: {for: 0s, keep_firing_for: 0s, info: 400d}, LicenseRequestsQueued: {for: 0s, keep_firing_for: 0s, above: 900}}',
];

/** @param logon a configuration of curl with the account of the analyzer */
export async function recordDelivery(
  checkout: string,
  record: Recording,
  analyzer: string,
  logon: string,
): Promise<void> {
  const [, account = '', password = ''] = /"(.*?):(.*)"/.exec(readFileSync(logon, 'utf8')) ?? [];
  const taken = { alertmanager: new Set<string>(), mail: new Set<string>(), webhook: new Set<string>() };
  let lastNew = Date.now();
  const taker = (kind: keyof typeof taken) => (text: string) => {
    const kept = withoutChance(text);
    if (!taken[kind].has(kept)) lastNew = Date.now();
    taken[kind].add(kept);
  };
  const sinks = [httpSink(taker('alertmanager')), mailSink(taker('mail')), httpSink(taker('webhook'))] as const;
  const [alertmanager, mail, webhook] = await Promise.all(sinks.map(listen));
  temporary('delivery/password', password);
  const configure = (rules: string): string =>
    temporary(
      'delivery/config.yml',
      `analyzer: {url: '${analyzer}', username: '${account.replaceAll('\\\\', '\\')}', password_file: password, name: site one}
poll: {products: '* * * * * *', server_down: '* * * * * *', features: '* * * * * *', expirations: '* * * * * *'}
web: {listen_address: '127.0.0.1:0', external_url: https://licenses.example.com}
rightsizing: {enabled: false}
owners: [{vendor_license: 'demo-lic01;*', owner: cad}, {vendor_license: 'demo-lic02;*', owner: mesh}]
alerting:
  alertmanagers: ['http://127.0.0.1:${alertmanager}']
  webhook: {url: 'http://127.0.0.1:${webhook}/hook'}
  email:
    smarthost: 127.0.0.1:${mail}
    from: License monitor <licenses@example.com>
    to: [team@example.com]
    owners: {cad: [cad@example.com]}
    require_tls: false
    hello: recorder
    digest: '* * * * * *'
  evaluation_interval: 250ms
  group_wait: 100ms
  group_interval: 100ms
  rules: ${rules}
`,
    );
  /** Until nothing new has come for a while. */
  const quiet = async (): Promise<void> => {
    lastNew = Date.now();
    while (Date.now() - lastNew < 5000) await setTimeout(100);
  };
  const daemon = startDaemon(checkout, [`--config.file=${configure(stages[0] ?? '')}`]);
  const { address = '' } = await daemon.line('listening');
  const write = async (stage: string): Promise<void> => {
    await quiet();
    for (const [kind, messages] of Object.entries(taken)) {
      record.write(`delivery/${stage}/${kind}`, [...messages].sort().join('\n'));
      messages.clear();
    }
    for (const path of ['/alerts', '/api/v1/alerts']) {
      record.write(`delivery/${stage}/page${path.replaceAll('/', '_')}`, await ask(address, { path }));
    }
  };
  await write('1-started');
  daemon.advance(60);
  await write('2-after-a-minute');
  configure(stages[1] ?? '');
  daemon.reload();
  await quiet();
  daemon.advance(60);
  await write('3-other-rules');
  await daemon.stop();
  for (const sink of sinks) sink.close();
}
