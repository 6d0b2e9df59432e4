import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { account, createCleanup, eventually, startAnalyzer } from '../../support/harness.ts';
import { brokenPromises } from '../../support/readme-demo.ts';
import { createRunner } from '../../support/run.ts';

/** The program as its user runs it. */

const cleanup = createCleanup();
afterEach(async () => {
  vi.unstubAllEnvs();
  await cleanup.run();
});
const { run, startProcess, temporaryFolder } = createRunner(cleanup);

interface Trend {
  readonly data: readonly (readonly [number, number])[];
}

const ports = ['--web.listen-address=127.0.0.1:0', '--log.format=json'];
const demoPorts = [...ports, '--embedded-analyzer.listen-address=127.0.0.1:0'];

describe('demo', () => {
  /** The command that the log names for a person to try. */
  const triedIn = async (demo: Pick<ReturnType<typeof run>, 'line'>): Promise<string> =>
    String((await demo.line('embedded analyzer listening')).try);

  it('serves metrics of a simulated site before its two years of history are written, and stops gracefully', async () => {
    const demo = startProcess(['demo', ...demoPorts]);
    const { address } = await demo.line('listening');
    await eventually('license_up', async () =>
      (await (await fetch(`${address}/metrics`)).text()).includes('\nlicense_up 1\n'),
    );
    const page = await (await fetch(`${address}/metrics`)).text();
    expect(page).toContain('license_exporter_demo 1');
    expect(page).toMatch(/^license_feature_in_use\{vendor_license="demo-/m);
    const first = await (await fetch(String(address))).text();
    expect(first).toContain('Simulated data');
    expect(brokenPromises(first)).toEqual([]);
    await demo.line(`ready: open ${address}`);
    const report = await fetch(`${address}/rightsizing`);
    expect(report.status).toBe(503);
    const waits = await report.text();
    expect(waits).toMatch(
      /is being computed for the first time(: \d+ days of earlier history are still being written)?\./,
    );
    // its browser asks again
    expect(waits).toContain('<meta http-equiv="refresh" content="2">');
    await eventually('alerts fire', async () =>
      (await (await fetch(`${address}/api/v1/alerts`)).text()).includes('"state":"firing"'),
    );
    expect(demo.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      'this is the demo of license-exporter: all data is simulated',
    ]);

    // the credentials are in a file for a person to try, and nowhere else
    const command = await triedIn(demo);
    const file = /-K (\S+)/.exec(command)?.[1] ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const password = /:(.*)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
    expect(password.length).toBeGreaterThan(20);
    expect(demo.output()).not.toContain(password);
    expect(execFileSync('sh', ['-c', `${command} -s`], { encoding: 'utf8' })).toContain('"Product":"demo-lic01;');

    demo.child.kill('SIGTERM');
    expect(await demo.exit).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('is read by people: one line for each event, with the address to open', async () => {
    const demo = startProcess(['demo', ...demoPorts.filter((flag) => !flag.startsWith('--log.'))]);
    await eventually('the line', () => demo.output().includes('ready: open http://127.0.0.1:'));
    for (const line of demo.output().trim().split('\n')) expect(line).toMatch(/^\[\d\d:\d\d:\d\d\] (INFO|WARN): \S/);
    expect(demo.output()).not.toContain('unproven');
  });

  it('makes two years of history while it runs', async () => {
    // a smaller site has as many days
    const site = ['--embedded-analyzer.site.vendor-licenses=1', '--embedded-analyzer.site.features=5'];
    const demo = run(['demo', ...site, ...demoPorts]);
    const command = await triedIn(demo);
    // two years of history and today
    const whose = 'product=demo-lic01;caddsd&feature=cad_assembly';
    const history = command.replace(
      /\S+GetProducts/,
      (url) => `'${url.replace('GetProducts', 'GetHistory')}?${whose}'`,
    );
    const points = async (): Promise<number[]> => {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${history} -s`]);
      const [, elapsed] = JSON.parse(stdout) as Trend[];
      return elapsed?.data.map(([, hours]) => hours) ?? [];
    };
    // each look is a program, and work for the analyzer, that it makes the past beside
    await eventually('two years of history', async () => (await points()).length === 731, { every: 1000 });
    expect((await points()).filter((hours) => hours > 0).length).toBeGreaterThan(700);
  });

  it('prints one sentence and ends with 1 where an address is taken: its own, or that of the analyzer', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    cleanup.add(() => other.close());
    await once(other, 'listening');
    const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const free = '127.0.0.1:0';
    const start = async (web: string, analyzer: string): Promise<string> => {
      const addresses = [`--web.listen-address=${web}`, `--embedded-analyzer.listen-address=${analyzer}`];
      const demo = run(['demo', '--log.level=error', ...addresses]);
      expect(await demo.exit).toBe(1);
      return demo.output();
    };
    expect(await Promise.all([start(taken, free), start(free, taken)])).toEqual([
      `cannot listen on ${taken}: the address is in use; set web.listen_address\n`,
      `the analyzer cannot listen on ${taken}: the address is in use; set embedded_analyzer.listen_address\n`,
    ]);
  });

  it('names the folder that it cannot write to', async () => {
    vi.stubEnv('TMPDIR', '/nowhere');
    const demo = run(['demo', ...demoPorts]);
    expect(await demo.exit).toBe(1);
    expect(demo.output()).toMatch(/^cannot create a directory in \/nowhere: ENOENT[^\n]*; set TMPDIR\n$/);
  });
});

describe('serve', () => {
  it('without an analyzer says how to configure one, and names the demo', async () => {
    const serve = run([]);
    expect(await serve.exit).toBe(2);
    expect(serve.output()).toContain('no analyzer is configured');
    expect(serve.output()).toContain('license-exporter demo');
    expect(serve.output()).not.toContain('at ');
  });

  it.each([
    ['--foo', 'command line: unknown flag --foo; --help shows all\n'],
    ['--log.level=loud', '--log.level: log.level: "loud" is not one of debug, info, warn, error\n'],
    // what one check of several values finds
    ['--shard.index=1', '--shard.index: shard.index: must be below shard.total (1)\n'],
  ])('with the wrong flag %s says nothing else', async (flag, said) => {
    const serve = run([flag]);
    expect(await serve.exit).toBe(2);
    expect(serve.output()).toBe(said);
  });

  const configure = async (password = account.password): Promise<{ file: string; folder: string }> => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
    const file = join(folder, 'config.yml');
    writeFileSync(
      file,
      `analyzer:\n  url: ${analyzer.url}/\n  username: corp\\svc-lic\n  password_file: password\nstorage: {path: ${folder}/state}\n`,
    );
    return { file, folder };
  };

  it('says first where its data comes from, and then what is wrong with it and where to look', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'password'), 'secret\n', { mode: 0o600 });
    const file = join(folder, 'config.yml');
    const url = 'http://127.0.0.1:9/analyzer';
    writeFileSync(file, `analyzer: {url: '${url}', username: u, password_file: password}\nstorage: {path: state}\n`);
    const serve = run([`--config.file=${file}`, ...ports]);
    const { address } = await serve.line('listening');
    await serve.line(`the first poll failed: open ${address} for the reason, or run license-exporter doctor`);
    await serve.line('poll failed');
    expect(serve.lines[0]).toMatchObject({ msg: 'license-exporter starts', config: file, analyzer: url });
    expect(serve.lines.map(({ level }) => level)).not.toContain('error');
    const report = await (await fetch(`${address}/rightsizing`)).text();
    expect(report).toContain('Advice on the number of licenses waits: the analyzer has not reported any features yet');
  });

  it('logs as Prometheus does where that is asked for', async () => {
    const { file } = await configure();
    const serve = run([`--config.file=${file}`, ...ports, '--log.format=logfmt']);
    await eventually('the line', () => /level=info msg="ready: open http:\/\/127/.test(serve.output()));
    expect(serve.output()).toMatch(/^time=\S+ level=info msg="license-exporter starts" version=\S+ config=/);
  });

  it('warns once of listening on all addresses without users, and of a directory that everyone can write to', async () => {
    const { file, folder } = await configure();
    mkdirSync(join(folder, 'state'));
    chmodSync(join(folder, 'state'), 0o777);
    const openTo = async (address: string) => {
      const serve = run([`--config.file=${file}`, ...ports, `--web.listen-address=${address}`]);
      await serve.line('listening');
      const warnings = serve.lines.filter(({ level }) => level === 'warn').map(({ msg }) => String(msg));
      serve.stop();
      await serve.exit;
      return warnings;
    };
    const writable = `storage.path: every user of this host can replace the files in ${folder}/state; forbid it (chmod 700 ${folder}/state)`;
    expect(await openTo(':0')).toEqual([
      writable,
      expect.stringMatching(
        /^every client that reaches port 0 can read .* no password is required; add users to web\.config_file/,
      ),
    ]);
    chmodSync(join(folder, 'state'), 0o700);
    expect(await openTo('127.0.0.1:0')).toEqual([]);
  });

  it('polls the analyzer of its configuration file', async () => {
    const { file } = await configure();
    const serve = run([`--config.file=${file}`, ...ports]);
    const { address } = await serve.line('listening');
    await serve.line(`ready: open ${address}`);
    await eventually('ready', async () => (await fetch(`${address}/-/ready`)).ok);
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('\nlicense_up 1\n');
  });

  it('with --once prints the metrics and exits', async () => {
    const { file } = await configure();
    const ran = run([`--config.file=${file}`, '--once', '--log.format=json', '--log.level=debug']);
    expect(await ran.exit).toBe(0);
    expect(ran.output()).toContain('\nlicense_up 1\n');
    expect(ran.output()).toContain('license_feature_in_use{');
    // durations in the log end at milliseconds
    const seconds = ran.lines.filter(({ msg }) => msg === 'poll ended').map((line) => line.seconds);
    expect(seconds.length).toBeGreaterThan(3);
    for (const duration of seconds) expect(String(duration)).toMatch(/^\d+(\.\d{1,3})?$/);
  });

  it('remembers a rejected logon across restarts', async () => {
    const { file, folder } = await configure('wrong');
    const states: unknown[] = [];
    const reasons = async () => {
      const ran = run([`--config.file=${file}`, '--once', '--log.format=json']);
      expect(await ran.exit).toBe(1);
      expect(ran.output()).not.toContain('"wrong"');
      states.push(ran.lines.flatMap(({ credentials }) => credentials ?? []));
      return ran.lines.filter(({ msg }) => msg === 'poll failed').map(({ kind }) => kind);
    };
    expect(await reasons()).toContain('auth');
    expect(new Set(await reasons())).toEqual(new Set(['auth_suspended']));
    expect(states).toEqual([['rejected'], ['rejected']]);
    expect(statSync(join(folder, 'state/logons.db')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'state/logons.db'), 'latin1')).not.toContain('wrong');
  });

  it.each([
    ['is a directory', (path: string) => mkdirSync(path), 'the logon file'],
    [
      'is damaged',
      (path: string) => writeFileSync(path, 'no database, '.repeat(100)),
      'because the logon file was lost',
    ],
  ])('goes on if the logon file %s: it sends no logon, and says why', async (_, damage, reason) => {
    const { file, folder } = await configure();
    mkdirSync(join(folder, 'state'));
    damage(join(folder, 'state/logons.db'));
    const serve = run([`--config.file=${file}`, ...ports]);
    const { address } = await serve.line('listening');
    await eventually('a failed poll', () => serve.lines.some(({ code }) => code === 'NTLM_LOGON_NOT_KEPT'));
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('\nlicense_up 0\n');
    expect((await fetch(String(address))).status).toBe(200);
    const ran = run([`--config.file=${file}`, '--once', '--log.format=json']);
    expect(await ran.exit).toBe(1);
    for (const output of [serve.output(), ran.output()]) {
      expect(output).toContain(reason);
      expect(output).not.toContain('    at ');
    }
  });

  it('has its storage to itself; a command beside it needs none', async () => {
    const { file, folder } = await configure();
    const first = startProcess([`--config.file=${file}`, ...ports]);
    const { address } = await first.line('listening');
    await eventually('ready', async () => (await fetch(`${address}/-/ready`)).ok);
    const second = run([`--config.file=${file}`, ...ports]);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `storage.path ${folder}/state is used by another process; stop it, or set a different storage.path for each process`,
    );
    expect(second.output()).not.toContain('    at ');
    expect(await run([`--config.file=${file}`, '--once', '--log.format=json']).exit).toBe(0);
    // however the first one ends, the directory is free
    first.child.kill('SIGKILL');
    await first.exit;
    await run([`--config.file=${file}`, ...ports]).line('listening');
  });

  it('reloads on SIGHUP and keeps the old configuration when the new one is bad; a second signal ends it at once', async () => {
    const { file } = await configure();
    const serve = startProcess([`--config.file=${file}`, ...ports]);
    const { address } = await serve.line('listening');
    const metrics = async () => (await fetch(`${address}/metrics`)).text();
    await eventually('ready', async () => (await fetch(`${address}/-/ready`)).ok);
    expect(await metrics()).not.toContain('license_feature_log_in_use{');

    const good = readFileSync(file, 'utf8');
    writeFileSync(file, `${good}metrics: {collectors: {log: true}}\n`);
    serve.child.kill('SIGHUP');
    await eventually('the collector', async () => (await metrics()).includes('license_feature_log_in_use{'));

    writeFileSync(file, `${good}metrics: {colectors: {}}\n`);
    serve.child.kill('SIGHUP');
    const { reason } = await serve.line('configuration not reloaded, the old one is kept');
    expect(reason).toContain('did you mean collectors?');
    expect(await metrics()).toContain('license_exporter_config_last_reload_successful 0');
    expect(await metrics()).toContain('license_up 1');

    // a request that is not complete holds up a graceful stop; the answer to the one before tells that it is being read
    const { hostname, port } = new URL(String(address));
    const socket = connect(Number(port), hostname);
    cleanup.add(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write('GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\nGET /-/healthy HTTP/1.1\r\n');
    await once(socket, 'data');
    serve.child.kill('SIGTERM');
    await serve.line('stopping');
    serve.child.kill('SIGINT');
    expect(await serve.exit).toBe(130);
  });
});

describe('command line', () => {
  it('prints where a bug happened, and asks to report it', async () => {
    const preload = 'data:text/javascript,process.stdout.write=()=>{throw%20new%20TypeError("of%20this%20test")}';
    const broken = startProcess(['--version'], { env: { NODE_OPTIONS: `--import ${preload.replaceAll('"', "'")}` } });
    expect(await broken.exit).toBe(1);
    expect(broken.output()).toMatch(/^TypeError: of this test\n {4}at /);
    expect(broken.output()).toMatch(
      /^This is a bug in license-exporter \d[^\n]*: please report it with this output\.$/m,
    );
  });

  it.each([
    [['--web.listen-adress=:1'], 'unknown flag --web.listen-adress, did you mean --web.listen-address?'],
    [['demmo'], 'unknown command demmo, did you mean demo?'],
    [['check-config'], 'check-config requires a file'],
    [['--shard.index=2', '--shard.total=2'], 'must be below shard.total (2)'],
    [['demo', '--once'], '--once is only valid for the command serve'],
    [['doctor', 'site.yml'], 'unexpected argument site.yml; a configuration is passed with --config.file=site.yml'],
    [['--config.file'], '--config.file requires a value'],
    [['--config.file', '--once'], '--config.file requires a value'],
    [['-v'], 'unknown flag -v; --help shows all'],
    [['--json'], '--json is only valid for the command doctor'],
    [['analyzer', 'hash-pasword'], 'unexpected argument hash-pasword'],
    [['hash-password'], 'hash-password requires the name of the user'],
    [['analyzer', 'hash-password'], 'requires the name of the user'],
    [['analyzer'], 'embedded_analyzer.users_file: is required'],
    [['--poll.products=61 * * * *'], 'is not a cron expression'],
  ])('%j ends with %j', async (args, message) => {
    const wrong = run(args);
    expect(await wrong.exit).toBe(2);
    expect(wrong.output()).toContain(message);
    expect(wrong.output()).not.toContain('    at ');
  });

  it('prints help and version', async () => {
    const help = run(['--help']);
    expect(await help.exit).toBe(0);
    expect(help.output()).toContain('--[no-]collector.log');
    expect(help.output()).toMatch(/^ {2}check-config FILE\n +Check a configuration/m);
    expect(help.output()).toMatch(/^ {2}--once\n {6}serve: poll once/m);
    expect(await run(['help']).exit).toBe(0);
    const ofCommand = run(['analyzer', 'hash-password', '--help']);
    expect(await ofCommand.exit).toBe(0);
    expect(ofCommand.output()).toMatch(
      /^Usage: license-exporter analyzer hash-password NAME \[FLAGS\]\n\nPrint a line/,
    );
    expect(ofCommand.output()).toContain('  --output FILE\n');
    expect(ofCommand.output()).not.toContain('--once');
    const version = run(['version']);
    expect(await version.exit).toBe(0);
    // a source that is run without a build does not know its commit
    expect(version.output()).toMatch(/^license-exporter, version \d+\.\d+\.\d+ \(branch: , revision: \)\n/);
    expect(version.output()).toMatch(/^ {2}node version: {5}v24\.\d+\.\d+\n {2}platform: {9}\w+\/\w+\n$/m);
  });

  it('check-config reports everything wrong at once, with lines', async () => {
    const file = join(temporaryFolder(), 'bad.yml');
    writeFileSync(file, 'analyzer:\n  urll: x\n  timeout: soon\nshards: 1\n');
    const check = run(['check-config', file]);
    expect(await check.exit).toBe(2);
    expect(check.output()).toContain('bad.yml:2: analyzer.urll: unknown setting, did you mean url?');
    expect(check.output()).toContain('bad.yml:3: analyzer.timeout: "soon" is not a duration such as 30s, 5m or 1h30m');
    expect(check.output()).toContain('bad.yml:4: shards: unknown setting, did you mean shard?');
  });
});
