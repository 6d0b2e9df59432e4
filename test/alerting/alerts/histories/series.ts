import type { AlertEngine } from '../../../../src/alerting/alerts/engine.ts';
import { collectAlerts } from '../../../../src/exporter/metrics/alerting.ts';
import type { Family } from '../../../../src/exporter/metrics/family.ts';
import { formatLabels } from '../../../../src/exporter/metrics/rows.ts';
import type { Frame, Moment } from './frames.ts';
import { analyzerOf, type History, type Replica, shardOf } from './history.ts';

/** What Prometheus scrapes over a history. */

/** The sample of a series at a tick; `stale` is the marker that it has ended, `undefined` is no sample. */
export type Sample = number | 'stale' | undefined;
/** The samples of each series by tick. */
export type Series = ReadonlyMap<string, readonly Sample[]>;

/** A sample on a page: metric, labels as on the page, value. */
type OnPage = readonly [name: string, labels: string, value: number];

function* samplesOf({ name, rows, value }: Family): Generator<OnPage> {
  const text = rows.arena.toString();
  for (let row = 0; row < rows.count; row += 1) {
    const sample = value(row);
    // all labels are ASCII
    if (sample !== undefined) yield [name, text.slice(rows.offsets[row], rows.offsets[row + 1]), sample];
  }
}

/** The samples of one page that rules read. */
export function* pageOf(history: History, { replica, now }: Frame, engine: AlertEngine): Generator<OnPage> {
  const described = history.replicas[replica] as Replica;
  const [analyzer, shard] = [analyzerOf(history, described), shardOf(described)];
  const scope = { analyzer, shard, shards: described.shard.total };
  for (const family of collectAlerts(engine.status(), scope)) yield* samplesOf(family);
  const info = formatLabels(
    ['analyzer', 'shard', 'external_url'],
    [analyzer, shard, 'http://monitor.example.com:10319'],
  );
  yield ['license_exporter_analyzer_info', info, 1];
  const build = formatLabels(['version', 'revision', 'node_version'], ['1.2.3', 'abcdef', 'v24.0.0']);
  yield ['license_exporter_build_info', build, 1];
  yield ['license_exporter_time_seconds', '', now];
}

/** Collects the series of a history, without those that no rule reads. */
export class SeriesRun {
  readonly #series = new Map<string, Sample[]>();
  /** Those of the last page, by target. */
  readonly #live = new Map<string, ReadonlySet<string>>();
  readonly #history: History;
  readonly #names: ReadonlySet<string>;

  constructor(history: History, names: ReadonlySet<string>) {
    this.#history = history;
    this.#names = names;
  }

  /** Scrapes all targets. A series that is not on the next page, or has no page, gets a marker; not while Prometheus is away. */
  scrape({ tick, targets, isPrometheusThere }: Moment, pages: ReadonlyMap<number, readonly OnPage[]>): void {
    if (!isPrometheusThere) return;
    const scraped = new Set(targets.map((replica) => this.#history.replicas[replica]?.instance ?? ''));
    for (const [instance, live] of this.#live) {
      if (scraped.has(instance)) continue;
      for (const key of live) this.#set(key, tick, 'stale');
      this.#live.delete(instance);
    }
    for (const replica of targets) {
      const page = pages.get(replica);
      const { instance, targetLabels } = this.#history.replicas[replica] as Replica;
      const more = Object.entries(targetLabels).map(([name, value]) => `,${name}="${value}"`);
      const target = `{job="license-exporter",instance="${this.#history.seed}-${instance}:10319"${more.join('')}`;
      const displaced = (labels: string): string =>
        Object.keys(targetLabels).reduce((all, name) => all.replace(`${name}="`, `exported_${name}="`), labels);
      const up: OnPage = ['up', '', page === undefined ? 0 : 1];
      const before = this.#live.get(instance) ?? [];
      const live = new Set<string>();
      for (const [name, labels, value] of [up, ...(page ?? [])]) {
        if (!this.#names.has(name)) continue;
        const key = `${name}${target}${labels === '' ? '}' : `,${displaced(labels.slice(1))}`}`;
        this.#set(key, tick, value);
        live.add(key);
      }
      for (const key of before) if (!live.has(key)) this.#set(key, tick, 'stale');
      this.#live.set(instance, live);
    }
  }

  #set(key: string, tick: number, value: Sample): void {
    const values = this.#series.get(key) ?? new Array<Sample>(this.#history.ticks).fill(undefined);
    values[tick] = value;
    this.#series.set(key, values);
  }

  get all(): Series {
    return this.#series;
  }
}
