import { type Dashboard, dashboards, interpolate, panelsOf, type Target, type Values } from './dashboards.ts';
import { cellsOf, infinityQuery, type PanelRange, pathOf } from './infinity.ts';

/** What the panels of the dashboards get from a running daemon, and from a Prometheus that scrapes it. */

/** A row of a table, by the titles of its columns. */
export type Cells = Readonly<Record<string, unknown>>;

/** A series that a query finds, and its value now; of a range, the last. */
export interface Found {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A panel with its answers. */
export interface AnsweredPanel {
  /** The dashboard and the title. */
  readonly where: string;
  /** The rows of a query of Infinity. */
  readonly rows: readonly Cells[];
  /** Why it shows an error in place of figures. */
  readonly error?: string;
  /** What queries of Prometheus find, by their letter. */
  readonly found: Readonly<Record<string, readonly Found[]>>;
  /** The vendor license and the feature of the dashboard; those of all, if it has no such variable. */
  readonly vendorLicense: string;
  readonly feature: string;
}

/** Where the panels ask. */
export interface Asked {
  readonly url: string;
  readonly prometheus: string;
  readonly range: PanelRange;
  readonly vendorLicense: string;
  readonly feature: string;
  readonly vendorLicenses: readonly string[];
}

interface PrometheusAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

/** How many points a panel draws. */
const POINTS = 1000;
/** Prometheus scrapes every second in tests: Grafana's shortest interval of a rate is longer than the site has been scraped. */
const SHORTEST_RATE = 60;

/** Asks as Grafana does, for its values now or for those of its range, of which the last is read. */
async function askPrometheus(expression: string, isInstant: boolean, asked: Asked): Promise<readonly Found[]> {
  const { prometheus, range } = asked;
  const seconds = (range.to - range.from) / 1000;
  const step = Math.max(1, Math.ceil(seconds / POINTS));
  const values: Values = {
    vendor_license: asked.vendorLicense,
    feature: asked.feature,
    vendor_licenses: asked.vendorLicenses,
    __range: `${Math.round(seconds)}s`,
    __rate_interval: `${Math.max(SHORTEST_RATE, step)}s`,
  };
  // the value for all is inserted unchanged
  const query = interpolate(
    expression.replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"'),
    values,
    'prometheus',
  );
  const to = range.to / 1000;
  const parameters = isInstant
    ? new URLSearchParams({ query, time: `${to}` })
    : new URLSearchParams({ query, start: `${to - step}`, end: `${to}`, step: `${step}` });
  const path = isInstant ? 'query' : 'query_range';
  const answer = (await (
    await fetch(`${prometheus}/api/v1/${path}`, { method: 'POST', body: parameters })
  ).json()) as PrometheusAnswer;
  if (answer.status !== 'success') throw new Error(`${answer.error}: ${query}`);
  return answer.data.result.flatMap(({ metric, value, values: points = [] }) => {
    const [at, text] = value ?? points.at(-1) ?? [0, ''];
    return at === to ? [{ labels: metric, value: Number(text) }] : [];
  });
}

async function askRows(target: Target, asked: Asked): Promise<Pick<AnsweredPanel, 'rows' | 'error'>> {
  const query = infinityQuery(target);
  const values: Values = {
    vendor_license: asked.vendorLicense,
    feature: asked.feature,
    vendor_licenses: asked.vendorLicenses,
    month: '',
    user: '%',
  };
  const path = pathOf(query, values, asked.range);
  const response = await fetch(asked.url + path);
  const body = (await response.json()) as { readonly rows?: readonly Cells[]; readonly message?: string };
  if (body.rows === undefined) return { rows: [], error: body.message ?? `${response.status}` };
  const rows = cellsOf(query, body.rows).map((cells) =>
    Object.fromEntries(cells.map((cell, i) => [query.columns[i]?.text ?? '', cell])),
  );
  return { rows };
}

const hasVariable = ({ templating }: Dashboard, name: string): boolean =>
  templating.list.some((variable) => variable.name === name);

/** The panels that ask: those that do not are texts. */
export const answeredPanels = dashboards.flatMap((dashboard) =>
  panelsOf(dashboard)
    .filter(({ targets = [] }) => targets.length > 0)
    .map((panel) => ({ where: `${dashboard.uid}: ${panel.title}`, dashboard, panel })),
);

/** Asks all queries of the panels of dashboards. @param uids of the dashboards */
export async function askPanels(asked: Asked, uids: readonly string[]): Promise<readonly AnsweredPanel[]> {
  const answered: AnsweredPanel[] = [];
  for (const { where, dashboard, panel } of answeredPanels.filter(({ dashboard: { uid } }) => uids.includes(uid))) {
    const found: Record<string, readonly Found[]> = {};
    let answer: Pick<AnsweredPanel, 'rows' | 'error'> = { rows: [] };
    for (const target of panel.targets ?? []) {
      const { refId, datasource, expr = '', instant = false } = target;
      if (datasource.type === 'prometheus') found[refId] = await askPrometheus(expr, instant, asked);
      else answer = await askRows(target, asked);
    }
    answered.push({
      where,
      ...answer,
      found,
      vendorLicense: hasVariable(dashboard, 'vendor_license') ? asked.vendorLicense : '',
      feature: hasVariable(dashboard, 'feature') ? asked.feature : '',
    });
  }
  return answered;
}
