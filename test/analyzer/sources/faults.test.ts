import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { FlexnetOwn } from '../../../src/analyzer/sources/flexnet/own-settings.ts';
import { createManagerSource } from '../../../src/analyzer/sources/manager-source.ts';
import { createReader } from '../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread } from '../../../src/analyzer/sources/reading/reading-thread.ts';
import type { SourceSettings } from '../../../src/analyzer/sources/source-settings.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { SourceHealth } from '../../../src/base/model/observation/source.ts';
import type { SourceFailureKind } from '../../../src/base/model/observation/source-failure.ts';
import { createFakeSite, type FakeMode, fakeLmutil, fakeRlmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import { sourceSettings } from '../../support/source-settings.ts';
import { createFolder, createHost, writeTool } from './transport/tools.ts';

/** What an administrator reads when a source cannot be read: the thing, and the remedy. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SERVER = '27000@lic1';
const utc = createLocalTime('UTC');
const seconds = (): number => Math.floor(Date.now() / 1000);

interface Place {
  readonly folder: string;
  readonly site: ReturnType<typeof createFakeSite>;
  command(...command: string[]): SourceSettings['via'];
}

function createPlace(): Place {
  const folder = createFolder(cleanup);
  const site = createFakeSite(join(folder, 'site'));
  const flexnet = createLargeSite({ features: 3, users: 2, now: seconds(), host: 'lic1', daemon: 'flexd' });
  site.print(SERVER, renderLmstat(flexnet, utc));
  site.print(SERVER, renderLmstatInventory(flexnet, utc), 'i');
  return { folder, site, command: (...command) => ({ kind: 'command', command, env: site.env }) };
}

async function healthOf(settings: Partial<SourceSettings & FlexnetOwn>): Promise<SourceHealth> {
  const all = sourceSettings({ servers: [SERVER], timeout: 20, ...settings });
  const reader = createReader(all, createHost(cleanup), createReadingThread());
  const now = (): number => Date.now() / 1000;
  const source = createManagerSource(all, { reader, now, pseudonymKey: 'key', log: createTestLog() });
  cleanup.add(() => source.close());
  await source.read(new AbortController().signal);
  return source.health();
}

/** A fault, the kind of its problem, and what its sentence must say. */
type Fault = readonly [
  name: string,
  settings: (place: Place) => Partial<SourceSettings & FlexnetOwn>,
  kind: SourceFailureKind,
  ...phrases: readonly string[],
];

const mode = (of: FakeMode) => (place: Place) => {
  place.site.play(SERVER, of);
  place.site.nameDaemon(SERVER, 'flexd');
  return { via: place.command(fakeLmutil) };
};

const rlm = (of: FakeMode) => (place: Place) => {
  const isv = createLargeSite({ features: 2, users: 2, now: seconds(), host: 'lic1', port: 27_000, daemon: 'acme' });
  place.site.print(SERVER, renderRlmstat(isv, utc));
  place.site.play(SERVER, of);
  place.site.nameDaemon(SERVER, 'acme');
  return { manager: 'rlm', via: place.command(fakeRlmutil) } as const;
};

const tool = (content: string | Uint8Array, permissions?: number) => (place: Place) => ({
  via: place.command(writeTool(place.folder, 'lmutil', content, permissions)),
});

/** A real program whose loader or machine is another one. */
function program(change: (bytes: Buffer) => void): Uint8Array {
  const bytes = readFileSync('/bin/true');
  change(bytes);
  return bytes;
}

const LOADER = '/lib64/ld-linux-x86-64.so.2';
const withOtherLoader = (bytes: Buffer): void => {
  bytes.write('/lib64/ld-lsb-x86-64.so.3\0\0', bytes.indexOf(LOADER), 'latin1');
};
const forArm = (bytes: Buffer): void => {
  bytes.writeUInt16LE(183, 18);
};

const json = (text: string) => (place: Place) => {
  const file = join(place.folder, 'licenses.json');
  writeFileSync(file, text);
  return { manager: 'json', servers: [], via: { kind: 'file', file, maxAge: 600 } } as const;
};
const document = {
  version: 1,
  vendor_licenses: [{ server: '4084@lic1', daemon: 'acme', features: [{ feature: 'CAD', count: 20, in_use: 7 }] }],
};

const faults: readonly Fault[] = [
  ['a server that is down', mode('down'), 'unreachable', `${SERVER} cannot be reached`, 'Check that lmgrd runs there'],
  ['lmgrd that is down', mode('lmgrd_down'), 'unreachable', 'is down', 'SERVER line'],
  ['a vendor daemon that is down', mode('daemon_down'), 'daemon_down', 'flexd of 27000@lic1 is down', 'Start it'],
  ['a server that refuses', mode('refused'), 'refused', 'not a license administrator', 'access rules'],
  ['a server of another protocol', mode('protocol'), 'protocol', 'lmstat cannot read', 'manager `json`'],
  ['output of something else', mode('garbage'), 'unparsed', 'is not that of lmstat -a', 'Check the command'],
  ['no output', mode('empty'), 'unparsed', 'is empty', 'by hand'],
  [
    'a part of the output',
    (place) => {
      const site = createLargeSite({ features: 3, users: 2, now: seconds(), host: 'lic1', daemon: 'flexd' });
      const text = renderLmstat(site, utc);
      place.site.print(SERVER, text.slice(0, text.indexOf('(Total of', text.indexOf('feature_2:')) + 15));
      return { via: place.command(fakeLmutil) };
    },
    'unparsed',
    'ends within a line',
    'by hand',
  ],
  ['a tool that crashes', mode('crash'), 'exit', 'SIGSEGV', 'run it by hand'],
  ['a process that holds the output', mode('orphan'), 'exit', 'kept its output open', '/dev/null'],
  [
    'a flood of output',
    (place) => ({ ...mode('flood')(place), maxOutput: 2 ** 20 }),
    'too_large',
    'more than 1048576 bytes',
    'larger max_output',
  ],
  [
    'a tool that hangs',
    (place) => ({ ...mode('hang')(place), timeout: 1 }),
    'timeout',
    'did not end within 1 s',
    'longer timeout',
  ],
  [
    'a path that does not exist',
    (place) => ({ via: place.command('/opt/nowhere/lmutil') }),
    'missing_tool',
    '/opt/nowhere/lmutil does not exist',
    'correct the path in `command`',
  ],
  ['a tool that may not be executed', tool('#!/bin/sh\n', 0o644), 'not_executable', 'allow it (chmod a+rx'],
  ['a tool without a #! line', tool('echo\n'), 'not_executable', 'add the line'],
  ['a missing interpreter', tool('#!/opt/nope/python9\n'), 'loader', '/opt/nope/python9, which does not exist'],
  ['line ends of Windows', tool('#!/bin/sh\r\n'), 'loader', 'sed -i'],
  ['a tool that fails without a word', tool('#!/bin/sh\nexit 1\n'), 'exit', 'exit code 1', 'Run it by hand'],
  [
    'a clock that is off by an hour',
    (place) => {
      const site = createLargeSite({ features: 1, users: 1, now: seconds() - 3600, host: 'lic1', daemon: 'flexd' });
      place.site.print(SERVER, renderLmstat(site, utc));
      return { via: place.command(fakeLmutil) };
    },
    'clock',
    '60 minutes off',
    '`time_zone`',
  ],
  [
    'a missing license file',
    (place) => ({ via: place.command(fakeLmutil), licenseFiles: ['/opt/nowhere/license.dat'] }),
    'missing_tool',
    '/opt/nowhere/license.dat does not exist',
    '`license_files`',
  ],
  [
    'a license file of something else',
    (place) => {
      const file = join(place.folder, 'license.dat');
      writeFileSync(file, 'hello\n');
      return { via: place.command(fakeLmutil), licenseFiles: [file] };
    },
    'unparsed',
    'is not a license file',
    '`license_files`',
  ],
  [
    'a missing options file',
    (place) => ({ via: place.command(fakeLmutil), optionsFiles: { flexd: '/opt/nowhere/flexd.opt' } }),
    'missing_tool',
    '/opt/nowhere/flexd.opt does not exist',
    '`options_files`',
  ],
  [
    'an options file of another daemon',
    (place) => {
      const file = join(place.folder, 'other.opt');
      writeFileSync(file, 'RESERVE 1 feature_1 USER ada\n');
      return { via: place.command(fakeLmutil), optionsFiles: { otherd: file } };
    },
    'unparsed',
    'otherd, which the server does not have',
    'flexd',
  ],
  [
    'a missing debug log',
    (place) => ({
      via: place.command(fakeLmutil),
      debugLogs: [{ path: '/opt/nowhere/lmgrd.log', timeZone: 'UTC', encoding: undefined }],
    }),
    'missing_tool',
    '/opt/nowhere/lmgrd.log does not exist',
    '-l',
  ],
  [
    'a report log',
    (place) => {
      const path = join(place.folder, 'report.log');
      writeFileSync(path, Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256)));
      return { via: place.command(fakeLmutil), debugLogs: [{ path, timeZone: 'UTC', encoding: undefined }] };
    },
    'unparsed',
    'REPORTLOG',
    'DEBUGLOG',
  ],
  ['an RLM server that is down', rlm('down'), 'unreachable', `RLM at ${SERVER}`, 'check that rlm runs there'],
  ['an ISV server that is down', rlm('daemon_down'), 'daemon_down', 'ISV server acme', 'rlmreread'],
  ['an RLM server that refuses', rlm('refused'), 'refused', 'allow "status"'],
  ['half of the output of RLM', rlm('cut'), 'unparsed', 'ends within a line'],
  ['text instead of JSON', json('hello'), 'unparsed', 'is not JSON', 'docs/json-source.md'],
  ['half of a document', json(JSON.stringify(document).slice(0, 60)), 'unparsed', 'line 1 column 61'],
  ['another version', json(JSON.stringify({ ...document, version: 2 })), 'unparsed', 'update license-exporter'],
  [
    'an old document',
    json(JSON.stringify({ ...document, time: seconds() - 7200 })),
    'too_old',
    // two hours, and what the tests before it take
    ' minutes ago',
    'its script still runs',
  ],
  ['an empty document', json(''), 'unparsed', 'the output is empty'],
];

/** Programs of this system, of which other machines have no copy. */
const ofLinux: readonly Fault[] = [
  [
    'a missing loader',
    (place) => tool(program(withOtherLoader))(place),
    'loader',
    '/lib64/ld-lsb-x86-64.so.3',
    'install the package lsb',
  ],
  [
    'a tool of another machine',
    (place) => tool(program(forArm))(place),
    'not_executable',
    'for another machine (ARM, 64 bits',
    'install the tool for this host',
  ],
];

async function check([, settings, kind, ...phrases]: Fault): Promise<void> {
  const { problems } = await healthOf(settings(createPlace()));
  const [problem] = problems;
  expect(problem?.kind).toBe(kind);
  for (const phrase of phrases) expect(problem?.message).toContain(phrase);
  // no names of users or of their hosts
  expect(JSON.stringify(problems)).not.toMatch(/user\d|ws\d/);
}

describe('the problem of a source', () => {
  it.each(faults.map((fault) => [fault[0], fault] as const))('%s', (_, fault) => check(fault));

  it
    .runIf(process.platform === 'linux' && process.arch === 'x64')
    .each(ofLinux.map((fault) => [fault[0], fault] as const))('%s', (_, fault) => check(fault));
});
