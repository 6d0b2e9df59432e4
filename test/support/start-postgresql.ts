import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';
import { freePort } from './start-proxy.ts';

/** A PostgreSQL server on a port of its own, with the database `monitoring` and the user `licenses`, who owns its schema. */
export interface Postgresql {
  readonly port: number;
  /** Of the user. */
  readonly password: string;
  readonly passwordFile: string;
  /** For `storage.archive.url`, without parameters. */
  readonly url: string;
  /** Runs SQL as the administrator, in that database. @returns the rows, a line each, with `|` between the values */
  query(sql: string): string;
  stop(): Promise<void>;
  /** After `stop`. */
  start(): Promise<void>;
}

/** It refuses to run as root. */
const NOBODY = 65_534;
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** @param tls its certificate; without one it has no TLS */
export async function startPostgresql(cleanup: Cleanup, tls?: Certificate): Promise<Postgresql> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-postgresql-'));
  chmodSync(folder, 0o755);
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const [data, port, password] = [join(folder, 'data'), await freePort(), 'correct horse'];
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  const own = (path: string): void => {
    if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid);
  };
  own(folder);
  own(passwordFile);
  const program = (name: string): string => findProgram(name) ?? name;
  const first = ['-D', data, '-U', 'admin', '-A', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync', '-E', 'UTF8'];
  execFileSync(program('initdb'), [...first, '--locale=C.UTF-8'], { ...owner, stdio: 'pipe' });
  if (tls !== undefined) {
    for (const [from, to] of [[tls.certFile, 'server.crt'] as const, [tls.keyFile, 'server.key'] as const]) {
      copyFileSync(from, join(data, to));
      own(join(data, to));
      chmodSync(join(data, to), 0o600);
    }
  }
  const env = { ...process.env, PGPASSWORD: password };
  const query = (sql: string, database = 'monitoring'): string => {
    const where = ['-h', '127.0.0.1', '-p', String(port), '-U', 'admin', '-d', database];
    const options = { env, encoding: 'utf8', stdio: 'pipe', input: sql, maxBuffer: 2 ** 28 } as const;
    return execFileSync(program('psql'), ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...where], options).trimEnd();
  };
  let stop = (): Promise<void> => Promise.resolve();
  const start = async (): Promise<void> => {
    const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'fsync=off'];
    if (tls !== undefined) settings.push('ssl=on');
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(program('postgres'), args, { ...owner, stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    stop = async () => {
      // ends it and its connections at once, in order
      child.kill('SIGINT');
      await ended;
    };
    await eventually('PostgreSQL', async () => {
      try {
        return query('SELECT 1', 'postgres') === '1';
      } catch {
        return false;
      }
    });
  };
  await start();
  cleanup.add(() => stop());
  query(`CREATE USER licenses PASSWORD '${password}'`, 'postgres');
  query('CREATE DATABASE monitoring', 'postgres');
  query('CREATE SCHEMA license_exporter AUTHORIZATION licenses');
  const url = `postgresql://licenses@127.0.0.1:${port}/monitoring`;
  return { port, password, passwordFile, url, query: (sql) => query(sql), stop: () => stop(), start };
}
