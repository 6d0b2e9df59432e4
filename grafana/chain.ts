import type * as table from '@grafana/grafana-foundation-sdk/table';
import type { MetricName } from '../src/exporter/metrics/catalogue.ts';
import { linkTo, panelOf } from './links.ts';
import { linksOf, QUIET, type Rows } from './panels.ts';
import { named, once, select } from './queries.ts';
import { seriesTable, stateNames } from './tables.ts';

/** The first table of Overview: whether each link between the license servers and this dashboard works. */

interface Link {
  /** How many work, how many there are, and the age of what they last said, seconds. Without a value, not known. */
  readonly up: string;
  readonly of: string;
  readonly age: string;
  /** A place in `states`. */
  readonly state: string;
}

const states: readonly (readonly [text: string, color: string])[] = [
  ['up', 'text'],
  ['unknown', QUIET],
  ['partly up', 'orange'],
  ['down', 'red'],
  ['some down', 'red'],
  ['none', QUIET],
];
const [UNKNOWN, PARTLY, DOWN, SOME_DOWN, NONE] = [1, 2, 3, 4, 5];

/** The state of several of which each is up or not. */
const stateOf = (up: string, of: string): string => `${PARTLY} * (${up} < bool ${of}) + (${up} == bool 0)`;

const BUILD = select('license_exporter_build_info');
const lastDay = (selector: string): string => `last_over_time(${selector}[1d])`;
const targets = (series: string): string => `count(count by (job, instance) (${series}))`;

const exportersUp = `(${targets(BUILD)} or 0 * ${targets(lastDay(BUILD))})`;
/** Those that answer, and those that Prometheus still scrapes without success; if there is neither, those of the last day. */
const failing = `(${targets(`${select('up')} == 0 and on (job, instance) ${lastDay(BUILD)}`)} or 0 * ${exportersUp})`;
const exporters = `((${exportersUp} + ${failing}) > 0 or ${targets(lastDay(BUILD))})`;
const ALL_ANSWER = `(${exportersUp} == ${exporters})`;

/** How many there are: now if every exporter answers, else within the last day. */
const number = (label: 'source' | 'vendor_license', selector: string): string => {
  const of = (series: string): string => `count(count by (${label}) (${series}))`;
  return `((${of(selector)} and on () ${ALL_ANSWER}) or ${of(lastDay(selector))})`;
};
/** The newest series, or as long as there is no such series now, those of the last day. */
const latest = (name: MetricName): string => `(${select(name)} or on () ${lastDay(select(name))})`;

// two exporters with one source, or one endpoint: the worse of what they say
const SOURCE_UP = `min by (source) (${select('license_source_up')})`;
const ENDPOINT_UP = `min by (endpoint) (${select('license_poll_success')})`;
const SERVER_UP = once(select('license_server_up'));

// this counter is there for every source from the beginning
const sources = number('source', select('license_source_contradictions_total'));
const sourcesUp = `sum(${SOURCE_UP})`;
const servers = number('vendor_license', select('license_vendor_license_info'));
const serversDown = `count(${SERVER_UP} == 0)`;

/** Whether every exporter answers Prometheus: a place in `states`. */
export const EXPORTER_STATE = stateOf(exportersUp, exporters);
export const EXPORTER_STATES = stateNames(states);

/** By name, in their order. */
const links: Readonly<Record<string, Link>> = {
  '1 Exporter': {
    up: exportersUp,
    of: exporters,
    age: `time() - min(max by (job, instance) (timestamp(${BUILD}) or max_over_time(timestamp(${BUILD})[1d:1m])))`,
    state: `${EXPORTER_STATE} or vector(${UNKNOWN})`,
  },
  '2 Sources': {
    up: sourcesUp,
    of: sources,
    age: `time() - min(${latest('license_source_last_success_timestamp_seconds')})`,
    // an exporter that polls another analyzer has none
    state: `0 * (${sources} > count(${SOURCE_UP})) + ${UNKNOWN} or ${stateOf(sourcesUp, sources)} or 0 * ${sources} + ${UNKNOWN} or 0 * ${ALL_ANSWER} + ${NONE} or vector(${UNKNOWN})`,
  },
  '3 Analyzer': {
    up: `sum(${ENDPOINT_UP})`,
    of: `count(${ENDPOINT_UP})`,
    age: `time() - min(max by (job, instance) (${latest('license_poll_last_success_timestamp_seconds')} > 0))`,
    state: `0 * (${exportersUp} < ${exporters}) + ${UNKNOWN} or ${stateOf(`sum(${ENDPOINT_UP})`, `count(${ENDPOINT_UP})`)} or vector(${UNKNOWN})`,
  },
  '4 Servers': {
    up: `sum(${SERVER_UP})`,
    of: servers,
    age: `time() - min(${latest('license_vendor_license_last_collection_timestamp_seconds')} and on (vendor_license) (${latest('license_server_up')} == 1))`,
    state: [
      `0 * (${serversDown} == ${servers}) + ${DOWN}`,
      `0 * ${serversDown} + ${SOME_DOWN}`,
      `(sum(${SERVER_UP}) < bool ${servers})`,
      `vector(${UNKNOWN})`,
    ].join(' or '),
  },
};

/** One expression with a series for each link. */
const all = (read: (link: Link) => string): string =>
  Object.entries(links)
    .map(([name, link]) => named('link', name, `(${read(link)})`))
    .join(' or ');

/** @param list where the servers are listed */
export const CHAIN = (list: Rows): table.PanelBuilder =>
  seriesTable(
    {
      title: 'Exporter, sources, analyzer, servers',
      description:
        'Whether each link works, how many of how many do, and how long ago it last had data. Exporters that Prometheus scrapes; sources that the exporter reads itself, if it has any: the one that was read longest ago; endpoints of the analyzer at their last poll; license servers: the oldest data of those that are up. While one link is down, those after it are not known.',
    },
    [
      { name: 'State', expression: all(({ state }) => state), width: 92, ...stateNames(states) },
      { name: 'Age', expression: all(({ age }) => age), unit: 'dtdurations', decimals: 0, width: 100 },
      { name: 'Up', expression: all(({ up }) => up), unit: 'locale', width: 50 },
      { name: 'Of', expression: all(({ of }) => of), unit: 'locale', width: 50 },
    ],
    { labels: ['link'], sortBy: ['Link'] },
  ).links(
    linksOf([
      list,
      { title: 'Show: polls', url: linkTo('license-exporter', panelOf('Polls')) },
      { title: 'Show: sources', url: linkTo('license-exporter', panelOf('Sources')) },
    ]),
  );
