import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/program/commands/command-line.ts';
import { loadConfig } from '../../src/program/config/load.ts';
import { dashboards } from '../support/dashboards.ts';
import { peer } from '../support/peers.ts';
import { alertRules, recordingRules } from '../support/prometheus-rules.ts';

/** The stack is not started here, because there is no container engine. Instead, its files are checked against each other. */

const root = join(import.meta.dirname, '../..');
const composeFile = join(root, 'deploy/stack/compose.yml');
const read = (path: string) => parse(readFileSync(path, 'utf8'));

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly read_only?: boolean;
}

const compose = read(composeFile) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const { services } = compose;

/** Ports that a service listens on, as it publishes them. */
const portsOf = (name: string): string[] => (services[name]?.ports ?? []).map((port) => port.split(':')[2] ?? '');

/** Whether an address belongs to a service of the stack. */
function expectService(address: string): void {
  const { hostname, port } = new URL(address.includes('://') ? address : `http://${address}`);
  expect({ address, known: portsOf(hostname).includes(port) }).toEqual({ address, known: true });
}

const datasources = (
  read(join(root, 'grafana/provisioning/datasources/license-exporter.yml')) as {
    readonly datasources: readonly {
      readonly uid: string;
      readonly type: string;
      readonly url: string;
      readonly jsonData: { readonly allowedHosts?: readonly string[] };
    }[];
  }
).datasources;

describe('the stack', () => {
  it.runIf(peer('docker-compose')).each([composeFile, join(root, 'deploy/docker/compose.yml')])(
    'is a compose file: %s',
    (file) => {
      const { status, stderr } = spawnSync('docker-compose', ['-f', file, 'config', '--quiet'], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it('mounts only files that exist, and volumes that are declared', () => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(mounts.length).toBeGreaterThan(5);
    for (const mount of mounts) {
      const exists = mount.startsWith('.')
        ? existsSync(resolve(dirname(composeFile), mount))
        : Object.hasOwn(compose.volumes, mount);
      expect({ mount, exists }).toEqual({ mount, exists: true });
    }
  });

  it('publishes on loopback only, and depends on services that exist', () => {
    for (const { ports, depends_on: needed = {} } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
      for (const [name, { condition }] of Object.entries(needed)) {
        expect(Object.keys(services)).toContain(name);
        expect(condition).toBe('service_healthy');
      }
    }
  });

  it('pins its images', () => {
    for (const { image, build } of Object.values(services)) {
      if (build === undefined) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    }
  });

  it('runs the exporter with valid settings, at the address that the other services use', () => {
    const line = parseCommandLine(services['license-exporter']?.command ?? []);
    expect(line.command.name).toBe('demo');
    const config = loadConfig({ ...line, env: {}, requireAnalyzer: false });
    expect(config.web.listen.map(({ port }) => String(port))).toEqual(portsOf('license-exporter'));
    expect(config.access.names).toEqual(['*']);
  });

  it('gives its services no more rights than they need', () => {
    for (const { cap_drop: dropped, security_opt: options } of Object.values(services)) {
      expect({ dropped, options }).toEqual({ dropped: ['ALL'], options: ['no-new-privileges:true'] });
    }
    const writable = Object.entries(services).filter(([, { read_only: isReadOnly }]) => isReadOnly !== true);
    expect(writable.map(([name]) => name)).toEqual(['grafana']);
  });

  it('mounts files that exist', () => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter((volume) => volume.startsWith('.')),
    );
    for (const mount of mounts) {
      const path = resolve(dirname(composeFile), mount.split(':')[0] ?? '');
      expect({ path, exists: existsSync(path) }).toEqual({ path, exists: true });
    }
    expect(mounts.length).toBeGreaterThan(4);
  });

  it.runIf(peer('promtool'))('has a configuration that promtool accepts, with the rules at their mounted path', () => {
    // with the paths of the container
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-stack-'));
    try {
      for (const mount of services.prometheus?.volumes ?? []) {
        const [from = '', to = ''] = mount.split(':');
        if (from.startsWith('.')) copyFileSync(resolve(dirname(composeFile), from), join(folder, basename(to)));
      }
      const checked = execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], {
        encoding: 'utf8',
      });
      expect(checked).toContain('1 rule files found');
      expect(checked).toContain(`${alertRules.length + recordingRules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lets Prometheus scrape the exporter and reach Alertmanager', () => {
    const { scrape_configs: scrapes, alerting } = read(join(root, 'deploy/stack/prometheus.yml'));
    const targets = [...scrapes, ...alerting.alertmanagers].flatMap(
      ({ static_configs: groups }: { static_configs: { targets: string[] }[] }) =>
        groups.flatMap(({ targets: list }) => list),
    );
    expect(targets).toContain('license-exporter:10319');
    for (const target of targets) if (!target.startsWith('localhost')) expectService(target);
  });
});

describe('the provisioning of Grafana', () => {
  it('has a data source for each type that dashboards use, at the address of its service', () => {
    expect(new Set(datasources.map(({ uid }) => uid)).size).toBe(datasources.length);
    for (const { url, jsonData } of datasources) {
      expectService(url);
      for (const host of jsonData.allowedHosts ?? []) expect(url.startsWith(host)).toBe(true);
    }
    const wanted = dashboards[0]?.templating.list.filter(({ type }) => type === 'datasource').map(({ query }) => query);
    for (const type of wanted ?? []) expect(datasources.map((source) => source.type)).toContain(type);
  });

  it('installs the plugins that its data sources need', () => {
    const plugins = services.grafana?.environment?.GF_PLUGINS_PREINSTALL_SYNC?.split(',').map(
      (plugin) => plugin.split('@')[0],
    );
    expect(datasources.map(({ type }) => type).filter((type) => type !== 'prometheus')).toEqual(plugins);
  });

  it('finds the dashboards where they are mounted, the overview first', () => {
    const { providers } = read(join(root, 'grafana/provisioning/dashboards/license-exporter.yml'));
    const path = providers[0].options.path;
    const mount = services.grafana?.volumes?.find((volume) => volume.includes(`:${path}:`))?.split(':')[0] ?? '';
    const files = readdirSync(resolve(dirname(composeFile), mount));
    expect(files).toHaveLength(dashboards.length);
    const home = services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    expect(dirname(home)).toBe(path);
    expect(files).toContain(home.split('/').at(-1));
    expect(readdirSync(join(root, 'grafana/provisioning')).sort()).toEqual(['alerting', 'dashboards', 'datasources']);
  });
});
