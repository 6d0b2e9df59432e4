import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Site } from './end-to-end.ts';
import { account, type Cleanup } from './harness.ts';
import { createRunner } from './run.ts';

/** The daemon as a process that sends messages by itself, at high speed. */

type Map = Readonly<Record<string, unknown>>;

/** Polls and evaluates several times a second, and sends messages as soon as something has changed. */
export function createMessageDaemon(cleanup: Cleanup, site: Pick<Site, 'url'>, alerting: Map, others: Map = {}) {
  const { startProcess, temporaryFolder } = createRunner(cleanup);
  const folder = temporaryFolder();
  const everySecond = '* * * * * *';
  const file = join(folder, 'config.yml');
  const storage = join(folder, 'state');
  writeFileSync(join(folder, 'password'), account.password, { mode: 0o600 });
  const write = (changed: Map): void =>
    writeFileSync(
      file,
      stringify({
        analyzer: { url: site.url, username: 'CORP\\svc-lic', password_file: 'password', name: 'site one' },
        poll: {
          products: everySecond,
          server_down: everySecond,
          features: everySecond,
          expirations: everySecond,
          max_data_age: '10s',
        },
        web: { listen_address: '127.0.0.1:0', external_url: 'https://licenses.example.com' },
        rightsizing: { enabled: false },
        storage: { path: storage },
        ...others,
        alerting: {
          evaluation_interval: '250ms',
          group_wait: '100ms',
          group_interval: '100ms',
          rules: {
            LicenseServerDown: { keep_firing_for: '1s' },
            LicenseExpired: { for: '0s', keep_firing_for: '0s' },
            LicenseExpiringSoon: { for: '0s', keep_firing_for: '0s' },
          },
          ...changed,
        },
      }),
    );
  write(alerting);
  return {
    folder,
    file,
    storage,
    startProcess,
    /** Writes another section `alerting`. */
    change: write,
    /** Starts it, and waits until it listens. */
    start: async () => {
      const daemon = startProcess([`--config.file=${file}`, '--log.format=json']);
      const { address } = await daemon.line('listening');
      return { ...daemon, url: String(address) };
    },
  };
}
