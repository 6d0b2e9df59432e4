import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ManagerReader } from '../../../../src/analyzer/sources/manager.ts';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { createCommandTransport } from '../../../../src/analyzer/sources/transport/command-transport.ts';
import { createCleanup } from '../../../support/harness.ts';
import { sourceSettings } from '../../../support/source-settings.ts';
import { createFolder, createHost, nodeScript, writeTool } from '../transport/tools.ts';
import { published, type TextManager } from './published.ts';

/** How the tools are run: scripts in their place print what they would print. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const server = '1234@lic1';

/** What the tool prints for its arguments, and its exit code. */
type Answer = readonly [stdout: string, stderr?: string, exitCode?: number];

function readerOf(manager: TextManager, answers: Readonly<Record<string, Answer>>) {
  const folder = createFolder(cleanup);
  const log = join(folder, 'asked');
  const tool = writeTool(
    folder,
    'tool',
    nodeScript(`const args = process.argv.slice(2).join(' ');
require('node:fs').appendFileSync(${JSON.stringify(log)}, args + '\\n');
const [stdout, stderr = '', exitCode = 0] = ${JSON.stringify(answers)}[args] ?? ['', 'no such question', 9];
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;`),
  );
  const host = createHost(cleanup, { now: () => Date.parse('2027-01-15T08:00:00Z') / 1000 });
  const via = { kind: 'command' as const, command: [tool], env: {} };
  const reader: ManagerReader = managerCodes[manager].createReader(
    sourceSettings({ manager, servers: [server], via }),
    {
      transport: createCommandTransport(
        { ...via, label: 'x', timeout: 20, maxOutput: 2 ** 20, encoding: undefined },
        host,
      ),
      host,
      read: async (input) => managerCodes[manager].read(input),
    },
  );
  cleanup.add(() => reader.close());
  return {
    read: () => reader.read(new AbortController().signal),
    asked: () => readFileSync(log, 'utf8').trimEnd().split('\n'),
  };
}

const textOf = (manager: TextManager, name: string): string => published[manager][name] ?? '';
const [programs = '', list = ''] = textOf('lsdyna', 'programs').split(
  /(?=\nUsing user specified server 31010@lic1\n\n\n)/,
);

describe.each<[TextManager, Readonly<Record<string, Answer>>, number]>([
  ['dsls', { '-admin -run connect lic1 1234 -restricted; getLicenseUsage -csv; quit': [textOf('dsls', 'table')] }, 2],
  ['lmx', { '-licstatxml -host lic1 -port 1234': [textOf('lmx', 'xml')] }, 2],
  ['lsdyna', { '-s 1234@lic1 -R': [programs], '-s 1234@lic1': [list, '', 1] }, 5],
  ['rms', { lic1: [textOf('rms', 'blocks'), '', 3] }, 2],
  ['slurm', { 'show licenses --json': [textOf('slurm', 'json')] }, 1],
])('the tool of %s', (manager, answers, features) => {
  it('is asked these questions, and its exit code is no failure if it has an answer', async () => {
    const { read, asked } = readerOf(manager, answers);
    const { vendorLicenses, problems, members, diagnostics } = await read();
    expect(asked()).toEqual(Object.keys(answers));
    expect(vendorLicenses.flatMap(({ pools }) => pools)).toHaveLength(features);
    expect({ problems, unparsed: diagnostics.unparsed }).toEqual({ problems: [], unparsed: 0 });
    expect(members).toEqual([{ server, up: true, isMaster: true }]);
  });

  it('that cannot reach its server is a failure with its remedy, with any exit code', async () => {
    const down = textOf(manager, 'down');
    const failing = Object.fromEntries(Object.keys(answers).map((args) => [args, ['', down, 2] as const]));
    const more = manager === 'slurm' ? { 'show licenses -o': ['', down, 1] as const } : {};
    const { read } = readerOf(manager, { ...failing, ...more });
    await expect(read()).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^Cannot connect to .* at 1234@lic1: /),
    });
  });
});

it('a tool of Slurm without JSON is asked for lines', async () => {
  const { read, asked } = readerOf('slurm', {
    'show licenses --json': ['', "scontrol: unrecognized option '--json'\n", 1],
    'show licenses -o': [textOf('slurm', 'lines')],
  });
  expect((await read()).vendorLicenses[0]?.pools).toHaveLength(3);
  expect(asked()).toEqual(['show licenses --json', 'show licenses -o']);
});
