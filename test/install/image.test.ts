import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type BareMachine, canBeBare, type Started, startBareMachine } from '../support/bare-machine.ts';
import { createCertificate } from '../support/certificate.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { only, readDockerfile, type Stage } from './dockerfile.ts';

/**
 * The image without a container engine: its Dockerfile is carried out on a bare Debian with the Node of package.json in place of
 * the base image, and started as an engine does: as its user, with a read-only root, no capabilities and no new privileges.
 */

const root = join(import.meta.dirname, '../..');
const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const dockerfile = readDockerfile(join(root, 'deploy/Dockerfile'), { SOURCE_REVISION: revision });
const [build, image] = dockerfile as [Stage, Stage];
const json = (text: string): string[] => JSON.parse(text) as string[];
const entrypoint = json(only(image, 'ENTRYPOINT'));
const healthcheck = json(only(image, 'HEALTHCHECK').replace(/^.* CMD /, ''));
const storage = only(image, 'VOLUME');

/** Files that an operator writes, which no image may contain. */
const secrets = ['deploy/docker/analyzer-password', 'deploy/docker/key.pem'];

/** What a build sends to the engine: the last rule of .dockerignore that matches a path, or a folder above, decides. */
function copyContext(to: string): void {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
  expect(rules[0]).toBe('*');
  const isSent = (path: string): boolean =>
    path.split('/').reduce((above, _, depth, names) => {
      const name = names.slice(0, depth + 1).join('/');
      return rules.findLast((rule) => matchesGlob(name, rule.replace(/^!/, '')))?.startsWith('!') ?? above;
    }, false);
  const filter = (path: string): boolean => path === root || isSent(relative(root, path));
  cpSync(root, to, { recursive: true, filter });
  for (const path of secrets.filter(isSent)) writeFileSync(join(to, path), 'secret');
}

/** Carries out the stage on a writable layer over this machine. @returns the folder that the final stage copies from */
function carryOutBuild(folder: string): string {
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name));
  const directory = only(build, 'WORKDIR');
  const context = join(folder, 'upper', directory);
  mkdirSync(context);
  expect(only(build, 'COPY')).toBe('. .');
  copyContext(context);
  const commands = build.instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
  const script = `mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
    mount --rbind /dev "$1/root/dev" && mount --bind /proc "$1/root/proc"
    exec chroot "$1/root" sh -ec "cd ${directory}; ${commands.join('\n')}"`;
  execFileSync('unshare', ['--mount', 'sh', '-ec', script, 'sh', folder], {
    stdio: 'pipe',
    env: { ...process.env, ...build.args },
  });
  return join(folder, 'upper');
}

describe.runIf(canBeBare())('the image', () => {
  const cleanup = createCleanup();
  let machine: BareMachine;
  const asRoot = { user: 'root', directory: '/' } as const;
  const succeed = async (...command: readonly string[]): Promise<void> =>
    expect(await machine.run(command, asRoot)).toMatchObject({ status: 0, stderr: '' });

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-image-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const built = carryOutBuild(folder);
    machine = await startBareMachine(cleanup);
    machine.copy(process.execPath, '/usr/local/bin/node');
    const [from, source = '', target = ''] = only(image, 'COPY').split(' ');
    expect(from).toBe(`--from=${build.name}`);
    machine.copy(join(built, source), target);
    await succeed('sh', '-c', only(image, 'RUN'));
    // what the container gets: configuration, secrets and the names of other hosts
    await succeed('mkdir', '-p', '/etc/license-exporter', '/run/secrets/license-exporter');
    writeFileSync(join(machine.root, 'etc/hosts'), '127.0.0.1 localhost lic.example.com\n');
    // a read-only root with a volume and /tmp; each command sees the mounts of those before
    await succeed('mount', '--rbind', '/', '/');
    await succeed('mount', '--bind', storage, storage);
  });
  afterAll(() => cleanup.run());

  /** As an engine starts it. */
  const start = (command: readonly string[], env: Readonly<Record<string, string>> = {}): Started => {
    const [uid = '', gid = ''] = only(image, 'USER').split(':');
    const rights = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--reuid', uid, '--regid', gid];
    const [name = '', value = ''] = only(image, 'ENV').split('=');
    return machine.start(['setpriv', ...rights, '--clear-groups', ...command], {
      ...asRoot,
      env: { [name]: value, ...env },
    });
  };
  const isUp = async (): Promise<boolean> =>
    (await machine.curl('http://127.0.0.1:10319/metrics')).stdout.split('\n').includes('license_up 1');

  it('has the Node of package.json', () => {
    const { devDependencies, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const { from } of dockerfile) expect(from).toBe(`node:${devDependencies.node}-bookworm-slim`);
    expect(only(image, 'LABEL')).toContain(`image.version="${version}"`);
    expect(only(image, 'LABEL')).toContain(`image.revision="${revision}"`);
    expect(only(image, 'EXPOSE')).toBe('10319');
  });

  it('serves the demo as the stack starts it, and its health check says whether', async () => {
    const { services } = parse(readFileSync(join(root, 'deploy/stack/compose.yml'), 'utf8'));
    const { command, tmpfs, read_only: isReadOnly } = services['license-exporter'];
    expect({ isReadOnly, tmpfs }).toEqual({ isReadOnly: true, tmpfs: ['/tmp'] });
    await succeed('mount', '-t', 'tmpfs', 'tmpfs', '/tmp');
    await succeed('mount', '-o', 'remount,bind,ro', '/');
    expect((await start(['touch', '/usr/lib/license-exporter/x']).ended).stderr).toContain('Read-only file system');
    expect((await start(healthcheck).ended).status).toBe(1);
    const demo = start([...entrypoint, ...command]);
    await demo.printed('INFO: listening');
    await eventually('license_up 1', isUp);
    expect(await start(healthcheck).ended).toMatchObject({
      status: 0,
      stdout: 'http://127.0.0.1:10319/-/healthy answers 200\n',
    });
    expect((await machine.curl('http://127.0.0.1:10319/metrics')).stdout).toMatch(
      new RegExp(`license_exporter_build_info{.*,revision="${revision}"`),
    );
    const probe = start(healthcheck, { HEALTH_URL: 'http://127.0.0.1:10321/-/healthy' });
    expect((await probe.ended).stdout).toContain('ECONNREFUSED 127.0.0.1:10321; set HEALTH_URL');
    expect((await demo.stop('SIGTERM')).status).toBe(0);
    expect((await start(healthcheck).ended).status).toBe(1);
    await succeed('umount', '/tmp');
    await succeed('mount', '-o', 'remount,bind,rw', '/');
  });

  it('has nothing that an operator wrote beside compose.yml', async () => {
    for (const path of secrets) expect(existsSync(join(machine.root, 'usr/lib/license-exporter', path))).toBe(false);
    const found = await machine.run(['ls', '/usr/lib/license-exporter/deploy/docker'], asRoot);
    expect(found.stdout.trim().split('\n')).toEqual(['compose.yml', 'config.example.yml', 'healthcheck.js']);
  });

  it('polls an analyzer with the configurations of Kubernetes and compose', async () => {
    const { certFile, keyFile } = createCertificate(cleanup, { names: 'DNS:lic.example.com' });
    machine.copy(certFile, '/srv/cert.pem');
    machine.copy(keyFile, '/srv/key.pem');
    const hash =
      'printf secret | node /usr/lib/license-exporter/dist/launch.js analyzer hash-password svc-lic > /srv/users';
    await succeed('sh', '-c', `${hash} && chmod 600 /srv/users`);
    const settings = ['listen-address=:8443', 'domain=CORP', 'users-file=/srv/users', 'tls.cert-file=/srv/cert.pem'];
    const flags = [...settings, 'tls.key-file=/srv/key.pem'].map((flag) => `--embedded-analyzer.${flag}`);
    const analyzer = machine.start([...entrypoint, 'analyzer', ...flags], asRoot);
    await analyzer.printed('"msg":"listening"');

    const pod = parse(readFileSync(join(root, 'deploy/kubernetes/deployment.yml'), 'utf8')).spec.template.spec;
    const { secrets: mounted } = parse(readFileSync(join(root, 'deploy/docker/compose.yml'), 'utf8'));
    const cases = [
      { args: json(only(image, 'CMD')), config: 'deploy/docker/config.example.yml' },
      { args: pod.containers[0].args, config: 'deploy/kubernetes/config.yml' },
    ];
    for (const { args, config } of cases) {
      const text = readFileSync(join(root, config), 'utf8');
      const password: string = parse(text).analyzer.password_file;
      if (config.includes('docker')) expect(password).toBe(`/run/secrets/${Object.keys(mounted)[0]}`);
      writeFileSync(join(machine.root, 'etc/license-exporter/config.yml'), text);
      mkdirSync(join(machine.root, dirname(password)), { recursive: true });
      // as Kubernetes mounts a Secret with defaultMode 0440 and fsGroup 1000
      await succeed('sh', '-c', `printf secret > ${password} && chmod 440 ${password} && chgrp 1000 ${password}`);
      // as Kubernetes gives a new volume to the fsGroup; neither manifest mounts a /tmp
      if (config.includes('kubernetes')) {
        await succeed('sh', '-c', `rm -rf ${storage}/* && chown root:1000 ${storage} && chmod 2775 ${storage}`);
      }
      await succeed('mount', '-o', 'remount,bind,ro', '/');
      const daemon = start([...entrypoint, ...args], { NODE_EXTRA_CA_CERTS: '/srv/cert.pem' });
      await daemon.printed('"msg":"listening"');
      await eventually('license_up 1', isUp);
      expect((await start(healthcheck).ended).status).toBe(0);
      expect((await daemon.stop('SIGTERM')).status).toBe(0);
      await succeed('mount', '-o', 'remount,bind,rw', '/');
    }
    await analyzer.stop();
  });
});
