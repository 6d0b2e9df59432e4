import { parseArgs } from 'node:util';
import { benchAlerts } from './alerts.ts';
import { benchDatasource } from './datasource.ts';
import { benchDecode } from './decode.ts';
import { benchHistory } from './history.ts';
import { benchLive } from './live.ts';
import { print } from './report.ts';

/** `npm run bench -- --quick`; every figure is compared with a peer in the same run. */

const help = `npm run bench -- [options]
  --quick             few features and days
  --features N        features with history (default 50)
  --days N            days of history (default 365)
  --interval N        seconds between samples (default 300)
  --live-features N   features of GetFeatures (default 100000)
  --alerts N          alerts that fire at once (default 10000)
  --runs N            runs of each query, after one to warm up (default 7)
  --json
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    features: { type: 'string' },
    days: { type: 'string' },
    interval: { type: 'string' },
    'live-features': { type: 'string' },
    alerts: { type: 'string' },
    runs: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function size(name: 'features' | 'days' | 'interval' | 'live-features' | 'alerts' | 'runs', fallback: number): number {
  const given = values[name];
  const number = given === undefined ? fallback : Number(given);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} takes a positive integer, not ${given}`);
}

if (values.help) {
  process.stdout.write(help);
} else {
  const { quick } = values;
  const runs = size('runs', quick ? 3 : 7);
  const lines = [
    ...(await benchHistory({
      features: size('features', quick ? 5 : 50),
      days: size('days', quick ? 30 : 365),
      interval: size('interval', 300),
      runs,
    })),
    ...(await benchLive(size('live-features', quick ? 2000 : 100_000), runs)),
    ...(await benchDecode(size('live-features', quick ? 2000 : 100_000), runs)),
    ...(await benchDatasource(runs)),
    ...(await benchAlerts(size('alerts', quick ? 1000 : 10_000), runs)),
  ];
  print(lines, values.json);
}
