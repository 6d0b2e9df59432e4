import type { LocalTime } from '../../base/model/local-time.ts';
import { SLOT } from '../history/imported-samples.ts';
import type { DayOfSamples, Sample, Series } from '../history/sample.ts';
import type { Names } from './names.ts';
import { labelsOf, type MatrixSeries, type PrometheusServer, queryRange } from './prometheus-api.ts';

/** The server, the days, and where they go. */
export interface PrometheusImportOptions {
  readonly server: PrometheusServer;
  /** The calendar of the history. */
  readonly localTime: LocalTime;
  readonly names: Names;
  /** The first day, and the day after the last. */
  readonly from: number;
  readonly until: number;
  readonly write: (days: readonly DayOfSamples[]) => void;
  readonly onProgress: (day: number, read: number, all: number) => void;
}

type Figure = 'available' | 'inUse' | 'peak' | 'users' | 'used' | 'unused' | 'denied';
type Labels = Readonly<Record<string, string>>;

/** Metrics of an exporter. */
interface Dialect {
  readonly figures: Readonly<Partial<Record<Exclude<Figure, 'peak'>, string>>> & { readonly inUse: string };
  /** Labels that distinguish series of history. */
  readonly by: readonly string[];
  /** Further labels that distinguish what is summed up. */
  readonly parts: readonly string[];
}

const OWN: Dialect = {
  figures: {
    inUse: 'license_feature_in_use',
    available: 'license_feature_max_available',
    users: 'license_feature_distinct_users',
    used: 'license_feature_used_reserve',
    unused: 'license_feature_unused_reserve',
    denied: 'license_feature_denials_total',
  },
  by: ['vendor_license', 'feature', 'package', 'feature_type'],
  parts: ['version', 'cause'],
};

const FLEXLM_EXPORTER: Dialect = {
  figures: { inUse: 'flexlm_feature_used', available: 'flexlm_feature_issued' },
  by: ['app', 'name'],
  parts: [],
};

/** Several exporters or replicas may have the same series. */
const queryOf = (metric: string, { by, parts }: Dialect): string =>
  `sum by (${by.join(', ')}) (max by (${[...by, ...parts].join(', ')}) (${metric}))`;

/** Seconds after the beginning of a slot that are of the same slot. */
const REST = SLOT - 1;

/**
 * The peak of a slot, at its last second: what stands at its beginning is one of its figures, and may be a moment older. The peaks of
 * several parts may have been at different times: of those there are only looks.
 */
function peakQueryOf(metric: string, dialect: Dialect): string {
  const { by, parts } = dialect;
  const all = `max by (${[...by, ...parts].join(', ')}) (max_over_time(${metric}[${SLOT}s]))`;
  const alone = `sum by (${by.join(', ')}) (${all}) and (count by (${by.join(', ')}) (${all}) == 1)`;
  return `(${alone}) or max_over_time((${queryOf(metric, dialect)})[${SLOT}s:30s])`;
}

/** Names of daemons by the label `app` of flexlm_exporter, where it has one. */
async function daemonsOf(
  server: PrometheusServer,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<string, string>> {
  const found = await labelsOf(server, 'flexlm_vendor_status', range);
  const byApp = Map.groupBy(found, ({ app = '' }) => app);
  return new Map(
    [...byApp].flatMap(([app, all]) => {
      const names = new Set(all.map((one) => one.name ?? ''));
      return names.size === 1 ? [[app, [...names][0] ?? app] as const] : [];
    }),
  );
}

/** The figures of a series on a day, by their time. */
class DayFigures {
  readonly #figures = new Map<Figure, ReadonlyMap<number, number>>();

  set(figure: Figure, values: MatrixSeries['values']): void {
    this.#figures.set(figure, new Map(values));
  }

  /** @param start first second of the day */
  samples(start: number): Sample[] {
    const times = new Set(
      [...this.#figures].flatMap(([figure, values]) =>
        figure === 'peak' ? [] : [...values.keys()].filter((time) => time >= start),
      ),
    );
    const at = (figure: Figure, time: number): number | undefined => this.#figures.get(figure)?.get(time);
    return [...times]
      .sort((a, b) => a - b)
      .map((time) => {
        const [used, unused] = [at('used', time), at('unused', time)];
        const [inUse, peak = 0] = [at('inUse', time), at('peak', time + REST)];
        return {
          at: time,
          seconds: SLOT,
          available: at('available', time),
          inUse,
          reserved: used === undefined || unused === undefined ? undefined : used + unused,
          users: at('users', time),
          denials: this.#denialsAt(time),
          whole: inUse !== undefined && peak > inUse ? { peak, licenseSeconds: undefined } : undefined,
        };
      });
  }

  /** What a counter has counted since the time before. */
  #denialsAt(time: number): number | undefined {
    const [now, before] = [time, time - SLOT].map((one) => this.#figures.get('denied')?.get(one));
    if (now === undefined || before === undefined) return undefined;
    return now >= before ? now - before : now;
  }
}

/** What was found. */
export interface PrometheusImport {
  readonly daysWithData: number;
}

/** Imports series of this exporter, and of flexlm_exporter, day by day. @throws OperatorError */
export async function importPrometheus(options: PrometheusImportOptions): Promise<PrometheusImport> {
  const { server, localTime, names, from, until, write, onProgress } = options;
  const span = { from: localTime.startOf(from), to: localTime.startOf(until) };
  const daemons = await daemonsOf(server, span);
  const seriesOf = (dialect: Dialect, labels: Labels): Series => {
    if (dialect === FLEXLM_EXPORTER) {
      const { app = '', name = '' } = labels;
      return names.seriesOf(daemons.get(app) ?? app, name);
    }
    const {
      vendor_license: vendorLicense = '',
      feature = '',
      package: packageName = '',
      feature_type: type = '',
    } = labels;
    return names.ownSeries({ vendorLicense, feature, package: packageName, featureType: type });
  };
  let daysWithData = 0;
  for (let day = from; day < until; day += 1) {
    const start = localTime.startOf(day);
    // one before, from which a counter counts
    const range = { from: start - SLOT, to: localTime.startOf(day + 1) - 1, step: SLOT };
    const found = new Map<string, { readonly series: Series; readonly figures: DayFigures }>();
    const add = async (dialect: Dialect, figure: Figure, query: string, within: typeof range): Promise<void> => {
      for (const { labels, values } of await queryRange(server, query, within)) {
        const series = seriesOf(dialect, labels);
        const key = JSON.stringify(series);
        const entry = found.get(key) ?? { series, figures: new DayFigures() };
        entry.figures.set(figure, values);
        found.set(key, entry);
      }
    };
    for (const dialect of [OWN, FLEXLM_EXPORTER]) {
      for (const [figure, metric] of Object.entries(dialect.figures) as [Figure, string][])
        await add(dialect, figure, queryOf(metric, dialect), range);
      const rest = { from: range.from + REST, to: range.to + REST, step: SLOT };
      await add(dialect, 'peak', peakQueryOf(dialect.figures.inUse, dialect), rest);
    }
    const days = [...found.values()].map(({ series, figures }) => ({ series, day, samples: figures.samples(start) }));
    write(days.filter(({ samples }) => samples.length > 0));
    if (days.some(({ samples }) => samples.length > 0)) daysWithData += 1;
    onProgress(day, day + 1 - from, until - from);
  }
  return { daysWithData };
}
