import { appendFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The real programs that tests run against, and the Debian package each comes from. */
const packages: Readonly<Record<string, string>> = {
  prometheus: 'prometheus',
  promtool: 'prometheus',
  apache2: 'apache2-bin libapache2-mod-auth-gssapi gss-ntlmssp',
  ntlm_auth: 'winbind',
  winbindd: 'winbind samba libnss-wrapper',
  pdbedit: 'samba',
  smbpasswd: 'samba-common-bin',
  'libnss_wrapper.so': 'libnss-wrapper',
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  amtool: 'prometheus-alertmanager',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  jsonnet: 'jsonnet',
  'docker-compose': 'docker-compose',
  curl: 'curl',
  chromium: 'chromium',
  openssl: 'openssl',
  gssapi: 'python3-gssapi gss-ntlmssp',
};

/** Debian's name of the folder that holds the libraries of this machine. */
const libraries = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;

const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  libraries,
  '/usr/lib/python3/dist-packages',
];

/** The path of a program, a library or a Python module. */
export function findProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Whether the programs are all here, for `describe.runIf`. A missing one is an error where `REQUIRE_PEERS` is 1, and is
 * otherwise put on the list that the test run ends with.
 */
export function peer(...names: readonly string[]): boolean {
  const missing = names.filter((name) => findProgram(name) === undefined);
  for (const name of missing) {
    const hint = `${name} is missing: apt-get install --no-install-recommends ${packages[name] ?? name}`;
    if (process.env.REQUIRE_PEERS === '1') throw new Error(hint);
    const list = process.env.MISSING_PEERS_FILE;
    if (list !== undefined) appendFileSync(list, `${hint}\n`);
  }
  return missing.length === 0;
}
