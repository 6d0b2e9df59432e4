import { startFaulty } from '../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../support/harness.ts';
import { compare, type Line } from './report.ts';

/** Panels of Grafana that refresh at once, compared with a proxy that forwards the request of every panel. */

const PRODUCT = 'sim-lic01;sim_cadd';
const PANELS = 50;
const FEATURES = 5;
const targets = ['history', 'heatmap'] as const;
const DISTINCT = FEATURES * targets.length;

interface Question {
  readonly target: (typeof targets)[number];
  readonly feature: string;
}

const body = ({ target, feature }: Question): string =>
  JSON.stringify({ targets: [{ refId: 'A', target, payload: { product: PRODUCT, feature } }] });

async function post(url: string, text: string): Promise<number> {
  const response = await fetch(`${url}/grafana/query`, { method: 'POST', body: text });
  await response.arrayBuffer();
  return response.status;
}

/** Counts of requests, and the time of an answer from the cache. */
async function benchCache(runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  let requests = 0;
  const analyzer = await startAnalyzer(
    {},
    {
      onRequest: ({ path }) => {
        if (/Get(History|HeatMap)$/.test(path)) requests += 1;
      },
    },
  );
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url));
  cleanup.add(() => app.stop());
  const direct = await startApp(createConfig(analyzer.url, { 'datasource.cache_ttl': '0s' }));
  cleanup.add(() => direct.stop());
  for (const { url } of [app, direct]) await eventually('first poll', async () => (await fetch(`${url}/-/ready`)).ok);
  const response = await fetch(`${app.url}/grafana/variable`, {
    method: 'POST',
    body: JSON.stringify({ payload: { target: 'features', product: PRODUCT } }),
  });
  const features = ((await response.json()) as { __value: string }[]).slice(0, FEATURES);
  const questions = features.flatMap(({ __value: feature }) =>
    targets.map((target): Question => ({ target, feature })),
  );
  const panels = Array.from({ length: PANELS }, (_, i) => questions[i % questions.length] as Question);
  const refresh = async (): Promise<number> => {
    requests = 0;
    const statuses = await Promise.all(panels.map((panel) => post(app.url, body(panel))));
    if (statuses.some((status) => status !== 200)) throw new Error(`panels were answered ${statuses.join(' ')}`);
    return requests;
  };
  const first = await refresh();
  if (first > DISTINCT) throw new Error(`${first} requests for ${DISTINCT} questions`);
  const again = await refresh();
  if (again > 0) throw new Error(`${again} requests for questions that had been answered`);
  const one = body(questions[0] as Question);
  const times = await compare(
    runs * 10,
    () => post(app.url, one),
    () => post(direct.url, one),
  );
  await cleanup.run();
  return [
    {
      what: `${PANELS} panels at once with ${DISTINCT} questions: requests to the analyzer`,
      ours: first,
      peer: PANELS,
      unit: '',
      ratio: PANELS / first,
    },
    { what: 'a panel from the cache', ...times, unit: 'ms', ratio: times.peer / times.ours },
  ];
}

/** The time of a scrape while panels wait for an analyzer that hangs, compared with a scrape without panels. */
async function benchScrape(runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  const faulty = await startFaulty(cleanup);
  const app = await startApp(createConfig(faulty.url));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const scrape = (): Promise<string> => app.metrics();
  const alone = await compare(runs * 10, scrape, scrape);
  const hanging: (() => void)[] = [];
  faulty.break('GetHistory', (_, response) => hanging.push(() => response.destroy()));
  const panels = Array.from({ length: PANELS }, (_, i) =>
    post(app.url, body({ target: 'history', feature: `feature ${i}` })),
  );
  await eventually('panels wait', () => hanging.length > 0);
  const beside = await compare(runs * 10, scrape, scrape);
  faulty.break(undefined);
  for (const end of hanging) end();
  await Promise.all(panels);
  await cleanup.run();
  return [
    {
      what: `a scrape while ${PANELS} panels wait for an analyzer that hangs (peer: without them)`,
      ours: beside.ours,
      peer: alone.ours,
      unit: 'ms',
      ratio: alone.ours / beside.ours,
    },
  ];
}

export const benchDatasource = async (runs: number): Promise<Line[]> => [
  ...(await benchCache(runs)),
  ...(await benchScrape(runs)),
];
