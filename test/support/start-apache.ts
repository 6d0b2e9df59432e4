import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { account, type Cleanup, startAnalyzer } from './harness.ts';
import { freePort } from './start-proxy.ts';

const script = join(import.meta.dirname, '../../deploy/ntlm-peer/ci-peers.sh');

interface Apache {
  /** Base URL of the analyzer behind it. */
  readonly url: string;
  /** Number of AUTHENTICATE messages that it received. */
  logons(): number;
  setPassword(password: string): void;
}

/** Apache with real NTLM in front of an analyzer that checks no logons. @param keepAliveTimeout seconds */
export async function startApache(cleanup: Cleanup, keepAliveTimeout = 30): Promise<Apache> {
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-apache-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  chmodSync(folder, 0o755);
  const users = join(folder, 'users.txt');
  const setPassword = (password: string): void =>
    writeFileSync(users, `CORP:${account.username}:${password}\nCORP:u2:p@ss wörd\n`, { mode: 0o644 });
  setPassword(account.password);
  const port = await freePort();
  execFileSync(script, ['start', folder, String(port), new URL(analyzer.url).port], {
    env: { ...process.env, KEEP_ALIVE_TIMEOUT: String(keepAliveTimeout) },
  });
  cleanup.add(() => execFileSync(script, ['stop', folder]));
  const tokens = (): string[] => readFileSync(join(folder, 'logs/access.log'), 'utf8').match(/auth=NTLM \S+/g) ?? [];
  return {
    url: `http://127.0.0.1:${port}/analyzer`,
    // the type of a message is its ninth byte
    logons: () => tokens().filter((token) => Buffer.from(token.slice(10), 'base64')[8] === 3).length,
    setPassword,
  };
}
