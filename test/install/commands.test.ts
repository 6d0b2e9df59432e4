import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBeBare } from '../support/bare-machine.ts';
import { type BootedMachine, startBootedMachine } from '../support/booted-machine.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { type MachineShell, openShell } from '../support/machine-shell.ts';
import { pagePaths, root as checkout } from '../support/markdown.ts';
import { peer } from '../support/peers.ts';
import { startScratchMachine } from '../support/scratch-machine.ts';
import { stepsOf } from './documented-commands.ts';
import { instead } from './documented-instead.ts';
import { furnishCheckout, furnishHost, password, trust } from './documented-world.ts';

/**
 * Every command of the pages, typed as it is written. A reader installs on a Debian with systemd, and follows README.md first,
 * then docs/install.md, then the others. A developer has a checkout. Every command must end with 0. A daemon must listen, and
 * runs until the end of its block.
 */

const first = ['README.md', 'docs/install.md'];
const pages = [...first, ...pagePaths.filter((page) => !first.includes(page))].filter((page) =>
  stepsOf(page).some((step) => 'commands' in step),
);

/** The pages of developers, and what is typed in a checkout on the others. */
const ofDevelopers = new Set(['AGENTS.md', 'docs/development.md', 'docs/dependencies.md']);
const inCheckout = /^(?:npm (?:ci|start|run)|docker) ?/;
/** Where only the npm package is. */
const ofPackage = /^(?:npm i|npx license-exporter)\b/;

const daemon =
  /^(?:npx )?license-exporter (?:(?:demo|analyzer)$|(?:(?:demo|analyzer) )?--(?:config\.file|web\.config\.file)=)|^npm start$|^docker run /;

describe.runIf(canBeBare() && peer('prometheus-alertmanager', 'docker-compose', 'openssl'))('documented commands', () => {
  const cleanup = createCleanup();
  let host: BootedMachine;
  let ofHost: MachineShell;
  let ofCheckout: MachineShell;
  let ofNpm: MachineShell;
  const used = new Set<string>();
  afterAll(() => cleanup.run());

  beforeAll(async () => {
    host = await startBootedMachine(cleanup);
    await furnishHost(host);
    ofHost = openShell(cleanup, host, { directory: '/root', input: password, env: trust });
    const developers = await startScratchMachine(cleanup);
    furnishCheckout(developers);
    ofCheckout = openShell(cleanup, developers, { directory: checkout, input: password });
    const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
    ofNpm = openShell(cleanup, developers, { directory: '/srv/site', input: password, env: { PATH } });
  });

  function shellFor(page: string, command: string): MachineShell {
    if (ofPackage.test(command)) return ofNpm;
    return ofDevelopers.has(page) || inCheckout.test(command) ? ofCheckout : ofHost;
  }

  /** Runs what the table says. Returns what is wrong. */
  async function doInstead(shell: MachineShell, command: string): Promise<string | undefined> {
    used.add(command);
    const entry = instead[command];
    if (entry === undefined) return 'no entry';
    if ('run' in entry) return run(shell, entry.run);
    if ('in' in entry) {
      return readFileSync(join(checkout, entry.in), 'utf8').includes(command) ? undefined : `not in ${entry.in}`;
    }
    return problemOfScript(entry.script);
  }

  async function run(shell: MachineShell, command: string): Promise<string | undefined> {
    const { code, output } = await shell.run(command);
    return code === 0 ? undefined : `exit code ${code}: ${output}`;
  }

  /** Runs a block of commands. Returns what is wrong, by command. */
  async function runBlock(page: string, commands: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const problems: Record<string, string> = {};
    const daemons = [];
    for (const command of commands) {
      const shell = shellFor(page, command);
      if (daemon.test(command)) {
        const started = shell.start(command);
        daemons.push(started);
        await started.shows('"msg":"listening"').catch((error: Error) => {
          problems[command] = error.message;
        });
        continue;
      }
      const problem = await (Object.hasOwn(instead, command) ? doInstead(shell, command) : run(shell, command));
      if (problem !== undefined) problems[command] = problem;
    }
    for (const started of daemons) await started.stop();
    return problems;
  }

  it.each(pages)('of %s can be run', async (page) => {
    const problems: Record<string, string> = {};
    for (const step of stepsOf(page)) {
      if ('commands' in step) Object.assign(problems, await runBlock(page, step.commands));
      else {
        const path = join(host.root, resolve('/root', step.path));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, step.text);
      }
    }
    expect(problems).toEqual({});
  });

  it('have no entry in the table that no page has', () => {
    expect(Object.keys(instead).filter((command) => !used.has(command))).toEqual([]);
  });
});

const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** What is wrong with a script of package.json: files that do not exist, and unknown scripts. */
function problemOfScript(name: string): string | undefined {
  const text = scripts[name];
  if (text === undefined) return `no script ${name}`;
  const files = text.match(/\b[\w/.-]+\.(?:ts|js)\b/g) ?? [];
  const called = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, script = '']) => script);
  const missing = [...files.filter((file) => !existsSync(join(checkout, file))), ...called.filter((script) => scripts[script] === undefined)];
  return missing.length === 0 ? undefined : `${missing.join(', ')} is missing`;
}
