import { type ArchiveConnection, ArchiveError, connectArchive } from '../../src/analyzer/archive/connection.ts';
import { Exchange, type Exchanged, type ExchangeOptions } from '../../src/analyzer/archive/exchange.ts';
import type { Store } from '../../src/analyzer/history/store.ts';
import type { ArchivableHistory } from '../../src/analyzer/history/store-archive.ts';
import type { LocalTime } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import type { Postgresql } from './start-postgresql.ts';

/** An analyzer with an archive, without its program. */
export interface ArchivePeer {
  readonly store: Store;
  readonly localTime: LocalTime;
  readonly origin: string;
  readonly firstDay?: number;
}

/** How to reach the database as its user. */
export const exchangeOptions = ({ port, password }: Postgresql, name: string): ExchangeOptions => ({
  host: '127.0.0.1',
  port,
  database: 'monitoring',
  user: 'licenses',
  password: () => password,
  tls: undefined,
  schema: 'license_exporter',
  name,
  version: '0.0.0',
});

/** What breaks an exchange: the connection at a query, or the disk at a write. Both are counted from 0. */
export interface ArchiveFault {
  readonly query?: number;
  readonly write?: number;
}

/** Its history, as an archive sees it. @param mayWrite whether a write succeeds */
export const archivableOf = (
  { store, localTime, origin, firstDay = -100_000 }: ArchivePeer,
  mayWrite = () => true,
): ArchivableHistory => ({
  origin,
  localTime,
  days: () => store.archive,
  firstDay: () => firstDay,
  write: async (work) => {
    if (!mayWrite()) return false;
    if (store.archive !== undefined) runAtOnce(work(store.archive) as Generator<void, void>);
    return true;
  },
  onTaken: () => undefined,
});

/** One exchange over a connection of its own. @throws ArchiveError at a fault */
export async function exchangeOnce(
  options: ExchangeOptions,
  analyzer: ArchivePeer,
  fault: ArchiveFault = {},
): Promise<Exchanged> {
  let [queries, writes] = [0, 0];
  const history = archivableOf(analyzer, () => {
    writes += 1;
    return writes - 1 !== fault.write;
  });
  const connection = await connectArchive(options);
  const query: ArchiveConnection['query'] = async (text, values) => {
    if (queries === fault.query) {
      connection.close();
      throw new ArchiveError('the connection was lost');
    }
    queries += 1;
    return connection.query(text, values);
  };
  const breaking: ArchiveConnection =
    fault.query === undefined
      ? connection
      : {
          query,
          // one that is lost before its end changes nothing
          transact: (key, action) => connection.transact(key, action),
          close: connection.close,
        };
  try {
    return await new Exchange(breaking, options, history).run();
  } finally {
    connection.close();
  }
}
