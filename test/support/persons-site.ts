import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize } from 'node:v8';
import { zstdDecompressSync } from 'node:zlib';
import { hashSync } from 'bcryptjs';
import { stringify } from 'yaml';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { startCollectingApp } from './collecting-app.ts';
import { createFakeSite, fakeLmutil } from './fake-license-tools/fake-site.ts';
import { type Cleanup, eventually } from './harness.ts';
import { createLargeSite } from './license-site/large-site.ts';
import { renderLmstat } from './license-site/render-lmstat.ts';
import { logClock, logDate } from './log-time.ts';
import { startSmtpServer } from './start-smtp-server.ts';

/** A site with persons of every kind, each with a name that nothing else contains. */

/** Names, by what they are. */
export const persons = {
  held: /quillfeather|brackenhost|quilldisplay/i,
  queued: /vexmoor|thistlenode/i,
  denied: /zanthrop|gorsehost/i,
  reserved: /mirelund/i,
  idle: /idlewren|fernhost/i,
  owner: /ownerlight/i,
  mail: /lampwick/i,
  webUser: /webkeeper/i,
  proxyUser: /sightlark/i,
  reclaimer: /fetchmoss/i,
  group: /groupheath/i,
  address: /127\.0\.0\.9\b/,
} as const;
export type Person = keyof typeof persons;

/** Those whom a license manager names. */
export const licenseUsers: readonly Person[] = ['held', 'queued', 'denied', 'reserved', 'idle'];

/** Which names are in a text. */
export const namesIn = (text: string): readonly Person[] =>
  (Object.keys(persons) as Person[]).filter((person) => persons[person].test(text));

const FLEXNET = '27000@lica';
const utc = createLocalTime('UTC');

/** What `lmstat` prints. Without names, others hold the licenses. */
function lmstatText(hasNames: boolean): string {
  const now = Math.floor(Date.now() / 1000);
  const site = createLargeSite({ features: 2, users: 2, now, host: 'lica', daemon: 'flexd' });
  if (!hasNames) return renderLmstat(site, utc);
  const daemons = site.daemons.map((daemon) => ({
    ...daemon,
    features: daemon.features.map((feature) => ({
      ...feature,
      pools: feature.pools.map((pool) => ({
        ...pool,
        checkouts: pool.checkouts.map((one, i) =>
          i === 0 ? { ...one, user: 'quillfeather', host: 'brackenhost', display: 'quilldisplay:0' } : one,
        ),
        queued: [{ user: 'vexmoor', host: 'thistlenode', display: 'thistlenode:0', licenses: 1, handle: '901' }],
      })),
    })),
  }));
  return renderLmstat({ ...site, daemons }, utc);
}

/** A feature that has expired, so that its owner gets a mail. */
const documentText = JSON.stringify({
  version: 1,
  vendor_licenses: [
    {
      server: '6200@licb',
      daemon: 'acme',
      reports: ['borrowed', 'status'],
      features: [
        {
          feature: 'solver',
          increments: [{ count: 9, expires: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10) }],
          in_use: 1,
          reservations: [{ holder: 'mirelund', licenses: 1, used: 0 }],
          checkouts: [
            { user: 'idlewren', host: 'fernhost', handle: '7', status: { state: 'inactive', seconds: 9000 } },
          ],
        },
      ],
    },
  ],
});

/** What a request to the daemon says of who asks. */
export interface Asking {
  /** As the proxy names the user. */
  readonly as?: string;
  readonly groups?: string;
  /** Where it comes from. */
  readonly from?: string;
}

/** The text of an answer. */
function ask(url: string, { as = 'nobody', groups = '', from = '127.0.0.1' }: Asking): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-user': as, ...(groups !== '' && { 'x-groups': groups }) };
    request(url, { headers, localAddress: from }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

/** Starts license managers, daemon and mail server. @param settings others of the daemon */
export async function startPersonsSite(cleanup: Cleanup, settings: object = {}, names = 'keep') {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-persons-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const storage = join(folder, 'storage');
  mkdirSync(storage);
  const tools = createFakeSite(join(folder, 'site'));
  tools.print(FLEXNET, lmstatText(true));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const now = Date.now() / 1000;
  const debugLog = write('debug.log', `${logClock(now - 3600)} (flexd) TIMESTAMP ${logDate(now - 3600)}\n`);
  const users = { names };
  const sources = [
    {
      name: 'cad',
      manager: 'flexnet',
      servers: [FLEXNET],
      via: { command: fakeLmutil },
      env: tools.env,
      debug_log: { path: debugLog },
      users,
    },
    { name: 'doc', manager: 'json', via: { file: write('site.json', documentText) }, users },
  ];
  const webConfig = write('web.yml', `basic_auth_users: {webkeeper: '${hashSync('secret', 4)}'}\n`);
  const mail = await startSmtpServer(cleanup);
  const app = await startCollectingApp(cleanup, sources, {
    'storage.path': storage,
    'web.config_file': webConfig,
    'web.trusted_proxy.from': '127.0.0.0/8',
    'web.trusted_proxy.user_header': 'X-User',
    'web.trusted_proxy.groups_header': 'X-Groups',
    'access.names': ['sightlark', 'group:groupheath'],
    'access.reclaim': ['fetchmoss'],
    owners: [{ vendor_license: '*', owner: 'ownerlight' }],
    'alerting.evaluation_interval': '250ms',
    'alerting.group_wait': '100ms',
    'alerting.rules': { LicenseExpired: { for: '0s' } },
    'alerting.email.smarthost': `127.0.0.1:${mail.port}`,
    'alerting.email.from': 'licenses@example.com',
    'alerting.email.to': 'licenses@example.com',
    'alerting.email.owners': { ownerlight: ['lampwick@example.com', 'others@example.com'] },
    'alerting.email.require_tls': false,
    'alerting.email.digest': 'off',
    ...settings,
  });
  await app.collect();
  return {
    ...app,
    folder,
    storage,
    mail,
    webConfig,
    /** A configuration of the same sources for commands. */
    config: write(
      'commands.yml',
      stringify({ storage: { path: storage }, embedded_analyzer: { time_zone: 'UTC', sources } }),
    ),
    /** The tool answers, and no person of `persons` has anything. */
    leave: () => {
      tools.print(FLEXNET, lmstatText(false));
      tools.play(FLEXNET, 'ok');
    },
    setDown: () => tools.play(FLEXNET, 'down'),
    /** Refuses a person a license, until it counts. */
    refuse: async (isCounted: () => Promise<boolean>) => {
      const at = Date.now() / 1000;
      const why = '(Licensed number of users already reached. (-4,342))';
      const lines = [600, 300, 60, 1].map(
        (ago) => `${logClock(at - ago)} (flexd) DENIED: "feature_1" zanthrop@gorsehost  ${why}\n`,
      );
      appendFileSync(debugLog, lines.join(''));
      await eventually('the person who was refused', async () => {
        await app.collect();
        return isCounted();
      });
    },
    debugLog,
    lmstat: () => lmstatText(true),
    get: (path: string, asking: Asking = {}) => ask(`${app.url}${path}`, asking),
    logText: () => JSON.stringify(app.log.entries),
  };
}

export type PersonsSite = Awaited<ReturnType<typeof startPersonsSite>>;

/** `undefined` if the file is gone: a temporary one is renamed after it was listed. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** All files below a folder, as text by name. */
export const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ parentPath, name }) => {
        const text = textOf(join(parentPath, name));
        return text === undefined ? [] : [[name, text] as const];
      }),
  );

/** All rows of each table of a history, as text. Observations are unpacked. */
export function historyIn(folder: string): Readonly<Record<string, string>> {
  const database = new DatabaseSync(join(folder, 'history.db'), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const rows = database.prepare(`SELECT * FROM ${name}`).all();
        const read = rows.map((row) =>
          name === 'observation'
            ? { ...row, observation: deserialize(zstdDecompressSync(row['observation'] as Uint8Array)) }
            : row,
        );
        return [String(name), JSON.stringify(read)];
      }),
    );
  } finally {
    database.close();
  }
}
