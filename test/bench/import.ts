import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importHistory } from '../../src/analyzer/exchange/import-history.ts';
import { Names } from '../../src/analyzer/exchange/names.ts';
import { openImport } from '../../src/analyzer/history/staged-import.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { random } from '../../src/analyzer/simulated/simulated-random.ts';
import { debugLogUsage } from '../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import type { Line } from './report.ts';

/** Importing a debug log of FlexNet, compared with the processor time that a gigabyte may take. */

/** How large the log is. */
export interface ImportBench {
  readonly megabytes: number;
  readonly days: number;
  readonly features: number;
}

const BEGIN = Date.UTC(2025, 0, 1) / 1000;
const DAY = 86_400;
/** Seconds of processor time for a gigabyte. */
const LIMIT = 100;
const LINE_BYTES = 82;

const two = (value: number): string => String(value).padStart(2, '0');
const clockOf = (at: number): string =>
  `${Math.floor((at % DAY) / 3600)}:${two(Math.floor(at / 60) % 60)}:${two(at % 60)}`;

/** Sessions of up to three hours, some of several licenses, in the order of time. Day by day: no string could have all of them. */
function writeLog(path: string, { megabytes, days, features }: ImportBench): void {
  const sessions = (megabytes * 1e6) / LINE_BYTES / 2;
  let lines: { readonly at: number; readonly text: string }[] = [];
  const add = (at: number, text: string): void => void lines.push({ at, text });
  const writeBefore = (end: number): void => {
    const due = lines.filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
    lines = lines.filter(({ at }) => at >= end);
    appendFileSync(path, due.map(({ at, text }) => `${clockOf(at)} ${text}\n`).join(''));
  };
  add(BEGIN, '(lmgrd) Started cdslmd (internet tcp_port 4711 pid 12)');
  let next = BEGIN;
  for (let i = 0; i < sessions; i += 1) {
    const at = BEGIN + Math.floor((i * days * DAY) / sessions);
    for (; next <= at; next += 6 * 3600) {
      writeBefore(next);
      const date = new Date(next * 1000);
      add(next, `(lmgrd) TIMESTAMP ${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`);
    }
    const draw = (name: string): number => random('import', name, i);
    const user = Math.floor(draw('user') * 3000);
    const feature = Math.floor(draw('feature') * draw('use') * features);
    const licenses = draw('licenses') < 0.1 ? '  (2 licenses)' : '  ';
    const what = `"Feature_Name_Long_${feature}" user${user}@workstation-${user}.example.com${licenses}`;
    add(at, `(cdslmd) OUT: ${what}`);
    add(at + 60 + Math.floor(draw('length') * 3 * 3600), `(cdslmd) IN: ${what}`);
  }
  writeBefore(Number.POSITIVE_INFINITY);
}

export async function benchImport(size: ImportBench): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-'));
  const path = join(folder, 'lmgrd.log');
  writeLog(path, size);
  const localTime = createLocalTime('UTC');
  const imports = join(folder, 'import');
  mkdirSync(imports);
  const store = openStore({ path: join(folder, 'history.db'), localTime, origin: 'benchmark', maxSize: 2 ** 40 });
  const today = localTime.dayOf(BEGIN) + size.days + 60;
  runAtOnce(store.seal(today));
  const begin = process.cpuUsage();
  const { staged } = await importHistory({
    path,
    folder: imports,
    logs: [debugLogUsage],
    readText: () => undefined,
    logTime: localTime,
    localTime,
    encoding: undefined,
    names: new Names({ known: [], server: 'lic1', servers: [] }),
    firstDay: 0,
    asOfNow: false,
    people: true,
    isWithoutReservations: () => false,
    isDryRun: false,
    now: today * DAY,
    onProgress: () => undefined,
  });
  for (const file of staged) {
    const open = openImport(file, localTime);
    for (const piece of open.pieces()) if (piece !== undefined) runAtOnce(store.import(piece, open.staged));
    open.close();
  }
  const { user, system } = process.cpuUsage(begin);
  store.close();
  const bytes = statSync(path).size;
  rmSync(folder, { recursive: true, force: true });
  const seconds = ((user + system) / 1e6) * (1e9 / bytes);
  const what = `import: processor time of a gigabyte of debug log (peer: the limit), ${size.megabytes} MB, ${size.days} days of ${size.features} features`;
  return [{ what, ours: seconds, peer: LIMIT, unit: 's', ratio: LIMIT / seconds }];
}
