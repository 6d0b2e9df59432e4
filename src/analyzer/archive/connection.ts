import type { ClientConfig } from 'pg';
import { type ClientTls, tlsOptions } from '../../base/model/client-tls.ts';
import { explainConnection, type Peer } from '../../base/model/connection-failure.ts';
import { inOneLine, OperatorError } from '../../base/model/operator-error.ts';

/** A connection to the database of the archive. */

/** Why the archive cannot be used, with the remedy. */
export class ArchiveError extends OperatorError {
  override readonly name = 'ArchiveError';
}

export interface DatabaseOptions {
  /** A host, or the directory of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Called for each connection. @throws OperatorError if it cannot be read */
  readonly password: () => string | undefined;
  /** `undefined` for a connection without TLS. */
  readonly tls: ClientTls | undefined;
  readonly schema: string;
}

type Value = string | number | boolean | null | Uint8Array;

/** A row by the names of its columns. Numbers of 64 bits are numbers, too. */
export type ArchiveRow = Readonly<Record<string, unknown>>;

/** One connection. Its methods throw ArchiveError. */
export interface ArchiveConnection {
  /** `schema.` in the text is that of the archive. */
  query(text: string, values?: readonly (Value | readonly Value[])[]): Promise<readonly ArchiveRow[]>;
  /** One transaction, in which this is the only writer for a key. */
  transact<T>(key: number, action: () => Promise<T>): Promise<T>;
  /** Ends it, also while a query runs. */
  close(): void;
}

const peer: Peer = { name: 'the archive', url: 'storage.archive.url', tls: 'storage.archive.tls' };
const CONNECT_MS = 30_000;
/** Of one query. The longest one writes the hours of some hundred days. */
const QUERY_MS = 60_000;
/** How long a statement waits for a lock: what waits for a table that it changes holds up readers. A pooler refuses it as an option of the connection. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '5s'";
/** The first number of all locks of this program. */
const LOCKS = 0x6c696365;
/** The type of a 64-bit integer, whose value would be a text. */
const INT8 = 20;

/** What is wrong and what to do, by the codes of PostgreSQL ("Appendix A. PostgreSQL Error Codes"). Words in capitals that stand for names are replaced. */
export const archiveProblems = {
  '28P01': 'the archive rejects the password of USER; correct storage.archive.password_file',
  '28000':
    'the archive does not admit USER; check the user in storage.archive.url, and pg_hba.conf for this host and TLS',
  '3D000': 'there is no database DATABASE; create it, or correct storage.archive.url',
  '42501': 'USER may not do that in the schema NAME; let an administrator run: CREATE SCHEMA NAME AUTHORIZATION USER',
  '25006': 'the archive cannot be written to; name the primary server in storage.archive.url',
  '53300': 'the archive has no free connection; raise max_connections',
  '53100': 'the disk of the archive is full; make room',
  '55P03': 'other users of the archive hold a lock for too long; it is tried again',
  '57014': 'the archive did not answer within 60 s; it is tried again',
  newer:
    'the schema NAME was made by a newer version of license-exporter; use that version, or set another storage.archive.schema',
  foreign: 'the schema NAME has other tables of these names; set another storage.archive.schema',
  timeZone:
    'the archive has the days of this analyzer in the time zone FOUND, not WANTED; change embedded_analyzer.time_zone back, or set another analyzer.name',
  origin: 'under this name the archive has history of FOUND, not of WANTED; set another analyzer.name',
  noPassword: 'the archive requires a password; set storage.archive.password_file',
  noTls: 'the archive has no TLS; enable it there, or add ?sslmode=disable to storage.archive.url',
} as const;

const isProblem = (code: string): code is keyof typeof archiveProblems => Object.hasOwn(archiveProblems, code);

/** A problem in the words of the table above. */
export function archiveError(
  problem: keyof typeof archiveProblems,
  { user, database, schema }: DatabaseOptions,
  found = '',
  wanted = '',
): ArchiveError {
  const words: Readonly<Record<string, string>> = {
    USER: user,
    DATABASE: database,
    NAME: schema,
    FOUND: found,
    WANTED: wanted,
  };
  const text = archiveProblems[problem].replace(
    /\b(?:USER|DATABASE|NAME|FOUND|WANTED)\b/g,
    (word) => words[word] ?? word,
  );
  return new ArchiveError(text);
}

function failureOf(error: unknown, options: DatabaseOptions): Error {
  if (error instanceof OperatorError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (isProblem(code)) return archiveError(code, options);
  if (/does not support SSL/.test(message)) return archiveError('noTls', options);
  if (/password must be a string/.test(message)) return archiveError('noPassword', options);
  if (/read timeout/.test(message)) return archiveError('57014', options);
  const explained = explainConnection(/timeout expired/.test(message) ? 'ETIMEDOUT' : code, error, peer);
  if (explained !== undefined) return new ArchiveError(inOneLine(explained));
  return new ArchiveError(`the archive reports: ${message.replace(/\s+/g, ' ')}${code === '' ? '' : ` (${code})`}`);
}

/** Connects to the database. @param signal ends the attempt @throws ArchiveError */
export async function connectArchive(options: DatabaseOptions, signal?: AbortSignal): Promise<ArchiveConnection> {
  const { host, port, database, user, tls, schema } = options;
  const { default: pg } = await import('pg');
  const config: ClientConfig = {
    host,
    port,
    database,
    user,
    ssl: tls === undefined ? false : tlsOptions(tls),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'license-exporter',
    types: {
      // biome-ignore lint/suspicious/noExplicitAny: the type of pg
      getTypeParser: (type: number, format: any) =>
        type === INT8 ? Number : (pg.types.getTypeParser(type, format) as (value: string) => unknown),
    },
  };
  const attempt = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw failureOf(error, options);
    }
  };
  const client = await attempt(async () => {
    const password = options.password();
    const made = new pg.Client({ ...config, ...(password !== undefined && { password }) });
    // a connection that ends while nothing is asked fails the next query
    made.on('error', () => undefined);
    const give = (): void => void made.connection.stream.destroy();
    signal?.addEventListener('abort', give, { once: true });
    try {
      if (signal?.aborted !== true) await made.connect();
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', give);
    }
    return made;
  });
  const query: ArchiveConnection['query'] = (text, values = []) =>
    attempt(async () => {
      const result = await client.query(text.replaceAll('schema.', `${schema}.`), values as unknown[]);
      return result.rows as readonly ArchiveRow[];
    });
  return {
    query,
    transact: async (key, action) => {
      await query('BEGIN');
      try {
        await query(LOCK_TIMEOUT);
        await query('SELECT pg_advisory_xact_lock($1, $2)', [LOCKS, key]);
        const result = await action();
        await query('COMMIT');
        return result;
      } catch (error) {
        // the connection may be lost, which has the same effect
        await query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
    close: () => {
      client.end().catch(() => undefined);
      client.connection.stream.destroy();
    },
  };
}
