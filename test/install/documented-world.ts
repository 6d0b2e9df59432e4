import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { artefacts } from '../support/artefacts.ts';
import type { BootedMachine } from '../support/booted-machine.ts';
import { createFakeSite, fakeLmutil } from '../support/fake-license-tools/fake-site.ts';
import { eventually } from '../support/harness.ts';
import { createLargeSite } from '../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../support/license-site/render-lmstat.ts';
import type { Machine } from '../support/machine-shell.ts';
import { root as checkout } from '../support/markdown.ts';
import { findProgram } from '../support/peers.ts';

/** What the pages assume: hosts, an analyzer, license tools, an Alertmanager, the files of a release, programs of others. */

/** The password of every account in the pages, as it is typed. */
export const password = 'A-documented-password\n';

/** The authority of the analyzer, which the reader's host trusts. */
export const trust = { NODE_EXTRA_CA_CERTS: '/srv/lic.pem' } as const;

const hosts = ['lic', 'lic1', 'exporter', 'analyzer', 'alertmanager'].map((name) => `${name}.example.com`);

/** The site of the analyzer that one buys; here it is the embedded one. */
const analyzer = `embedded_analyzer:
  listen_address: :8443
  domain: CORP
  users_file: users
  tls: {cert_file: lic.pem, key_file: lic.key}\n`;

/** A wrong path is an error. A reader tries again while a daemon that was just started has no data, which is 503. */
const curlSettings = 'fail\nretry = 120\nretry-delay = 1\n';

/** A reader's host with systemd. Downloads are in /root. */
export async function furnishHost(machine: BootedMachine): Promise<void> {
  const place = (path: string): string => join(machine.root, path);
  const succeed = async (command: string): Promise<void> => {
    const { status, stdout, stderr } = await machine.run('sh', '-ec', command);
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  };
  appendFileSync(place('/etc/hosts'), `127.0.0.1 localhost ${hosts.join(' ')}\n`);
  writeFileSync(place('/root/.curlrc'), curlSettings);
  const sums = [artefacts.bundle, artefacts.package].map((path) => {
    cpSync(path, place(join('/root', basename(path))));
    return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`;
  });
  writeFileSync(place('/root/SHA256SUMS'), sums.join(''));
  furnishLicenseTools(place);

  cpSync(findProgram('prometheus-alertmanager') ?? '', place('/srv/alertmanager'));
  // Debian's Alertmanager reads its templates here
  const templates = '/usr/share/prometheus/alertmanager';
  if (existsSync(templates)) cpSync(templates, place(templates), { recursive: true });
  writeFileSync(place('/srv/alertmanager.yml'), 'route: {receiver: nobody}\nreceivers: [{name: nobody}]\n');
  writeFileSync(place('/srv/analyzer.yml'), analyzer);
  writeFileSync(place('/srv/password'), password);
  await succeed(`cd /srv && tar -xzf /root/${basename(artefacts.bundle)} && mv ${artefacts.bundleFolder} release
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lic.example.com -addext subjectAltName=DNS:lic.example.com \
  -keyout lic.key -out lic.pem 2> /dev/null
release/license-exporter analyzer hash-password svc-lic --output users < password
systemctl set-environment NODE_EXTRA_CA_CERTS=${trust.NODE_EXTRA_CA_CERTS}
systemd-run --unit=analyzer /srv/release/license-exporter analyzer --config.file=/srv/analyzer.yml
systemd-run --unit=alertmanager /srv/alertmanager --config.file=/srv/alertmanager.yml --storage.path=/srv/alerts \
  --cluster.listen-address= --web.listen-address=:9093`);
  for (const url of [
    'http://alertmanager.example.com:9093/-/ready',
    'https://lic.example.com:8443/analyzer/openapi.json',
  ]) {
    await eventually(url, async () => (await machine.run('curl', '-sf', '--cacert', '/srv/lic.pem', url)).status === 0);
  }
}

function furnishLicenseTools(place: (path: string) => string): void {
  const site = createFakeSite(place('/opt/flexlm/site'));
  const now = Math.floor(Date.now() / 1000);
  const rendered = createLargeSite({
    features: 3,
    users: 5,
    host: 'lic1.example.com',
    now,
    port: 1055,
    daemon: 'ansyslmd',
  });
  site.print('1055@lic1.example.com', renderLmstat(rendered, createLocalTime('UTC')));
  site.print('1055@lic1.example.com', renderLmstatInventory(rendered, createLocalTime('UTC')), 'i');
  cpSync(fakeLmutil, place('/opt/flexlm/lmutil'));
  cpSync(join(fakeLmutil, '../replay.sh'), place('/opt/flexlm/replay.sh'));
  const xml =
    '<LM-X STAT_VERSION="3"><LICENSE_PATH TYPE="NETWORK" HOST="6200@lic1" STATUS="SUCCESS"></LICENSE_PATH></LM-X>';
  for (const [path, output] of [
    ['/opt/DSLS/DSLicSrv', 'admin >connect lic1.example.com 4084 -r\nConnection refused\nadmin >quit'],
    ['/opt/MathLM/monitorlm', 'total|Mathematica|2|20'],
    ['/opt/lmx/lmxendutil', xml],
  ] as const) {
    mkdirSync(place(join(path, '..')), { recursive: true });
    writeFileSync(place(path), `#!/bin/sh\ncat > /dev/null\ncat <<'END'\n${output}\nEND\n`);
    chmodSync(place(path), 0o755);
  }
}

/** Where a reader types the commands of a page, and what was typed before them; a daemon runs until the end of the page. */
interface Situation {
  readonly directory?: string;
  readonly before: readonly string[];
}

const config = '/etc/license-exporter/site1/config.yml';
const source = '{name: ansys, manager: flexnet, servers: [1055@lic1.example.com], via: {command: /opt/flexlm/lmutil}}';

/** The advice is computed after the past of the simulated site has been added. */
const untilAdvised = `until curl -s 127.0.0.1:10319/metrics | grep -q '^license_rightsizing_last_success'; do sleep 0.1; done`;

/** Of pages that assume more than that the reader has followed README.md and docs/install.md, in /root. */
export const situations: Readonly<Record<string, Situation>> = {
  'docs/grafana.md': { before: ['license-exporter demo'] },
  'docs/json-source.md': {
    directory: '/opt/license-exporter',
    before: ['echo Product,Total > table.csv', 'echo CAD,10 >> table.csv'],
  },
  'docs/company.md': {
    before: [
      // with history
      `echo 'embedded_analyzer: {sources: [${source}]}' > ${config}`,
      `echo 'storage: {path: /var/lib/license-exporter/site1}' >> ${config}`,
      'systemctl start license-exporter@site1',
      'until [ -s /var/lib/license-exporter/site1/history.db ]; do sleep 0.1; done',
    ],
  },
  'docs/rightsizing.md': { before: ['license-exporter demo', untilAdvised] },
};

/** Programs of others that no test can run. Each stand-in fails if a file that it is given is not there or not as expected. */
const standIns: Readonly<Record<string, string>> = {
  docker: `case $1 in
  build) shift
    while [ $# -gt 0 ]; do case $1 in
      -f) grep -q ^FROM "$2"; shift 2;;
      --build-arg) grep -q "^ARG \${2%%=*}\\b" deploy/Dockerfile; shift 2;;
      -t) echo "$2" > /srv/image; shift 2;;
      *) [ -d "$1" ]; shift;;
    esac; done;;
  run) shift
    while [ "$1" != "$(cat /srv/image)" ]; do case $1 in
      --rm|--read-only) shift;;
      --tmpfs) [ "$2" = /tmp ]; shift 2;;
      -p) [ "$2" = 127.0.0.1:10319:10319 ]; shift 2;;
      *) exit 1;;
    esac; done
    shift
    exec node_modules/.bin/node src/launch.js "$@";;
  compose) case "$4 $5 $6" in "up --build "|"up -d --build") docker-compose "$2" "$3" config --quiet;; *) exit 1;; esac;;
  *) exit 1;;
esac`,
  // there is no cluster
  kubectl: `case "$1 $2" in
  "create secret") exec ${findProgram('kubectl')} "$@" --dry-run=client --output=name;;
  "apply "*) while [ "$1" != -k ]; do shift; done; ${findProgram('kubectl')} kustomize "$2" | grep -q ^kind:;;
  *) exit 1;;
esac`,
  grype: `[ "\${1%%:*}" = sbom ]; grep -q CycloneDX "\${1#sbom:}"`,
  trivy: '[ "$1" = sbom ]; grep -q CycloneDX "$2"',
  'osv-scanner': '[ "$1 $2 $3" = "scan source -L" ]; grep -q CycloneDX "$4"',
};

/** A developer's host: this one, with stand-ins. The npm package is downloaded to /srv. */
export function furnishCheckout({ root }: Machine): void {
  for (const [name, script] of Object.entries(standIns)) {
    const path = join(root, '/usr/local/bin', name);
    writeFileSync(path, `#!/bin/sh\nset -e\n${script}\n`, { mode: 0o755 });
    chmodSync(path, 0o755);
  }
  writeFileSync(join(root, '/root/.curlrc'), curlSettings);
  writeFileSync(join(root, checkout, 'analyzer-password'), password);
  mkdirSync(join(root, '/srv/site'), { recursive: true });
  cpSync(artefacts.package, join(root, '/srv/site', basename(artefacts.package)));
}
