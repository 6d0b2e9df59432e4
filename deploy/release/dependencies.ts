import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages that a release contains: what package-lock.json has that is not for development only, as it is installed. */

/** A package of node_modules. */
export interface Dependency {
  /** Its folder below the root of the repository; one name can be installed in several versions. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The SPDX license that its package.json declares, `undefined` if it declares none. */
  readonly license: string | undefined;
  /** The text of its license files, empty if it ships none. */
  readonly licenseText: string;
  /** The names of the packages that require it, without ours. */
  readonly requiredBy: readonly string[];
}

interface LockEntry {
  readonly version: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export const repository = join(import.meta.dirname, '../..');
const readJson = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8'));

/** Why each direct dependency is here. */
export const reasons: Readonly<Record<string, string>> = {
  '@rgrove/parse-xml': 'reads the answers of LM-X',
  bcryptjs: 'checks passwords of the web config, without native code',
  fastify: 'HTTP server of the exporter and of the embedded analyzer',
  hono: 'writes the HTML of the pages, escaped',
  httpntlm: 'NT hash and the first message of NTLM',
  'ical-generator': 'the calendar of expiries',
  marked: 'shows the runbooks as pages',
  'node-cron': 'schedules of polls',
  nodemailer: 'sends e-mail',
  pg: 'the archive of the history in PostgreSQL; it is not loaded without one',
  pino: 'log',
  'pino-pretty': 'log for a terminal',
  'prom-client': 'registries of metrics',
  undici: 'HTTP client with pools and limits',
  yaml: 'reads configuration files, with the line of a mistake',
  zod: 'checks configuration and observation documents',
};

/** The licenses that a dependency may have. They allow redistribution inside a work under Apache-2.0 if their texts come with it. */
export const allowedLicenses: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
];

const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** The entry that Node finds for a name that is required in the folder of a package. */
function resolve(packages: Readonly<Record<string, LockEntry>>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

/** What package.json declares; packages before npm 2 have a list of objects. */
function declaredLicense(path: string): string | undefined {
  const { license, licenses } = readJson(`${path}/package.json`);
  return license ?? licenses?.map(({ type }: { type: string }) => type).join(' AND ');
}

/** Whether a file of this name holds the license of the package around it. */
export const isLicenseFile = (name: string): boolean => /^(licen[cs]e|copying)/i.test(name);

/** The production dependencies, direct and indirect, in the order of package-lock.json. */
export function productionDependencies(): Dependency[] {
  const packages: Record<string, LockEntry> = readJson('package-lock.json').packages;
  const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const requiredBy = new Map<string, Set<string>>();
  for (const [from, { dependencies, optionalDependencies }] of shipped) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolve(packages, from, name);
      if (path !== undefined) requiredBy.set(path, (requiredBy.get(path) ?? new Set()).add(nameOf(from)));
    }
  }
  return shipped.map(([path, { version }]) => ({
    path,
    name: nameOf(path),
    version,
    license: declaredLicense(path),
    licenseText: readdirSync(join(repository, path))
      .filter(isLicenseFile)
      .map((name) => readFileSync(join(repository, path, name), 'utf8'))
      .join('\n'),
    requiredBy: [...(requiredBy.get(path) ?? [])].filter((name) => name !== ''),
  }));
}
