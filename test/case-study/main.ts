import { parseArgs } from 'node:util';
import { drawCompany } from './company.ts';
import { watchYear } from './engine-year.ts';
import { watchRules } from './flexlm-rules.ts';
import { alertsTable, waysTable } from './tables.ts';

/** `npm run case-study`: a year of a company of which everything is known, with this program and with what else is used. */

const help = `npm run case-study -- [options]
  --days N      days with alerts, at most 365 (default 365; a year takes about ten minutes)
  --features N  (default 100)
  --seed N      of the company (default 1)
`;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    features: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const SERVERS = 10;
const SHOWN_EVERY = 30;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) {
  process.stdout.write(help);
} else {
  const [days, features, seed] = [values.days, values.features, values.seed].map(Number) as [number, number, number];
  const company = drawCompany({ seed, features, servers: SERVERS, days });
  const contract = company.features.reduce((sum, { bought, price }) => sum + bought * price, 0);
  const licenses = company.features.reduce((sum, { bought }) => sum + bought, 0);
  print(
    `${features} features, ${licenses} licenses, EUR ${Math.round(contract / 1000).toLocaleString('en-US')},000 a year\n`,
  );
  print(`${waysTable(company)}\n`);
  const watched = await watchYear(company, (day) => {
    if (day % SHOWN_EVERY === 0) process.stderr.write(`day ${day} of ${days}\n`);
  });
  print(alertsTable(company, watchRules(company), watched));
}
