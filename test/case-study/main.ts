import { parseArgs } from 'node:util';
import { drawCompany } from './company.ts';
import { DEMO_DAYS, watchDemo } from './demo-week.ts';
import { watchYear } from './engine-year.ts';
import { watchRules } from './flexlm-rules.ts';
import { alertsTable, messagesTable, ownWays, reasonsTable, rulesWays, waysTable } from './tables.ts';

/** `npm run case-study`: a year of a company of which everything is known, with this program and with what else is used. */

const help = `npm run case-study -- [options]
  --days N      days with alerts, at most 365 (default 365; a year takes about ten minutes)
  --features N  (default 100)
  --seed N      of the company (default 1)
  --demo        the messages of a week of the demo instead
`;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    features: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    demo: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const SERVERS = 10;
const SHOWN_EVERY = 30;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function studyDemo(): Promise<void> {
  const ways = ownWays(await watchDemo());
  print(`${messagesTable(ways, DEMO_DAYS)}\n`);
  print(reasonsTable(ways, DEMO_DAYS));
}

async function studyCompany(days: number, features: number, seed: number): Promise<void> {
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
  print(`${alertsTable(company, watchRules(company), watched.routed)}\n`);
  const ways = [...rulesWays(watchRules(company), watchRules(company, 'routed')), ...ownWays(watched)];
  print(`${messagesTable(ways, days, company)}\n`);
  print(reasonsTable(ways, days));
}

if (values.help) process.stdout.write(help);
else if (values.demo) await studyDemo();
else {
  const [days, features, seed] = [values.days, values.features, values.seed].map(Number) as [number, number, number];
  await studyCompany(days, features, seed);
}
