import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The committed dashboards as Grafana reads them, and Grafana's interpolation of variables. */

export const folder = join(import.meta.dirname, '../../grafana/json');

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

export interface Target {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly expr?: string;
  readonly instant?: boolean;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly datasource?: DataSource;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
  readonly links?: readonly { readonly url: string }[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly transformations?: readonly { readonly id: string; readonly options: Readonly<Record<string, unknown>> }[];
  readonly fieldConfig?: {
    readonly defaults: Defaults;
    readonly overrides: readonly Override[];
  };
}

interface Steps {
  readonly steps: readonly { readonly value: number | null; readonly color: string }[];
}

interface Defaults {
  readonly unit?: string;
  readonly mappings?: readonly unknown[];
  readonly noValue?: string;
  readonly thresholds?: Steps;
  readonly [option: string]: unknown;
}

export interface Override {
  readonly matcher: { readonly id: string; readonly options: unknown };
  readonly properties: readonly { readonly id: string; readonly value: unknown }[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly datasource?: DataSource;
  readonly query?: unknown;
  readonly definition?: string;
  readonly multi: boolean;
  readonly includeAll: boolean;
  readonly allValue?: string;
  readonly refresh?: number;
  readonly hide?: number;
  readonly regex?: string;
}

interface Annotation {
  readonly name: string;
  readonly enable: boolean;
  readonly datasource: DataSource;
  readonly target: Target;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly schemaVersion: number;
  readonly editable: boolean;
  readonly links: readonly {
    readonly includeVars: boolean;
    readonly keepTime: boolean;
    readonly asDropdown: boolean;
  }[];
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly Annotation[] };
}

export const dashboards: readonly Dashboard[] = readdirSync(folder)
  .sort()
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard);

/** The panels of a dashboard without its rows, those of closed rows too. */
export const panelsOf = ({ panels }: Pick<Dashboard, 'panels'>): readonly Panel[] =>
  panels.flatMap((panel) => ('panels' in panel ? (panel.panels as readonly Panel[]) : [panel]));

/** A query of a panel or annotation, and its place in the dashboard. */
export interface Placed {
  readonly where: string;
  readonly dashboard: Dashboard;
  readonly target: Target;
}

/** Every query of every panel and annotation for one type of data source. */
export function queriesOf(type: string): readonly Placed[] {
  return dashboards
    .flatMap((dashboard) => [
      ...panelsOf(dashboard).flatMap(({ title, targets = [] }) =>
        targets.map((target) => ({ where: `${dashboard.uid}: ${title} ${target.refId}`, dashboard, target })),
      ),
      ...dashboard.annotations.list.map(({ name, target }) => ({
        where: `${dashboard.uid}: annotation ${name}`,
        dashboard,
        target,
      })),
    ])
    .filter(({ target }) => target.datasource.type === type);
}

export type Values = Readonly<Record<string, string | readonly string[]>>;

const regexEscape = (text: string): string => text.replace(/[\\^$*+?.()|[\]{}/]/g, '\\$&');

type Format = (value: string | readonly string[]) => string;

/** Grafana's formats of a variable's value. */
const formats = {
  /** `${name:raw}`: several values are separated by commas. */
  raw: (value) => String(value),
  /** `${__to:date:YYYY-MM-DD}`: here always the ISO form. */
  date: (value) => new Date(Number(value)).toISOString().slice(0, 10),
  /** `${name:regex}`, and simpod-json-datasource for payloads given as objects. */
  regex: (value) => {
    if (typeof value === 'string') return regexEscape(value);
    return value.length === 1 ? regexEscape(value[0] ?? '') : `(${value.map(regexEscape).join('|')})`;
  },
  /** `${name:json}`: a single value is as it is. */
  json: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  /** Infinity, for a variable without a format of its own. */
  glob: (value) => (typeof value === 'string' || value.length < 2 ? String(value) : `{${value.join(',')}}`),
  /** The Prometheus data source, for a variable without a format of its own. It does not escape double quotes. */
  prometheus: (value) => {
    if (typeof value === 'string') return value.replace(/\\/g, '\\\\').replace(/'/g, "\\\\'");
    const parts = value.map((text) => text.replace(/\\/g, '\\\\\\\\').replace(/[$^*{}[\]+?.()|]/g, '\\\\$&'));
    return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join('|')})`;
  },
} satisfies Record<string, Format>;

/**
 * Replaces `$name`, `${name}` and `${name:format}` with values.
 *
 * @param format of variables without a format of their own
 * @throws Error for a variable without a value
 */
export function interpolate(text: string, values: Values, format: keyof typeof formats): string {
  return text.replace(
    /\$(?:(\w+)|\{(\w+)(?::(raw|regex|json|date)(?::[^}]*)?)?\})/g,
    (all, plain?: string, braced?: string, own?: 'raw' | 'regex' | 'json' | 'date') => {
      const value = values[plain ?? braced ?? ''];
      if (value === undefined) throw new Error(`${all} has no value in ${text}`);
      return formats[own ?? format](value);
    },
  );
}

/** The variables that Grafana itself replaces in PromQL. */
export const builtIn: Values = { __rate_interval: '1m', __range: '1h', __interval: '1m' };
