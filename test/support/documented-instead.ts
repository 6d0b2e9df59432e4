/** What is done instead of a documented command that no test can run as it is written. */
export type Instead = InsteadRun | InsteadElsewhere | InsteadScript;

/** Another command with the same program. */
interface InsteadRun {
  readonly run: string;
}

/** A file of this repository that runs the command. It contains it. */
interface InsteadElsewhere {
  readonly in: string;
}

/** Not run. The files and the scripts that this script of package.json names exist. */
interface InsteadScript {
  readonly script: string;
}

const ci: Instead = { in: '.ci/run' };

/** By command. Every entry is needed: one that no page has fails the test. */
export const instead: Readonly<Record<string, Instead>> = {
  'npm ci': ci,
  'npm test': { script: 'test' },
  'npm run test:matrix': { script: 'test:matrix' },
  'npm run check': ci,
  'npm run storm': ci,
  'npm run bench': ci,
  'npm run test:install': ci,
  // logs, servers and analyzers that no test machine has
  'license-exporter import /var/log/flexlm --dry-run --config.file=/etc/license-exporter/site1/config.yml': {
    run: 'license-exporter import --help',
  },
  'license-exporter import /var/log/flexlm --available-as-of-now --config.file=/etc/license-exporter/site1/config.yml':
    { run: 'license-exporter import --help' },
  'license-exporter import http://prometheus:9090 --first-day=2025-11-01 --config.file=/etc/license-exporter/site1/config.yml':
    { run: 'license-exporter import --help' },
  'license-exporter import headquarters --config.file=/etc/license-exporter/site2/config.yml': {
    run: 'license-exporter import --help',
  },
  'license-exporter history export --first-day=2026-01-01 --config.file=/etc/license-exporter/site1/config.yml > history.om':
    { run: 'license-exporter history export --help' },
  "license-exporter history export --format=csv --feature='cad*' --config.file=/etc/license-exporter/site1/config.yml > history.csv":
    { run: 'license-exporter history export --help' },
  '.ci/run': { in: 'docs/developers/development.md' },
  // the setup of every test of test/install
  'npm run bundle': { script: 'bundle' },
  // minutes, Chromium, or a registry
  'npm run sources-day': { script: 'sources-day' },
  'npm run verify': { script: 'verify' },
  'npm run generate': { script: 'generate' },
  'npm run pictures': { script: 'pictures' },
  'npm run record': { script: 'record' },
  'npm run release': { script: 'release' },
  // they need the public key of a release
  'minisign -Vm SHA256SUMS -p release.pub': { in: 'test/release/signature.test.ts' },
  'gpg --verify SHA256SUMS.asc SHA256SUMS': { in: 'test/release/signature.test.ts' },
  'npm run day': { run: 'npm run day -- --hours 1 --features 100' },
  'npm run case-study': { run: 'npm run case-study -- --days 2 --features 12' },
  // where the bill of materials is in a checkout
  'grype sbom:sbom.cdx.json': { run: 'cd build && grype sbom:sbom.cdx.json' },
  'trivy sbom sbom.cdx.json': { run: 'cd build && trivy sbom sbom.cdx.json' },
  'osv-scanner scan source -L sbom.cdx.json': { run: 'cd build && osv-scanner scan source -L sbom.cdx.json' },
};
