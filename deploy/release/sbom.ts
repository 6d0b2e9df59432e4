import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dependency, productionDependencies, reasons, repository } from './dependencies.ts';
import { findings } from './findings.ts';
import { licensesIn } from './license-texts.ts';

/** The software bill of materials of a release: a CycloneDX document from package-lock.json, the same bytes for the same commit. */

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly description?: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** The parts of a CycloneDX document that are used here. */
export interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const read = (name: string) => JSON.parse(readFileSync(join(repository, name), 'utf8'));

/**
 * What npm writes for a package without development dependencies. `npm sbom --omit=dev` on the whole tree leaves out every
 * package that a development dependency requires too.
 */
function sbomOfNpm(): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-sbom-'));
  try {
    const { devDependencies: _, ...manifest } = read('package.json');
    const lock = read('package-lock.json');
    const packages = Object.fromEntries(
      Object.entries<{ dev?: boolean }>(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true),
    );
    const { devDependencies: __, ...top } = lock.packages[''];
    const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));
    write('package.json', manifest);
    write('package-lock.json', { ...lock, packages: { '': top, ...packages } });
    const flags = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
    return JSON.parse(execFileSync('npm', ['sbom', ...flags], { cwd: folder, encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Node itself, which the archives contain. */
function node(): Component & Record<string, unknown> {
  const version: string = read('package.json').devDependencies.node;
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    description: 'Part of the archives with their own Node only',
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
  };
}

/** The SPDX licenses of a package: what it declares, and others whose texts it ships too. */
export const licensesOf = ({ license, licenseText }: Dependency): readonly string[] => [
  ...new Set([...(license === undefined ? [] : [license]), ...licensesIn(licenseText)]),
];

/** With why the package is here, and its licenses: package-lock.json has none of a package with an old form of `license`. */
const described = (component: Component, dependencies: readonly Dependency[]): Component => {
  const found = dependencies.find(({ name, version }) => `${name}@${version}` === component['bom-ref']);
  if (found === undefined) return component;
  const licenses = licensesOf(found).map((id) => ({ license: { id } }));
  return { ...component, description: reasons[found.name] ?? `required by ${found.requiredBy.join(', ')}`, licenses };
};

const vulnerabilities = findings.map(({ id, advisory, name, version, summary, reason }) => ({
  id,
  source: { name: 'GitHub Advisory Database', url: advisory },
  description: summary,
  analysis: { state: 'not_affected', justification: 'code_not_reachable', detail: reason },
  affects: [{ ref: `${name}@${version}` }],
}));

/** A UUID that is the same for the same content. */
function uuidOf(content: string): string {
  const digits = createHash('sha256').update(content).digest('hex').slice(0, 32);
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-a$4-$5');
}

/**
 * The document. `timestamp` is the time of the commit (ISO 8601): npm writes the present time, and a serial number that differs
 * in each run.
 */
export function createSbom(timestamp: string): Sbom {
  const { serialNumber: _, metadata, components, dependencies, ...head } = sbomOfNpm();
  const shipped = productionDependencies();
  const content = {
    // npm names the document after the folder
    metadata: { ...metadata, timestamp, component: { ...metadata.component, name: read('package.json').name } },
    components: [...components.map((component) => described(component, shipped)), node()],
    dependencies,
    vulnerabilities,
  };
  return { ...head, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`, ...content };
}

if (import.meta.main) {
  const commit = ['log', '-1', '--format=%cd', '--date=format-local:%Y-%m-%dT%H:%M:%SZ'];
  const time = execFileSync('git', commit, { cwd: repository, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
  const path = join(repository, 'build/sbom.cdx.json');
  mkdirSync(join(repository, 'build'), { recursive: true });
  writeFileSync(path, `${JSON.stringify(createSbom(time.trim()), undefined, 2)}\n`);
  process.stdout.write(`${path}\n`);
}
