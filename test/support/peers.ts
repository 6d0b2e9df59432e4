import { appendFileSync, existsSync, readdirSync } from 'node:fs';
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
  kubectl: 'kubernetes-client',
  chromium: 'chromium',
  openssl: 'openssl',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
  unshare: 'util-linux',
  setpriv: 'util-linux',
  nsenter: 'util-linux',
  chroot: 'coreutils',
  slurmctld: 'slurmctld',
  slurmd: 'slurmd',
  scontrol: 'slurm-client',
  munged: 'munge',
  postgres: 'postgresql',
  initdb: 'postgresql',
  psql: 'postgresql-client',
  gssapi: 'python3-gssapi gss-ntlmssp',
  minisign: 'minisign',
  gpg: 'gnupg',
};

/** The name of Debian's library folder for this architecture. */
const libraries = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;

/** Debian keeps the programs of each version of PostgreSQL apart. */
const postgresql = '/usr/lib/postgresql';
const versions = existsSync(postgresql)
  ? readdirSync(postgresql).map((version) => join(postgresql, version, 'bin'))
  : [];

const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  ...versions,
  libraries,
  '/usr/lib/python3/dist-packages',
];

/** The path of a program, a library or a Python module. */
export function findProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Whether all programs are installed, for `describe.runIf`. If `REQUIRE_PEERS` is 1, a missing one is an error. Otherwise
 * it is listed at the end of the test run.
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
