import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createClock } from '../../base/scheduling/clock.ts';
import { type Abandoned, removeAbandoned } from '../../base/storage/leftovers.ts';
import { type App, createApp } from '../app/app.ts';
import { createDemoAnalyzer, type DemoAnalyzer, demoDefaults } from '../app/demo-analyzer.ts';
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

/** Made-up prices a year. Those of other features are not known, as at most sites. */
const PRICES = `vendor_license,feature,price,currency
%,sim-suite-%,9800,EUR
%,sim-solver-%,7500,EUR
%,sim-mesh-%,2400,EUR
%,sim-cad-%,3100,EUR
%,sim-render-%,1200,EUR
%,sim-timing-%,5600,USD
%,sim-synth-%,8900,USD
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
    log.warn({ version }, 'this is the demo of license-exporter: all data is simulated');
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
    const defaults = new Map([...demoDefaults, ['rightsizing.price_file', writePrices(folder)] as const]);
    await runDemo(context, () => loadConfig({ ...line, env, defaults, requireAnalyzer: false }), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}
