import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { recordDelivery } from './delivery.ts';
import { ask, createRecord, end, nameOf, type Recording, recordAll, run, startDaemon, temporary } from './program.ts';
import { analyzer, grafana, metrics, pages } from './questions.ts';
import { recordSources } from './sources.ts';

/**
 * Records what the program of a checkout says in public, so that `diff -r` shows what a change of the code has changed:
 *
 *     node test/record/main.ts CHECKOUT FOLDER
 *
 * It imports nothing of the program, so that it records older and newer checkouts alike.
 */

const LISTEN = ['--web.listen-address=127.0.0.1:0', '--embedded-analyzer.listen-address=127.0.0.1:0'];

/** The endpoints of an analyzer, with the logon of a configuration of curl. */
async function recordAnalyzer(record: Recording, address: string, logon: string): Promise<void> {
  const curl = async (path: string, method: string, more: readonly string[]): Promise<string> => {
    const args = ['-s', '-i', '--path-as-is', '-X', method, ...more, `${address}/api/${path}`];
    const { stdout } = await promisify(execFile)('curl', args, { maxBuffer: 2 ** 28 });
    // the answers before that to the logon have random challenges
    const last = stdout.replace(/^(?:HTTP\/1\.1 [\s\S]*?\r\n\r\n)*?(?=HTTP\/1\.1 (?:(?!\r\n\r\nHTTP\/)[\s\S])*$)/, '');
    return last
      .replace(/^(?:date|content-length): .*\r\n/gim, '')
      .replace(/^(www-authenticate: NTLM ).+/gim, '$1CHALLENGE');
  };
  const posted = ['GetConcurrentUsers', 'GetProducts'].map((path) => ({ path, method: 'POST' }));
  for (const [i, question] of [...analyzer, ...posted].entries()) {
    const { path, method = 'GET' } = question;
    record.write(`analyzer/${nameOf(i, question)}`, await curl(path, method, ['--ntlm', '-K', logon]));
  }
  record.write('analyzer/without-logon', await curl('GetProducts', 'GET', []));
  record.write('analyzer/wrong-password', await curl('GetProducts', 'GET', ['--ntlm', '-u', 'ANALYZER\\nobody:x']));
}

async function recordDemo(program: string, record: Recording): Promise<void> {
  const demo = startDaemon(program, [
    'demo',
    ...LISTEN,
    '--web.external-url=https://licenses.example.com',
    '--rightsizing.schedule=*/2 * * * * *',
  ]);
  const { try: command = '', address: own = '' } = await demo.line('embedded analyzer listening');
  const { address = '' } = await demo.line('listening');
  await demo.line('ready');
  const logon = /-K (\S+)/.exec(command)?.[1] ?? '';
  await recordDelivery(program, record, own, logon);
  // the first pass can be too early, and would wait for the clock: the recorded one is a second one
  const advice = 'advice on the number of licenses computed';
  await Promise.race([demo.line(advice).catch(() => undefined), setTimeout(40_000)]);
  // the advice of earlier months is computed after it: a second pass is planned when that is over
  await demo.quiet();
  demo.advance(2);
  await demo.line(advice, '2026-03-12T10:20:02.000Z');
  // the analyzer collects once a minute of real time
  const curl = ['-s', '--ntlm', '-K', logon, `${own}/api/GetProducts`];
  while (!(await promisify(execFile)('curl', curl)).stdout.includes('"CollectionTime":1773310802'))
    await setTimeout(500);
  await recordAll(record, 'demo/metrics', address, metrics);
  await recordAll(record, 'demo/pages', address, pages);
  const links = [...(await ask(address, { path: '/' })).matchAll(/(?:href|src)="(\w+\.(?:css|js|svg)\?v=\w+)"/g)];
  const assets = [...new Set(links.map(([, path]) => path))];
  await recordAll(
    record,
    'demo/assets',
    address,
    assets.map((path) => ({ path: `/${path}` })),
  );
  await recordAll(record, 'demo/grafana', address, grafana);
  await recordAnalyzer(record, own, logon);
  await recordAll(record, 'demo/metrics-after', address, metrics.slice(0, 2));
  await demo.stop();
}

const CONFIGURED = `analyzer: {url: 'https://lic.example.com:8443/analyzer', username: 'CORP\\svc', password_file: password}
web: {external_url: https://licenses.example.com}
owners: [{vendor_license: 'lic01;*', owner: cad}, {vendor_license: '*', feature: 'rtl_*', owner: eda}]
alerting:
  rules:
    LicenseExpiringSoon: {warning: 45d, for: 5m}
    LicenseFeatureSaturated: {enabled: false}
    LicenseRequestsQueued: {for: 0s, above: 3}
`;

async function recordCommands(program: string, record: Recording): Promise<void> {
  temporary('password', 'secret');
  const good = temporary('good.yml', CONFIGURED);
  const runs: Readonly<{ [name: string]: readonly string[] }> = {
    rules: ['rules'],
    'rules-configured': ['rules', `--config.file=${good}`],
    'rules-bad': ['rules', '--output=x'],
    'check-good': ['check-config', good],
    'check-none': ['check-config'],
    'check-missing': ['check-config', 'nothing.yml'],
    'unknown-command': ['rule'],
    'unknown-flag': ['serve', '--web.listen-adress=:1'],
    'flag-without-value': ['serve', '--config.file'],
    unexpected: ['demo', 'x.yml'],
  };
  for (const [name, args] of Object.entries(runs)) record.write(`commands/${name}`, await run(program, args));
  // where checkouts have it
  const places = ['test/program/config/bad', 'test/config/bad'].map((path) => join(program, path));
  const bad = places.find(existsSync) ?? program;
  // each takes a process: every sixth, and the one with many mistakes
  const files = bad === program ? [] : readdirSync(bad).sort();
  for (const file of files.filter((name, i) => i % 6 === 0 || name === 'many.yml')) {
    const text = await run(program, ['check-config', join(bad, file)]);
    record.write(`commands/bad/${file}`, text.replaceAll(`${bad}/`, ''));
  }
  for (const file of ['config.schema.json', 'observations.schema.json', 'rows.openapi.json', 'openapi.json']) {
    record.write(`files/${file}`, readFileSync(join(program, 'deploy', file), 'utf8'));
  }
}

const [checkout, out] = process.argv.slice(2);
if (checkout === undefined || out === undefined || existsSync(out)) {
  process.stderr.write('Usage: node test/record/main.ts CHECKOUT NEW-FOLDER\n');
  process.exitCode = 2;
} else {
  const from = resolve(checkout);
  const record = createRecord(resolve(out));
  process.on('exit', end);
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
  await Promise.all([recordDemo(from, record), recordCommands(from, record).then(() => recordSources(from, record))]);
  process.stdout.write(`${record.summary()}\n`);
}
