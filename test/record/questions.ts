import type { Question } from './program.ts';

/** What is asked: every route with parameters that work, and with some that do not. In the texts, CAD is a vendor license. */

const words = (text: string): string[] => text.replaceAll('CAD', 'demo-lic01%3Bcaddsd').trim().split(/\s+/);
/** @param text a path and its queries in each line; it is asked without a query, too */
const lines = (text: string, headers = {}): Question[] =>
  text.split('\n').flatMap((line) => {
    const [path, ...queries] = words(line);
    return ['', ...queries.map((query) => `?${query}`)].map((query) => ({ path: `${path}${query}`, headers }));
  });
const methods = (path: string): Question[] => words('POST PUT DELETE OPTIONS HEAD').map((method) => ({ path, method }));
const HTML = { accept: 'text/html' };
const MISSING =
  '/api/v1/ /api/v1/none /api /nothing /a/b/c /%zz /grafana/none /metrics/ /-/reload /style.css'.replaceAll(' ', '\n');

/** The pages and files of every daemon. */
export const pages: readonly Question[] = [
  ...lines(
    `/ q=cad q=demo-lic02 q=nothing q=%C3%B6 q=a&q=b q=%22%3E%3Cb%3E
/vendor-license name=CAD name=CAD&q=mesh name=CAD&q=none name=demo-lic07%3Bpcbd q=1 name=nobody
/vendor-license name=demo-lic02%3Bmechd name=demo-lic06%3Brtld name=demo-lic10%3Bplantd
/feature vendor_license=CAD&feature=cad_assembly vendor_license=CAD&feature=cad_drafting vendor_license=CAD&feature=cad_converter
/feature vendor_license=demo-lic08%3Bctrld&feature=ctrl_identification vendor_license=CAD&feature=cad_pdm_link vendor_license=x
/feature vendor_license=demo-lic10%3Bplantd&feature=plant_admin vendor_license=CAD&feature=no-such feature=x
/feature vendor_license=demo-lic02%3Bmechd&feature=mech_prepost vendor_license=nobody&feature=x
/alerts q=demo-lic01 q=nothing severity=critical severity=warning&state=firing severity=no state=pending state=held&state=no
/alerts owner=cad alert=gone q=%3Cb%3E&owner=x
/rightsizing state=unused
/runbooks x=1
/sources
/sources/status.json
/expirations.csv days=30 days=0 days=400 owner= owner=no days=x x=1 owner=&days=90 days=1&days=2
/expirations.ics days=30 days=0 days=400 owner= owner=no days=x x=1 owner=&days=90 days=1&days=2
/api/v1/alerts
/api/v1/rules type=alert type=record type=x
/api/v1/attention
/contracts months=3 months=x owner= owner=no x=1
/api/v1/contracts months=3 format=csv format=ics format=xml owner= owner=no months=601 x=1
/api/v1/rightsizing top=3 top=3&offset=6 offset=x format=csv format=csv&shape=totals format=xml state=unused state=no
/api/v1/rightsizing state=could%20go&state=short&sort=-saving product=CAD tolerance=100&top=10 tolerance=-1 columns=x
/api/v1/rightsizing product=demo-lic0%25&feature=cad_as%25&pattern=true columns=product,feature&top=5 with=runs_out shape=x
/api/v1/rightsizing format=csv&shape=steps&product=CAD&feature=cad_assembly none=nothing&product=nobody unknown=1
/-/healthy
/-/ready
/favicon.svg`,
  ),
  ...lines(MISSING),
  ...lines(MISSING, HTML),
  ...words('/ /alerts /metrics /api/v1/alerts /expirations.csv /-/healthy /rightsizing').flatMap(methods),
];

const OPEN_METRICS = { accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5' };
const BLOCKS = words(
  'vendor_licenses site expirations features history rightsizing none features&collect[]=expirations',
);
export const metrics: readonly Question[] = [
  ...[{}, OPEN_METRICS, { 'accept-encoding': 'gzip' }, HTML].map((headers) => ({ path: '/metrics', headers })),
  ...BLOCKS.map((block) => ({ path: `/metrics?collect[]=${block}` })),
  ...lines('/metrics collect[]=features', OPEN_METRICS),
];

/** Name, keys that are always sent, shapes of `/rows` and of frames, and other parameters. */
const targets = `history NAMED long,days,periods,totals,annotations,timeseries ftype=feature wildcard=upstream
reserved NAMED long,table,timeseries ftype=package
efficiency NAMED long,table last=last-7-days last=465 year=2026&month=2 month=13 last=x
heatmap NAMED long,wide,heatmap,table last=last-month year=2025&month=12 last=201
users NAMED table sortdatafield=UsageTime&sortorder=desc user=%25 format=mdx format=x
expirations product=%25 table,months,totals,annotations status=upcoming&within=60 expiry_month=2026-03 status=permanent search=2
features product=%25 table,totals filters=cad_as%25 with=In%20use&sort=-In%20use user=x
products x table filters=demo-lic0%25
server_down x table filters=no none=all%20run
rightsizing product=%25 table,steps,totals state=unused tolerance=50&top=9 tolerance=9999
attention x table severity=critical severity=x product=CAD`.replaceAll('NAMED', 'product=CAD&feature=cad_assembly');
const COMMON = words('top=2 top=0 sort=no columns=no nothing=1 none=no%20row&top=1 shape=no from=x');

const NOW = Date.parse('2026-03-12T10:20:00Z');
const DAY = 86_400_000;
const post = (path: string, body: unknown): Question => ({
  path: `/grafana/${path}`,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

function questionsOf(line: string): Question[] {
  const [name, keys = '', shapes = '', ...others] = words(line);
  const always = keys === 'x' ? '' : keys;
  const payload = Object.fromEntries(new URLSearchParams(always));
  const range = { from: new Date(NOW - 30 * DAY).toISOString(), to: new Date(NOW).toISOString() };
  const query = (more: object, request: object = {}): Question =>
    post('query', { range, targets: [{ refId: 'A', target: name, payload: { ...payload, ...more } }], ...request });
  const filter = (key: string, operator: string) => ({
    adhocFilters: [{ key, operator, value: 'demo-lic01;caddsd' }],
  });
  const inShapes = shapes.split(',').flatMap((shape) => {
    const times = ['', '&from=2026-02-01&to=2026-03-01', `&from=${NOW - DAY}&to=${NOW}`];
    return times.map((time) => `shape=${shape}${time}`);
  });
  return [...inShapes, ...others, ...COMMON, '']
    .map((parameters) => [always, parameters].filter((part) => part !== '').join('&'))
    .concat(['product=nobody&feature=none&none=no%20row', ...words('product=CAD&feature=%25&top=20'), ''])
    .map((parameters): Question => ({ path: `/grafana/rows/${name}?${parameters}` }))
    .concat(
      shapes.split(',').map((shape) => query({ shape })),
      query({}),
      query(always === '' ? {} : { product: ['demo-lic01;caddsd', 'demo-lic08;ctrld'] }, {
        range: { from: NOW - 400 * DAY },
      }),
      query({ top: 3, none: 'no row' }, { maxDataPoints: 50, intervalMs: 3_600_000 }),
      query({ bad: 1 }),
      query({}, filter('product', '=')),
      query({}, filter('feature', '=~')),
      post('variable', { payload: { target: name } }),
      post('variable', { payload: { target: name, product: 'demo-lic01;caddsd' } }),
    );
}

/** The interfaces for Grafana. */
export const grafana: readonly Question[] = [
  ...lines('/grafana\n/grafana/\n/grafana/query\n/grafana/rows/none'),
  ...words('metrics tag-keys annotations search').map((path) => post(path, {})),
  ...words('product feature package x').map((key) => post('tag-values', { key })),
  ...words('product feature package user x').map((name) => post('metric-payload-options', { name })),
  post('metric-payload-options', { name: 'feature', payload: { product: 'demo-lic01;caddsd' } }),
  ...['', ...words('{ [] "x" {"targets":1} {"targets":[1]} {"targets":[{"target":"x"}]}')].map((body) =>
    post('query', body),
  ),
  post('query', { targets: words('products x').map((target) => ({ refId: target, target })) }),
  post('variable', '{"payload":"x"}'),
  ...words('/grafana/query /grafana/rows/products').flatMap(methods),
  ...targets.split('\n').flatMap(questionsOf),
];

/** Endpoints of the analyzer with their queries. */
export const analyzer: readonly Question[] = lines(
  `GetProducts filters=demo-lic0%25 feature=cad_as%25 user=%25 filters=a&filters=b
GetFeatures product=%25 product=CAD product=%25&filters=cad_as%25 product=
GetUsers USERS USERS&sortdatafield=UsageTime&sortorder=desc format=x format=mdx&product=%25&feature=%25 USERS&filters=a%25
GetServerDown filters=no
GetExpirationFeatures product=%25 product=%25&search=2 product=%25&search=3 product=CAD&filters=cad_as%25
GetHistory CHART CHART&ftype=feature product=%25&feature=%25 CHART&ftype=x
GetHistoryReserved CHART product=CAD&feature=%25
GetEfficiency WINDOW WINDOW&last=107 WINDOW&last=465 WINDOW&last=1 CHART&package= WINDOW&year=26
GetHeatMap WINDOW WINDOW&last=201 WINDOW&last=301 CHART&package=&year=2026&month=0
GetHttpUserName
GetConcurrentUsers
GetNothing
../nothing`
    .replaceAll('USERS', 'format=sql&CHART')
    .replaceAll('WINDOW', 'CHART&package=&year=2026&month=2')
    .replaceAll('CHART', 'product=CAD&feature=cad_assembly'),
);
