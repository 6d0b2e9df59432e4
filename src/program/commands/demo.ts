import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createClock } from '../../base/scheduling/clock.ts';
import { type Abandoned, removeAbandoned } from '../../base/storage/leftovers.ts';
import { type App, createApp } from '../app/app.ts';
import { createDemoAnalyzer, type DemoAnalyzer, demoDefaults, morningZone } from '../app/demo-analyzer.ts';
import { createStorage } from '../app/storage.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { type CommandContext, reloaded } from './command.ts';
import { runApp } from './serve.ts';

const PRICE_FILE = 'prices.csv';
const CURL_FILE = 'curl.conf';

/** Directories of demos that were killed. */
const ABANDONED: Abandoned = {
  name: /^license-exporter-demo-(?<pid>\d+)-[A-Za-z0-9]{6}$/,
  holds: (entry) => entry === PRICE_FILE || entry === CURL_FILE,
  untouched: 86_400,
};

/** @throws OperatorError if the directory for temporary files cannot be used */
function createTemporaryFolder(): string {
  removeAbandoned(tmpdir(), ABANDONED);
  try {
    return mkdtempSync(join(tmpdir(), `license-exporter-demo-${process.pid}-`));
  } catch (error) {
    const reason = (error as Error).message;
    throw new OperatorError(`cannot create a directory in ${tmpdir()}: ${reason}; set TMPDIR`, { cause: error });
  }
}

/** Made-up prices, and when notice must be given. Some features have none, as at most sites. */
const PRICES = `vendor_license,feature,price,currency,per,notice_days
%,cad_converter,900,EUR,year,0
%,%_admin,250,EUR,year,30
%,%_viewer,90,EUR,year,30
%,%_report,400,EUR,year,60
%,cad_standard,4900,EUR,year,60
%,cad_assembly,6200,EUR,year,60
%,cad_drafting,1400,EUR,year,60
%,mech_prepost,5200,EUR,year,90
%,fluid_prepost,5600,EUR,year,90
%,rtl_synthesis,31000,USD,year,90
%,rtl_simulator,12500,USD,year,90
%,rtl_lint,3800,USD,year,90
%,cad_%,3100,EUR,year,60
%,mech_%,7500,EUR,year,90
%,fluid_%,9800,EUR,year,90
%,em_tokens,850,EUR,year,60
%,ic_suite,24000,USD,year,90
%,ic_lite,11500,USD,year,90
%,rtl_%,8900,USD,year,90
%,pcb_%,2400,EUR,year,30
%,ctrl_%,1200,EUR,year,
`;

function writePrices(folder: string): string {
  const file = join(folder, PRICE_FILE);
  writeFileSync(file, PRICES);
  return file;
}

/** Writes the credentials for curl to a file. @returns a curl command that uses it */
function writeCredentials(
  folder: string,
  { domain, username, password }: DemoAnalyzer['account'],
  url: string,
): string {
  const file = join(folder, CURL_FILE);
  writeFileSync(file, `user = "${domain}\\\\${username}:${password}"\n`, { mode: 0o600 });
  return `curl --ntlm -K ${file} ${url}/api/GetProducts`;
}

async function runDemo(context: CommandContext, load: () => Config, folder: string): Promise<void> {
  const loaded = load();
  const log = context.createLog(loaded.log);
  const { version, revision } = context;
  const storage = createStorage(log);
  storage.take(loaded.storage.path);
  const clock = createClock();
  const { analyzer, account, config } = createDemoAnalyzer(loaded, { clock, log, version });
  await analyzer.start();
  try {
    const { url } = config();
    const curl = writeCredentials(folder, account, url);
    const withAnalyzer = (from: Config): Config => ({ ...from, analyzer: config() });
    const reload = async (): Promise<string | undefined> => {
      const reason = await reloaded(log, () => app.reload(withAnalyzer(load())));
      if (reason !== undefined) app.refuseReload();
      return reason;
    };
    const app: App = createApp(withAnalyzer(loaded), {
      log,
      version,
      revision,
      demo: true,
      clock,
      storage,
      recorded: analyzer.demand,
      recording: analyzer.recording,
      reload,
    });
    context.onReload(reload);
    const { timeZone } = loaded.embeddedAnalyzer;
    log.warn({ version, time_zone: timeZone }, 'this is the demo of license-exporter: all data is simulated');
    log.info({ address: url, try: curl }, 'embedded analyzer listening');
    await runApp(app, log, context);
  } finally {
    await analyzer.stop();
    storage.release();
  }
}

/** Runs an analyzer with a simulated site and the exporter in one process. They talk HTTP with NTLM. */
export async function demo(context: CommandContext): Promise<number> {
  const { line, env } = context;
  const folder = createTemporaryFolder();
  try {
    const priced = new Map([...demoDefaults, ['rightsizing.price_file', writePrices(folder)] as const]);
    const loadWith = (values: typeof priced): Config =>
      loadConfig({ ...line, env, defaults: values, requireAnalyzer: false });
    const { storage, embeddedAnalyzer } = loadWith(priced);
    // the days of a stored history stay in one time zone
    const zone = storage.path === undefined ? morningZone(Date.now() / 1000, embeddedAnalyzer.timeZone) : undefined;
    const defaults = zone === undefined ? priced : new Map([...priced, ['embedded_analyzer.time_zone', zone] as const]);
    await runDemo(context, () => loadWith(defaults), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}
