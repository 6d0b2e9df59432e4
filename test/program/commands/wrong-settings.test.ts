import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** Forty wrong settings, each of which is named with its place and what to do: half of them are valid and have no effect. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

/** Two servers with three features. */
const site = {
  version: 1,
  vendor_licenses: [
    {
      server: 'lic01',
      daemon: 'cadd',
      features: ['Drafting', 'Solver'].map((feature) => ({ feature, count: 10, in_use: 2, expires: 'permanent' })),
    },
    { server: 'lic02', daemon: 'flowd', features: [{ feature: 'mesh', count: 5, in_use: 1, expires: 'permanent' }] },
  ],
};

const USER = '$2b$10$yUb0WO/JF3zqxCMMt5nSaOlD3EQ6nP4vKxNObTm77d6CNXbCoCeES';

const source = (more = ''): string =>
  `web: {listen_address: 127.0.0.1:0}
embedded_analyzer:
  time_zone: UTC
  sources:
    - {name: own, manager: json, via: {file: site.json}${more}}
`;

type Files = Readonly<Record<string, string>>;

/** What is set, what is said of it, and the files that it names. */
type Mistake = readonly [yaml: string, said: string, files?: Files];

const complete = (mistakes: readonly Mistake[]) =>
  mistakes.map(([yaml, said, files = {}]) => [yaml, said, files] as const);

/** A folder with a configuration, which begins with the source on lines 1 to 5, and its files. */
function write(yaml: string, files: Files = {}): string {
  const folder = temporaryFolder();
  const all = { 'site.json': JSON.stringify(site), ...files, 'c.yml': yaml };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

const replaceAll = (text: string, folder: string): string => text.replaceAll(`${folder}/`, '');

async function printedBy(folder: string, ...args: readonly string[]): Promise<{ code: number; text: string }> {
  const { exit, output } = run(args.map((arg) => (arg === 'c.yml' ? join(folder, arg) : arg)));
  return { code: await exit, text: replaceAll(output(), folder) };
}

/** Settings without effect, as the configuration alone shows: what is set below the source, and what is said. */
const byConfiguration: readonly Mistake[] = [
  [
    `alerting:\n  ignore:\n    - alertname="LicensExpired"`,
    'c.yml:8: alerting.ignore[0]: no alert has alertname="LicensExpired", did you mean LicenseExpired?',
  ],
  [
    `alerting:\n  ignore: ['vendor_licence="lic01;cadd"']`,
    'c.yml:7: alerting.ignore[0]: no alert has a label vendor_licence, did you mean vendor_license?',
  ],
  [
    `alerting:\n  ignore: ['feature=~"Solver*"']`,
    'c.yml:7: alerting.ignore[0]: feature: "Solver*" is a regular expression, in which * repeats the character before it; write "Solver.*" if it stands for any text',
  ],
  [
    `alerting:\n  ignore: ['alertname="LicenseServerDown", feature="mesh"']`,
    'c.yml:7: alerting.ignore[0]: alertname="LicenseServerDown", feature="mesh": this alert is not about a feature, and has no label feature; remove feature="mesh"',
  ],
  [
    `alerting:\n  ignore: ['alertname="LicenseWatchdog"']`,
    'c.yml:7: alerting.ignore[0]: LicenseWatchdog is evaluated by Prometheus alone, where this setting does not count; silence it in Alertmanager',
  ],
  [
    `owners: [{vendor_license: '*', owner: cad}]\nalerting:\n  email: {smarthost: 'mail:25', from: a@example.com, to: b@example.com, owners: {cda: c@example.com}}`,
    'c.yml:8: alerting.email.owners.cda: no entry of owners has this owner, did you mean cad?',
  ],
  [
    `select:\n  include: ['^lic01;cadd']\n  exclude: [lic01]`,
    'c.yml:7: select.include[0]: "^lic01;cadd" includes nothing: select.exclude[0] (c.yml:8) excludes all that it matches; remove one of them',
  ],
  [
    `select: {exclude: ['lic0*']}`,
    'c.yml:6: select.exclude[0]: "lic0*" is a regular expression, in which * repeats the character before it; write "lic0.*" if it stands for any text',
  ],
  [
    `history: {features: [{vendor_license: lic01;cadd, feature: Solver}]}`,
    'c.yml:6: history.features: is not read while the collector history is off; set metrics.collectors.history: true',
  ],
  [
    `web: {listen_address: 127.0.0.1:0, config_file: web.yml}\naccess:\n  prices:\n    - anna\n    - bert`,
    'c.yml:5: access.prices[1]: is no user of the web config, and is shown nothing: add it to basic_auth_users',
    { 'web.yml': `basic_auth_users: {anna: ${USER}}` },
  ],
  [
    `rightsizing: {price_file: prices.csv}`,
    'prices.csv:3: "lic01;cadd", "Solver" is never read: prices.csv:2 comes first and matches all of it; move it before that, or remove it',
    { 'prices.csv': 'vendor_license,feature,price,currency\nlic01;%,%,10,EUR\nlic01;cadd,Solver,20,EUR\n' },
  ],
];

/** Settings without effect on this site, all of one configuration. */
const ofSite = `${source(`, features: {include: [e, Viewer]}`)}alerting:
  ignore:
    - vendor_license="lic09;cadd"
  rules:
    LicenseExpiringSoon:
      overrides:
        - {vendor_license: ';cadd$', feature: ^solver$, info: 90d}
select:
  include: [lic01, lic02, lic03]
  exclude: [viewer]
metrics: {collectors: {history: true}}
history:
  features:
    - {vendor_license: lic02;flowd, feature: mash}
owners_file: owners.csv
rightsizing:
  price_file: prices.csv
  without_reservations:
    - {vendor_license: lic01, feature: '%'}
`;
const filesOfSite: Files = {
  'owners.csv': 'vendor_license,feature,owner\nlic01;*,*,cad\nlic02;flowd,Mesh,cfd\n',
  'prices.csv': 'vendor_license,feature,price,currency\nlic01;%,Solver,1,EUR\nlic77;%,%,2,EUR\n',
};
const bySite: readonly string[] = [
  'c.yml:5: source own: features.include[1]: "Viewer" matches no feature of this source; correct it, or remove it',
  'c.yml:8: alerting.ignore[0]: vendor_license="lic09;cadd" matches no vendor license that the analyzer lists; correct it, or remove it',
  'c.yml:12: alerting.rules.LicenseExpiringSoon.overrides[0]: ";cadd$", "^solver$" matches no feature that the analyzer lists; correct it, or remove it',
  'c.yml:14: select.include[2]: "lic03" matches no vendor license that the analyzer lists; correct it, or remove it',
  'c.yml:15: select.exclude[0]: "viewer" excludes nothing: it matches no vendor license and no feature that the analyzer lists; correct it, or remove it',
  'c.yml:19: history.features[0]: "lic02;flowd", "mash" matches no feature that the analyzer lists; did you mean mesh?',
  'c.yml:24: rightsizing.without_reservations[0]: "lic01" matches no vendor license that the analyzer lists, and says nothing about reservations; write lic01;% for all daemons of the server',
  'owners.csv:3: "lic02;flowd", "Mesh" matches no feature that the analyzer lists, and gives nothing an owner; did you mean mesh?',
  'prices.csv:3: "lic77;%" matches no vendor license that the analyzer lists, and nothing has its price; correct it, or remove it',
];

/** Settings that are refused: types, bounds, unknown keys, relations and files. */
const refused: readonly Mistake[] = [
  ['poll: {features: often}', 'c.yml:6: poll.features: "often" is neither off nor a cron expression'],
  ['shard: {index: 2, total: 2}', 'c.yml:6: shard.index: must be below shard.total (2)'],
  ['metrics: {max_series: 0}', 'c.yml:6: metrics.max_series: 0 is not an integer of at least 1'],
  ['metrics: {max_serie: 5}', 'c.yml:6: metrics.max_serie: unknown setting, did you mean max_series?'],
  ['alertin: {ignore: []}', 'c.yml:6: alertin: unknown setting, did you mean alerting?'],
  ['log: {level: verbose}', 'c.yml:6: log.level: "verbose" is not one of debug, info, warn, error'],
  [
    'datasource:\n  time_zone: Europe/Berlim',
    'c.yml:7: datasource.time_zone: "Europe/Berlim" is not a time zone such as Europe/Berlin',
  ],
  [
    "select: {include: ['*.cadd']}",
    'c.yml:6: select.include[0]: "*.cadd" is not a regular expression: Nothing to repeat; for any text, write .* in place of *',
  ],
  [
    "alerting: {ignore: ['feature=mesh']}",
    'c.yml:6: alerting.ignore[0]: "feature=mesh" is not a list of matchers such as',
  ],
  [
    'alerting:\n  rules:\n    LicenseExpird: {}',
    'c.yml:8: alerting.rules.LicenseExpird: unknown setting, did you mean LicenseExpired?',
  ],
  [
    'alerting:\n  rules:\n    LicenseFeatureSaturated: {raise: 0.8, clear: 0.9}',
    'c.yml:8: alerting.rules.LicenseFeatureSaturated.clear: ',
  ],
  [
    'alerting:\n  external_labels: {severity: x}',
    'c.yml:7: alerting.external_labels.severity: is reserved: each alert sets it',
  ],
  ['owners: [{feature: mesh, owner: cfd}]', 'c.yml:6: owners[0].vendor_license: is required'],
  [
    'owners_file: owners.csv',
    'owners.csv:1: vendor_licence: is not a usual label, did you mean vendor_license?',
    { 'owners.csv': 'vendor_licence,owner\nlic01;*,cad\n' },
  ],
  [
    'rightsizing: {price_file: prices.csv}',
    'prices.csv:2: price: is not a number; write it with a point and without separators',
    { 'prices.csv': 'vendor_license,price,currency\n%,"1.250,50",EUR\n' },
  ],
  ['rightsizing: {price_file: nowhere.csv}', 'c.yml:6: rightsizing.price_file: nowhere.csv does not exist'],
  [
    'rightsizing: {working_time: Mon-Fri 18-08}',
    'c.yml:6: rightsizing.working_time: "Mon-Fri 18-08" is not a working time',
  ],
  [
    'alerting: {email: {smarthost: mail.example.com}}',
    'c.yml:6: alerting.email.smarthost: "mail.example.com" is not a mail server',
  ],
  [
    'web: {trusted_proxy: {user_header: X-User}}',
    'c.yml:1: web.trusted_proxy.user_header: has no effect without web.trusted_proxy.from',
  ],
  ['analyzer: {url: https://lic/a, username: u}', 'c.yml:6: analyzer.url: is set beside embedded_analyzer.sources'],
];

/** The source, unless the settings have their own listener. */
const configOf = (yaml: string): string =>
  yaml.startsWith('web:') ? `${yaml}\n${source().split('\n').slice(1).join('\n')}` : `${source()}${yaml}\n`;

describe('a setting without effect', () => {
  it('is one of twenty', () => {
    expect(byConfiguration.length + bySite.length).toBe(20);
  });

  it.each(complete(byConfiguration))('is named by check-config: %j', async (yaml, said, files) => {
    const { code, text } = await printedBy(write(configOf(yaml), files), 'check-config', 'c.yml');
    expect(code).toBe(0);
    expect(text.match(/^warning: .*/gm)).toEqual([`warning: ${said}`]);
  });

  it('is named by doctor, which has read the site', async () => {
    const folder = write(ofSite, filesOfSite);
    const { text: checked } = await printedBy(folder, 'check-config', 'c.yml');
    expect(checked).not.toContain('warning');
    const { code, text } = await printedBy(folder, 'doctor', '--config.file', 'c.yml');
    expect(code).toBe(0);
    const [, settings = ''] = /^! settings +((?:.*\n)(?: {2,}.*\n)*)/m.exec(text) ?? [];
    const lines = settings.trim().split(/\n +/);
    // the history, and what was listed before, which can have more, belong to the daemon
    expect(lines).toEqual(bySite.filter((said) => !/without_reservations|alerting\.ignore/.test(said)));
  });

  it('is logged by the daemon once, and after a reload what is still wrong', async () => {
    const folder = write(ofSite, filesOfSite);
    const daemon = run(['serve', '--config.file', join(folder, 'c.yml')]);
    const said = (): string[] =>
      daemon.lines.flatMap(({ msg, level }) =>
        level === 'warn' && /:\d+: /.test(msg) ? [replaceAll(msg, folder)] : [],
      );
    const isSaid = (count: number) => eventually(`${count} lines`, () => said().length >= count);
    await isSaid(bySite.length);
    expect(said().sort()).toEqual([...bySite].sort());

    writeFileSync(join(folder, 'c.yml'), ofSite.replace('lic09;cadd', 'lic01;cadd').replace('mash', 'mesh'));
    daemon.reload();
    await isSaid(2 * bySite.length - 2);
    const again = said().slice(bySite.length);
    expect(again.sort()).toEqual(bySite.filter((text) => !/lic09|mash/.test(text)).sort());

    // a file that the daemon follows
    const next = join(folder, 'owners.new');
    writeFileSync(next, 'vendor_license,owner\nlic01;*,cad\nlic44;*,cfd\n');
    renameSync(next, join(folder, 'owners.csv'));
    await isSaid(2 * bySite.length - 1);
    expect(said().at(-1)).toBe(
      'owners.csv:3: "lic44;*" matches no vendor license that the analyzer lists, and gives nothing an owner; correct it, or remove it',
    );
  });
});

describe('a wrong setting', () => {
  it('is one of twenty more', () => {
    expect(refused).toHaveLength(20);
  });

  it.each(complete(refused))('is refused: %j', async (yaml, said, files) => {
    const { code, text } = await printedBy(write(configOf(yaml), files), 'check-config', 'c.yml');
    expect(code).toBe(2);
    expect(text).toContain(said);
  });
});
