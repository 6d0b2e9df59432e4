import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { exchangeOnce, exchangeOptions } from '../support/archive-peer.ts';
import { createCleanup } from '../support/harness.ts';
import { startPostgresql } from '../support/start-postgresql.ts';
import type { Line } from './report.ts';
import { writeYear } from './year-store.ts';

/** The exchange of a history with its archive in PostgreSQL, compared with the time that 2,000 features × 365 days may take. */

const LIMIT_DAYS = 2000 * 365;
/** Seconds until a lost disk is whole again. */
const TAKE_LIMIT = 120;
/** Seconds until an archive has everything for the first time. */
const GIVE_LIMIT = 600;
const ORIGIN = 'benchmark';

export async function benchArchive(features: number, days: number): Promise<Line[]> {
  const cleanup = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const localTime = createLocalTime('UTC');
  const today = localTime.dayOf(Date.now() / 1000);
  const series = Array.from({ length: features }, (_, i) => ({
    vendorLicense: `server${i % 20};daemon`,
    feature: `feature${i}`,
    package: '',
    featureType: 'feature',
  }));
  const path = join(folder, 'history.db');
  writeYear({ path, origin: ORIGIN, localTime, series, days, today });
  const database = await startPostgresql(cleanup);
  const exchange = async (file: string) => {
    const store = openStore({ path: file, localTime, origin: ORIGIN, maxSize: 2 ** 40, isArchived: true });
    runAtOnce(store.seal(today));
    const begin = performance.now();
    const done = await exchangeOnce(exchangeOptions(database, 'benchmark'), { store, localTime, origin: ORIGIN });
    const seconds = ((performance.now() - begin) / 1000) * (LIMIT_DAYS / (features * days));
    store.close();
    return { ...done, seconds };
  };
  const given = await exchange(path);
  const taken = await exchange(join(folder, 'new.db'));
  await cleanup.run();
  if (given.given !== features * days || taken.taken !== features * days) throw new Error('days are missing');
  const size = `for 2,000 features × 365 days, of ${features} × ${days}`;
  return [
    {
      what: `archive: a new disk is whole (peer: the limit), ${size}`,
      ours: taken.seconds,
      peer: TAKE_LIMIT,
      unit: 's',
      ratio: TAKE_LIMIT / taken.seconds,
    },
    {
      what: `archive: the first upload (peer: the limit), ${size}`,
      ours: given.seconds,
      peer: GIVE_LIMIT,
      unit: 's',
      ratio: GIVE_LIMIT / given.seconds,
    },
  ];
}
