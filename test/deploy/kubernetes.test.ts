import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { alertmanagerConfig } from '../../deploy/prometheus/alertmanager-config.ts';
import { parseCommandLine } from '../../src/program/commands/command-line.ts';
import { loadConfig } from '../../src/program/config/load.ts';
import type { ConfigError } from '../../src/program/config/problems.ts';
import { dashboards } from '../support/dashboards.ts';
import { example } from '../support/example-alertmanager.ts';
import { peer } from '../support/peers.ts';

/** The manifests as kubectl renders them. There is no cluster here; test/install starts what the Deployment starts. */

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: its form is what the schemas check
  readonly spec?: any;
}

function render(folder: string): readonly Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', join(root, folder)], { encoding: 'utf8', maxBuffer: 2 ** 24 });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** Published schemas, by kind: the module and the type. */
const schemas: Readonly<Record<string, readonly [module: string, type: string]>> = {
  'v1/ConfigMap': ['kubernetes-models/v1', 'IConfigMap'],
  'v1/Service': ['kubernetes-models/v1', 'IService'],
  'v1/PersistentVolumeClaim': ['kubernetes-models/v1', 'IPersistentVolumeClaim'],
  'apps/v1/Deployment': ['kubernetes-models/apps/v1', 'IDeployment'],
  'monitoring.coreos.com/v1/ServiceMonitor': [
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
    'IServiceMonitor',
  ],
  'monitoring.coreos.com/v1/PrometheusRule': [
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
    'IPrometheusRule',
  ],
  'monitoring.coreos.com/v1alpha1/AlertmanagerConfig': [
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1',
    'IAlertmanagerConfig',
  ],
};

/** What the compiler says of manifests as values of their published types. It finds unknown keys too, which clusters drop. */
function schemaProblems(manifests: readonly object[]): string {
  // below the root, so that the packages are found
  const folder = mkdtempSync(join(root, 'node_modules/.cache-manifests-'));
  try {
    const text = manifests.map((manifest, i) => {
      const { apiVersion, kind } = manifest as Manifest;
      const [module, type] = schemas[`${apiVersion}/${kind}`] ?? [`no schema of ${apiVersion}/${kind}`, 'Unknown'];
      return `import type { ${type} as Type${i} } from '${module}';\nexport const manifest${i}: Type${i} = ${JSON.stringify(manifest, undefined, 1)};\n`;
    });
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, text.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', ''];
    const { status, stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [...options, '--module', 'nodenext', '--target', 'es2024', file],
      { encoding: 'utf8' },
    );
    return status === 0 ? '' : stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.runIf(peer('kubectl'))('the manifests', () => {
  const [base, operator, boards] = ['deploy/kubernetes', 'deploy/kubernetes/operator', 'grafana'].map(render) as [
    readonly Manifest[],
    readonly Manifest[],
    readonly Manifest[],
  ];
  const all = [...base, ...operator, ...boards];
  const ofKind = (kind: string): Manifest => {
    const found = all.filter((manifest) => manifest.kind === kind);
    expect(found).toHaveLength(1);
    return found[0] as Manifest;
  };
  const { spec: pod } = ofKind('Deployment').spec.template;
  const [container] = pod.containers;
  const configMap = base.find(({ kind }) => kind === 'ConfigMap') as Manifest;

  it('follow the published schemas', () => {
    expect(schemaProblems(all)).toBe('');
  });

  it('would not, with a misspelled key or a value of another type', () => {
    const deployment = ofKind('Deployment');
    const misspelled = JSON.parse(
      JSON.stringify(deployment).replace('"readOnlyRootFilesystem"', '"readonlyRootFilesystem"'),
    );
    expect(schemaProblems([misspelled])).toContain('readonlyRootFilesystem');
    expect(schemaProblems([{ ...deployment, spec: { ...deployment.spec, replicas: 'one' } }])).toContain(
      "Type 'string' is not assignable to type 'number'",
    );
    expect(schemaProblems([{ ...deployment, kind: 'Deploiment' }])).toContain('no schema of apps/v1/Deploiment');
  });

  it('follow them also with the lines for users and TLS of the ServiceMonitor', () => {
    const text = readFileSync(join(root, 'deploy/kubernetes/operator/service-monitor.yml'), 'utf8');
    const monitor = parse(text.replaceAll(/^( +)# (?=scheme:|tlsConfig:|basicAuth:| )/gm, '$1')) as Manifest;
    expect(Object.keys(monitor.spec.endpoints[0])).toEqual(
      expect.arrayContaining(['scheme', 'tlsConfig', 'basicAuth']),
    );
    expect(schemaProblems([monitor])).toBe('');
    const misspelled = JSON.parse(JSON.stringify(monitor).replace('tlsConfig', 'tlsconfig'));
    expect(schemaProblems([misspelled])).toContain('tlsconfig');
  });

  it('follow them also with the routes and receivers for Alertmanager, which are those of the example', () => {
    const text = readFileSync(join(root, 'deploy/kubernetes/operator/alertmanager-config.yml'), 'utf8');
    expect(text).toBe(alertmanagerConfig());
    const manifest = parse(text) as Manifest;
    expect(schemaProblems([manifest])).toBe('');
    // the schema cannot say what is in routes below the first ones
    const known = [
      ...['receiver', 'matchers', 'groupBy', 'groupWait', 'groupInterval', 'repeatInterval', 'routes'],
      ...['continue', 'activeTimeIntervals', 'muteTimeIntervals'],
    ];
    const keysOf = (route: { routes?: readonly object[] }): readonly string[] => [
      ...Object.keys(route),
      ...(route.routes ?? []).flatMap(keysOf),
    ];
    expect(keysOf(manifest.spec.route).filter((key) => !known.includes(key))).toEqual([]);
    const names = ({ name }: { name: string }): string => name;
    expect(manifest.spec.receivers.map(names)).toEqual(example.receivers.map(names));
    const misspelled = JSON.parse(JSON.stringify(manifest).replace('titleLink', 'titlelink'));
    expect(schemaProblems([misspelled])).toContain('titlelink');
  });

  it('have one name and one label, by which they find each other', () => {
    const label = 'app.kubernetes.io/name';
    for (const { metadata, kind } of all) {
      expect({ kind, label: metadata.labels[label] }).toEqual({ kind, label: 'license-exporter' });
    }
    const selectors = [
      ofKind('Deployment').spec.selector.matchLabels,
      ofKind('Service').spec.selector,
      ofKind('ServiceMonitor').spec.selector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual({ [label]: 'license-exporter' });
    // the job of the rules is the name of the Service
    expect(ofKind('Service').metadata.name).toBe('license-exporter');
    const [port] = ofKind('Service').spec.ports;
    expect(port).toMatchObject({ name: 'http-metrics', targetPort: container.ports[0].name });
    expect(ofKind('ServiceMonitor').spec.endpoints[0].port).toBe(port.name);
    expect(container.ports[0].containerPort).toBe(10319);
  });

  it('run a process with no more rights than it needs', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(ofKind('Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('start the program with a configuration that it accepts, and mount what it names', () => {
    const line = parseCommandLine(container.args);
    const mounts: Readonly<Record<string, string>> = Object.fromEntries(
      container.volumeMounts.map(({ name, mountPath }: Record<string, string>) => [name, mountPath]),
    );
    expect(line.configFile).toBe(`${mounts.config}/config.yml`);
    expect(line.flags.get('storage.path')).toBe(mounts.storage);
    const volumes = Object.fromEntries(
      pod.volumes.map(({ name, ...volume }: Record<string, unknown>) => [name, volume]),
    );
    expect(volumes).toEqual({
      config: { configMap: { name: configMap.metadata.name } },
      secret: { secret: { secretName: 'license-exporter', defaultMode: 0o440 } },
      storage: { persistentVolumeClaim: { claimName: ofKind('PersistentVolumeClaim').metadata.name } },
    });
    const text = configMap.data?.['config.yml'] ?? '';
    expect(parse(text).analyzer.password_file).toBe(`${mounts.secret}/analyzer-password`);
    const folder = mkdtempSync(join(root, 'node_modules/.cache-manifests-'));
    try {
      const configFile = join(folder, 'config.yml');
      writeFileSync(configFile, text);
      loadConfig({ configFile, flags: new Map(), env: {}, requireAnalyzer: true });
      expect.unreachable('the Secret is not mounted here');
    } catch (error) {
      expect((error as ConfigError).problems?.map(({ key }) => key)).toEqual(['analyzer.password_file']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('have the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(container.image).toBe(`license-exporter:${version}`);
  });

  it('have the rules of Prometheus, and every dashboard', () => {
    const rules = parse(readFileSync(join(root, 'deploy/prometheus/license-alerts.yml'), 'utf8'));
    expect(ofKind('PrometheusRule').spec).toEqual(rules);
    const data = boards.map(({ data: files = {} }) => Object.entries(files).map(([, text]) => JSON.parse(text)));
    const byTitle = (a: { title: string }, b: { title: string }): number => a.title.localeCompare(b.title);
    expect(data.flat().sort(byTitle)).toEqual([...dashboards].sort(byTitle));
    for (const { metadata } of boards) expect(metadata.labels.grafana_dashboard).toBe('1');
  });
});
