import { readCsv } from '../../src/program/config/entry-file.ts';
import { type Figures, namedAdvice, refusedInText, sum } from './said-figure.ts';

/** What rows, other answers and metrics say: figures by what they mean. */

const DAY = 86_400;
/** A feature with fewer licenses is not saturated. */
const FEWEST_LICENSES = 2;

/** A sum of what is known; not known if nothing is. */
const sumOfKnown = (values: readonly (number | null | undefined)[]): number | undefined => {
  const known = values.filter((value): value is number => typeof value === 'number');
  return known.length === 0 ? undefined : sum(known);
};

type Row = Readonly<Record<string, unknown>>;
/** The rows of an answer. */
export const rowsOf = (body: string): readonly Row[] => (JSON.parse(body) as { rows?: readonly Row[] }).rows ?? [];
const numbers = (rows: readonly Row[], column: string) => rows.map((row) => row[column] as number | null);

function* productFigures(rows: readonly Row[]): Figures {
  yield ['vendor licenses', rows.length];
  if (rows.some(({ up }) => up !== null)) yield ['servers down', rows.filter(({ up }) => up === false).length];
  for (const row of rows) {
    const { product: name } = row;
    yield [`state of ${name}`, row.state as string];
    yield [`users of ${name}`, row.distinct_users as number | null];
    yield [`in use of ${name}`, row.in_use as number | null];
    yield [`bought of ${name}`, row.bought as number | null];
    const next = row.next_expiry as string | null;
    yield [`next expiry of ${name}`, next === 'permanent' ? 'none' : next];
  }
  yield ['servers with known users', rows.filter(({ distinct_users: users }) => users !== null).length];
}

/** Columns of what is waited for and held, and what they are called. */
const held = {
  max_queued: 'waiting',
  inactive_use: 'idle',
  borrowed_use: 'borrowed',
  unused_reserve: 'reserved',
};

function* featureRowFigures(rows: readonly Row[]): Figures {
  const isCounted = ({ in_use: inUse, bought }: Row): boolean => inUse !== null && bought !== null;
  for (const [name, own] of Map.groupBy(rows, ({ product }) => product as string)) {
    const counted = own.filter(isCounted);
    if (counted.length > 0) {
      yield [`in use of ${name}`, sumOfKnown(numbers(counted, 'in_use'))];
      yield [`bought of ${name}`, sumOfKnown(numbers(counted, 'bought'))];
    }
    const uncounted = own.filter(({ license_type: type }) => type === 'uncounted');
    if (uncounted.length > 0 && uncounted.every(({ in_use: inUse }) => inUse !== null)) {
      yield [`uncounted in use of ${name}`, sumOfKnown(numbers(uncounted, 'in_use'))];
    }
  }
  for (const [name, versions] of Map.groupBy(rows, ({ product, feature }) => `${feature} of ${product}`)) {
    const inUse = numbers(versions, 'in_use');
    yield [`in use of ${name}`, inUse.includes(null) ? undefined : sumOfKnown(inUse)];
    const bought = numbers(versions, 'bought');
    yield [`bought of ${name}`, bought.includes(null) ? undefined : sumOfKnown(bought)];
    for (const [column, kind] of Object.entries(held))
      yield [`${kind} of ${name}`, sumOfKnown(numbers(versions, column))];
  }
  for (const [name, own] of Map.groupBy(rows, ({ product }) => product as string)) {
    for (const [column, kind] of Object.entries(held))
      yield [`${kind} of ${name}, all`, sumOfKnown(numbers(own, column))];
    yield [`features of ${name}, reported`, own.length];
  }
  for (const [column, kind] of Object.entries(held)) yield [`${kind}, all`, sumOfKnown(numbers(rows, column))];
  const shared = rows.filter(({ share }) => share !== null);
  const full = shared.filter(({ share, bought }) => Number(share) >= 0.95 && Number(bought) >= FEWEST_LICENSES);
  yield ['saturated', shared.length === 0 ? undefined : full.length];
  yield ['waiting', sumOfKnown(numbers(rows, 'max_queued'))];
  yield ['reported features', rows.length];
  yield ['in use, all', sumOfKnown(numbers(rows, 'in_use'))];
}

function* featureTotals([totals = {}]: readonly Row[]): Figures {
  yield ['saturated', totals.saturated as number | null];
  yield ['waiting', totals.max_queued as number | null];
  yield ['reported features', totals.features as number | null];
  yield ['in use, all', totals.in_use as number | null];
}

function* expirationTotals([totals = {}]: readonly Row[]): Figures {
  yield ['expired', totals.expired as number | null];
  yield ['expiring in 30 days', totals.within_30_days as number | null];
  yield ['without date', totals.without_date as number | null];
}

function* refusedFigures(rows: readonly Row[]): Figures {
  for (const { product, feature, package: pkg, reason, ...row } of rows) {
    const name = namedAdvice(`${feature}`, `${product}`, `${pkg}`);
    yield [`denials before today of ${name}, 365 days`, row.denials as number | null];
    yield [`days with denials before today of ${name}, 365 days`, row.days_with_denials as number | null];
    if (row.refusal_days === null) continue;
    yield [`days refused, ${name}`, row.refusal_days as number];
    yield [`days with known denials, ${name}`, row.days_with_known_denials as number];
    yield* refusedInText(name, `${reason}`);
  }
}

function* adviceTotals(rows: readonly Row[]): Figures {
  const [first = {}] = rows;
  if (first.features_missing === null) return;
  yield ['licenses that could go', sumOfKnown(numbers(rows, 'could_go'))];
  yield ['features that lack licenses', first.features_missing as number];
  yield ['features that run out', first.run_out_within_120_days as number];
  yield ['features that could go', first.features_that_could_go as number];
  yield ['features whose notice has passed', first.features_too_late as number];
  yield ['permanent features to spare', first.features_permanent as number];
  yield ['provisional advice', first.provisional as number];
  const priced = rows.filter(({ saving }) => saving !== null);
  yield [
    'saving',
    priced.length === 0 ? 'none' : priced.map(({ currency, saving }) => `${currency} ${saving}`).join(', '),
  ];
}

/** What the history of the features of a vendor license adds up to in a range. */
export function* historyTotals(rows: readonly Row[], vendorLicense: string, range: string): Figures {
  const columns = { license_hours: 'license-hours', denials: 'denials', days_with_denials: 'days with denials' };
  for (const row of rows) {
    for (const [column, kind] of Object.entries(columns)) {
      yield [`${kind} of ${row.feature} of ${vendorLicense}, ${range}`, row[column] as number | null];
    }
  }
  const hours = numbers(rows, 'license_hours');
  yield [`license-hours of ${vendorLicense}, all, ${range}`, hours.includes(null) ? undefined : sumOfKnown(hours)];
  yield [`denials of ${vendorLicense}, all, ${range}`, sumOfKnown(numbers(rows, 'denials'))];
}

/** The questions to which these are the answers, beside those that are asked of every site. */
export const countedQuestions: Readonly<Record<string, (rows: readonly Row[]) => Figures>> = {
  '/grafana/rows/products?columns=product&columns=state&columns=up&columns=distinct_users&columns=in_use&columns=bought&columns=next_expiry':
    productFigures,
  '/grafana/rows/features?product=%25': featureRowFigures,
  '/grafana/rows/features?product=%25&shape=totals': featureTotals,
  '/grafana/rows/expirations?product=%25&shape=totals': expirationTotals,
  '/grafana/rows/rightsizing?shape=totals': adviceTotals,
  '/grafana/rows/rightsizing?product=%25': refusedFigures,
};

function* alertsJsonFigures(body: string): Figures {
  const { data } = JSON.parse(body) as { data: { alerts: readonly { state: string; labels: { severity: string } }[] } };
  const of = (state: string, severity?: string): number =>
    data.alerts.filter(
      (alert) => alert.state === state && (severity === undefined || alert.labels.severity === severity),
    ).length;
  for (const severity of ['critical', 'warning', 'info']) yield [`alerts, ${severity}`, of('firing', severity)];
  yield ['alerts, pending', of('pending')];
}

interface RuleJson {
  readonly name: string;
  readonly health: string;
  readonly labels: { readonly severity: string };
  readonly alerts: readonly { readonly state: string }[];
}

function* rulesJsonFigures(body: string): Figures {
  const { data } = JSON.parse(body) as { data: { groups: readonly { rules: readonly RuleJson[] }[] } };
  const rules = data.groups.flatMap((group) => group.rules);
  yield [
    'kinds of alerts without data',
    new Set(rules.filter(({ health }) => health === 'unknown').map(({ name }) => name)).size,
  ];
  for (const severity of ['critical', 'warning', 'info']) {
    const firing = rules.filter(({ labels }) => labels.severity === severity).flatMap(({ alerts }) => alerts);
    yield [`alerts, ${severity}`, firing.filter(({ state }) => state === 'firing').length];
  }
}

function* attentionFigures(body: string): Figures {
  const { data } = JSON.parse(body) as { data: { attention: readonly { state: string }[] } };
  for (const state of ['critical', 'warning', 'info', 'pending']) {
    yield [`alerts, ${state}`, data.attention.filter((item) => item.state === state).length];
  }
}

function* expiriesCsv(body: string): Figures {
  const [header, ...records] = readCsv(body).rows;
  const at = (name: string): number => header?.cells.indexOf(name) ?? -1;
  const left = records.flatMap(({ cells }) => (cells[at('expires')] === '' ? [] : [Number(cells[at('days_left')])]));
  yield ['expired', left.filter((days) => days <= 0).length];
  yield ['expiring in 30 days', left.filter((days) => days > 0 && days <= 30).length];
}

function* adviceAnswer(body: string): Figures {
  const isCsv = !body.startsWith('{');
  const total = isCsv ? readCsv(body).rows.length - 1 : (JSON.parse(body) as { total: number }).total;
  yield ['features, all versions together', total];
  if (!isCsv) yield* refusedFigures(rowsOf(body));
}

function* sourcesJson(body: string): Figures {
  const health = JSON.parse(body) as readonly { up?: boolean }[];
  yield ['sources that are not up', health.filter(({ up }) => up === false).length];
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function* metricFigures(body: string): Figures {
  const samples = Map.groupBy(
    body.split('\n').flatMap((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text] as const);
      return name === ''
        ? []
        : [{ name, labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) }];
    }),
    ({ name }) => name,
  );
  const of = (name: string): readonly Sample[] => samples.get(name) ?? [];
  const figureOf = (name: string): number | undefined => of(name)[0]?.value;
  const up = of('license_server_up');
  if (up.length > 0) yield ['servers down', up.filter(({ value }) => value === 0).length];
  yield ['users', figureOf('license_concurrent_users')];
  for (const { labels, value } of of('license_vendor_license_distinct_users'))
    yield [`users of ${labels.vendor_license}`, value];
  const keyOf = ({
    labels: { vendor_license: name, feature, version, package: pkg, feature_type: type },
  }: Sample): string => JSON.stringify([name, feature, version, pkg, type]);
  const infos = of('license_feature_info');
  yield ['reported features', infos.length];
  yield ['features', infos.length + of('license_feature_expiration_info').length];
  const inUse = of('license_feature_in_use');
  yield ['in use, all', sumOfKnown(inUse.map(({ value }) => value))];
  const bought = new Map(of('license_feature_max_available').map((sample) => [keyOf(sample), sample.value]));
  const unlimited = new Set(infos.filter(({ labels }) => labels.license_type === 'uncounted').map(keyOf));
  for (const [name, own] of Map.groupBy(inUse, ({ labels }) => labels.vendor_license)) {
    const counted = own.filter((sample) => bought.has(keyOf(sample)));
    yield [`in use of ${name}`, sum(counted.map(({ value }) => value))];
    yield [`bought of ${name}`, sum(counted.map((sample) => bought.get(keyOf(sample)) ?? 0))];
  }
  const shared = inUse.flatMap((sample) => {
    const licenses = bought.get(keyOf(sample)) ?? 0;
    return licenses === 0 || unlimited.has(keyOf(sample)) ? [] : [{ licenses, share: sample.value / licenses }];
  });
  const full = shared.filter(({ licenses, share }) => share >= 0.95 && licenses >= FEWEST_LICENSES);
  yield ['saturated', shared.length === 0 ? undefined : full.length];
  const saturated = of('license_vendor_license_saturated_features');
  yield ['servers with known use', saturated.length];
  yield ['saturated', sumOfKnown(saturated.map(({ value }) => value))];
  for (const { labels, value } of saturated) yield [`saturated of ${labels.vendor_license}`, value];
  yield ['waiting', sumOfKnown(of('license_feature_max_queued').map(({ value }) => value))];
  const ends = of('license_feature_expiration_timestamp_seconds').map(({ value }) => value - Date.now() / 1000);
  yield ['expired', ends.length === 0 ? undefined : ends.filter((left) => left <= 0).length];
  yield [
    'expiring in 30 days',
    ends.length === 0 ? undefined : ends.filter((left) => left > 0 && left <= 30 * DAY).length,
  ];
  for (const { labels, value } of of('license_feature_history_denials')) {
    yield [`denied today, ${labels.feature} of ${labels.vendor_license}`, value];
  }
  const alerts = of('license_exporter_alerts');
  yield ['alerts, pending', alerts.find(({ labels }) => labels.state === 'pending')?.value];
  const sources = of('license_source_up');
  if (sources.length > 0) yield ['sources that are not up', sources.filter(({ value }) => value === 0).length];
}

/** By the path of an answer. */
export const answerReaders: Readonly<Record<string, (body: string) => Figures>> = {
  '/sources/status.json': sourcesJson,
  '/api/v1/alerts': alertsJsonFigures,
  '/api/v1/rules': rulesJsonFigures,
  '/api/v1/attention': attentionFigures,
  '/api/v1/rightsizing': adviceAnswer,
  '/expirations.csv': expiriesCsv,
  '/metrics': metricFigures,
};
