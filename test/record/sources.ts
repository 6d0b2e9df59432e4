import { execFile } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Recording, recordAll, run, startDaemon, temporary } from './program.ts';

/** A daemon that collects from license managers, with fixed texts in place of their tools. */

const lmstat = (host: string, server: string): string => `lmutil - Copyright (c) 1989-2025 Flexera. All Rights Reserved.
Flexible License Manager status on Thu 3/12/2026 10:20

License server status: 27000@${host}
    License file(s) on ${host}: /opt/licenses/site.lic:

${host}: license server ${server}

Vendor daemon status (on ${host}):

     acme: UP v11.19.6
Feature usage info:

Users of cad:  (Total of 20 licenses issued;  Total of 6 licenses in use)

  "cad" v4.2, vendor: acme, expiry: 31-dec-2027
  vendor_string: edition=full
  floating license

    ada pc-1 pc-1 (v4.0) (${host}/27000 1204), start Thu 3/12 9:05
    bert pc-2 :0 (v4.0) (${host}/27000 1205), start Wed 3/11 8:00, 2 licenses
    carla laptop-3 laptop-3 (v4.0) (${host}/27000 1206), start Tue 3/10 8:00 (linger: 604800)
    dora pc-4 pc-4 (v4.0) (${host}/27000 1207) queued for 3 licenses
	2 RESERVATIONs for GROUP staff (${host}/27000)

Users of mesh:  (Total of 3 licenses issued;  Total of 3 licenses in use)

  "mesh" v1.0, vendor: acme, expiry: 20-mar-2026
  floating license

    ada pc-1 pc-1 (v1.0) (${host}/27000 1301), start Thu 3/12 9:05, 3 licenses

Users of old:  (Total of 1 license issued;  Total of 0 licenses in use)
this line is not understood
`;

const rlmstat = `Setting license file path to 5053@lic7
rlmutil v14.2
Copyright (C) 2006-2021, Reprise Software, Inc. All rights reserved.


	rlm status on lic7 (port 5053), up 2d 00:30:00
	rlm software version v14.2 (build:3)
	rlm comm version: v1.2
	Startup time: Tue Mar 10 09:50:00 2026
	Todays Statistics (10:19:59), init time: Thu Mar 12 00:00:01 2026
	Recent Statistics (1d 00:15:30), init time: Wed Mar 11 10:04:30 2026

	--------- ISV servers ----------
	   Name           Port Running Restarts
	acme             49152   Yes      2

	------------------------

	acme ISV server status on lic7 (port 49152), up 00:20:00
	acme software version v14.2 (build: 3)

	------------------------

	acme license pool status on lic7 (port 49152)

	paint v3.1, pool: 1
		count: 5, # reservations: 0, inuse: 1, exp: 1-jul-2027

	------------------------

	acme license usage status on lic7 (port 49152)

	paint v3.1: ann.b@ws-4 1/0 at 03/12 08:41  (handle: 329h) 
`;

const document = JSON.stringify({
  version: 1,
  time: '2026-03-12T10:19:30Z',
  vendor_licenses: [
    {
      server: '4084@lic9',
      daemon: 'tool',
      features: [
        {
          feature: 'CAD',
          count: 20,
          expires: '2026-04-30',
          checkouts: [{ user: 'eva', host: 'ws1', since: '2026-03-12T08:00:00Z', licenses: 7 }],
          queued: [],
          denials: 2,
        },
        { feature: 'CAM', count: 'uncounted', expires: 'permanent', in_use: 3 },
      ],
    },
    { server: '4084@lic9', daemon: 'gone', reachable: false },
  ],
});

const license = `SERVER lic2 0050569a0b0c 27000
VENDOR acme
INCREMENT cad acme 4.2 31-dec-2027 20 SIGN="0012 34AB"
INCREMENT mesh acme 1.0 20-mar-2026 3 SIGN="0012 34AB"
INCREMENT spare acme 1.0 permanent 4 SIGN="0012 34AB"
`;

export async function recordSources(checkout: string, record: Recording): Promise<void> {
  const write = (name: string, text: string, mode?: number): string => {
    const path = temporary(`sources/${name}`, text, mode);
    const at = Date.parse('2026-03-12T10:19:50Z') / 1000;
    utimesSync(path, at, at);
    return path;
  };
  const files = {
    up: write('up.txt', lmstat('lic1', 'UP (MASTER) v11.19.6')),
    command: write('tool.txt', lmstat('lic2', 'UP (MASTER) v11.19.6')),
    down: write('down.txt', 'Error getting status: Cannot connect to license server system. (-15,570)\n'),
    rlm: write('rlm.txt', rlmstat),
    json: write('document.json', document),
    broken: write('broken.json', document.replace('20', '-20')),
  };
  const license2 = write('site.lic', license);
  const options = write('acme.opt', 'RESERVE 2 cad GROUP staff\nGROUP staff ada bert\n');
  const tool = write('lmutil', `#!/bin/sh\ncase "$*" in *-i*) exit 1;; esac\ncat ${files.command}\n`, 0o755);
  const failing = write('failing', '#!/bin/sh\necho no such thing >&2\nexit 3\n', 0o755);
  write('users', 'tester:8846f7eaee8fb117ad06bdd830b7586c\n');
  const configuration = write(
    'config.yml',
    `web: {listen_address: '127.0.0.1:0', external_url: https://licenses.example.com}
metrics: {collectors: {users: true, log: true, activity: true, token: true, icons: true}}
alerting: {evaluation_interval: 1s}
owners: [{vendor_license: '27000@lic1;*', owner: cad}]
embedded_analyzer:
  listen_address: 127.0.0.1:0
  users_file: users
  sources:
    - {name: up, manager: flexnet, servers: [27000@lic1], via: {file: ${files.up}}}
    - {name: tool, manager: flexnet, servers: [27000@lic2], via: {command: ${tool}}, license_files: [${license2}], options_files: {acme: ${options}}}
    - {name: down, manager: flexnet, servers: [27000@lic3], daemons: [acme], via: {file: ${files.down}}}
    - {name: failing, manager: flexnet, servers: [27000@lic4], daemons: [acme], via: {command: ${failing}}}
    - {name: missing, manager: flexnet, servers: [27000@lic5], daemons: [acme], via: {file: /nothing/there.txt}}
    - {name: licenses, manager: flexnet, servers: [27000@lic6], license_files: [${license2}]}
    - {name: paint, manager: rlm, servers: [5053@lic7], via: {file: ${files.rlm}}, users: {names: drop}}
    - {name: script, manager: json, via: {file: ${files.json}}}
    - {name: broken, manager: json, via: {file: ${files.broken}}, part: other}
`,
  );
  record.write('sources/check-config', await run(checkout, ['check-config', configuration]));
  for (const [name, file] of Object.entries(files))
    record.write(`sources/try/${name}`, await run(checkout, ['try-source', file]));
  const daemon = startDaemon(checkout, [`--config.file=${configuration}`]);
  const { address: own = '' } = await daemon.line('embedded analyzer listening');
  const { address = '' } = await daemon.line('listening');
  const vendorLicenses = [
    '27000@lic1;acme',
    '27000@lic2;acme',
    '27000@lic3;acme',
    '27000@lic6;acme',
    '5053@lic7;acme',
    '4084@lic9;tool',
  ];
  const paths = [
    ...['/', '/sources', '/sources/status.json', '/alerts', '/api/v1/alerts', '/api/v1/rules', '/api/v1/attention'],
    ...[
      '/metrics',
      '/expirations.csv',
      '/expirations.ics',
      '/rightsizing',
      '/grafana/rows/products',
      '/grafana/rows/server_down',
    ],
    ...['features', 'expirations', 'attention'].map((target) => `/grafana/rows/${target}?product=%25`),
    ...['users', 'history'].map((target) => `/grafana/rows/${target}?product=27000%40lic1%3Bacme&feature=cad`),
    ...vendorLicenses.map((name) => `/vendor-license?name=${encodeURIComponent(name)}`),
    ...['cad', 'mesh', 'old', 'spare'].map((name) => `/feature?vendor_license=27000%40lic2%3Bacme&feature=${name}`),
  ];
  const questions = paths.map((path) => ({ path }));
  await daemon.line('ready');
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await recordAll(record, 'sources/pages', address, questions);
  const asked = [
    'GetProducts',
    'GetServerDown',
    'GetFeatures?product=%25',
    'GetExpirationFeatures?product=%25&search=2',
    'GetUsers?format=sql&product=%25&feature=%25',
    'GetHistory?product=%25&feature=cad',
    'GetHttpUserName',
    'POST GetConcurrentUsers',
  ];
  for (const path of asked) {
    const [endpoint = '', method = 'GET'] = path.split(' ').reverse();
    const { stdout } = await promisify(execFile)('curl', [
      '-s',
      '--ntlm',
      '-u',
      'ANALYZER\\tester:password',
      '-X',
      method,
      `${own}/api/${endpoint}`,
    ]);
    record.write(`sources/analyzer/${path.replace(/[^\w=-]+/g, '_')}`, stdout);
  }
  await daemon.stop();
}
