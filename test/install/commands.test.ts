import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBeBare } from '../support/bare-machine.ts';
import { type BootedMachine, startBootedMachine } from '../support/booted-machine.ts';
import { stepsOf } from '../support/documented-commands.ts';
import { instead } from '../support/documented-instead.ts';
import { createCleanup } from '../support/harness.ts';
import { type Machine, type MachineShell, openShell, type RunningCommand } from '../support/machine-shell.ts';
import { root as checkout, pagePaths } from '../support/markdown.ts';
import { peer } from '../support/peers.ts';
import { startScratchMachine } from '../support/scratch-machine.ts';
import { furnishCheckout, furnishHost, password, situations, trust } from './documented-world.ts';

/**
 * Every command of the pages, typed as it is written. A reader installs on a Debian with systemd, and follows README.md first,
 * then docs/install.md, then the others. A developer has a checkout. Every command must end with 0. A daemon must listen, and
 * runs until the end of its block.
 */

const first = ['README.md', 'docs/install.md'];
/** It ends with the removal. */
const last = 'docs/company.md';
const pages = [...first, ...pagePaths.filter((page) => ![...first, last].includes(page)), last].filter((page) =>
  stepsOf(page).some((step) => 'commands' in step),
);

/** The pages of developers and of those who check a release, and what is typed in a checkout on the others. */
const ofDevelopers = new Set(['AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/developers/development.md']);
const inCheckout = /^(?:npm (?:ci|start|run)|docker|kubectl) ?/;
/** Where only the npm package is. */
const ofPackage = /^(?:npm i|npx license-exporter)\b/;

const isDaemon =
  /^(?:npx )?license-exporter (?:(?:demo|analyzer)$|(?:(?:demo|analyzer) )?--(?:config\.file|web\.config\.file)=)|^npm start$|^docker run /;

/** Its log is written for people. */
const isDemo = /\bdemo\b|^npm start$/;
/** Its first poll is over before a reader has typed the next command. */
const isPlainDemo = /\bdemo$|^npm start$/;
const untilPolled = `until curl -s 127.0.0.1:10319/metrics | grep -q '^license_feature_in_use'; do sleep 0.1; done`;

const peers = ['prometheus-alertmanager', 'docker-compose', 'kubectl', 'openssl'];

describe.runIf(canBeBare() && peer(...peers))('documented commands', () => {
  const cleanup = createCleanup();
  let readers: BootedMachine;
  let developers: Machine;
  afterAll(() => cleanup.run());

  beforeAll(async () => {
    readers = await startBootedMachine(cleanup);
    await furnishHost(readers);
    developers = await startScratchMachine(cleanup);
    furnishCheckout(developers);
  });

  /** Opens the shells of a page. Returns the one for a command. */
  function openShells(page: string): (command: string) => MachineShell {
    const directory = situations[page]?.directory ?? '/root';
    const ofReader = openShell(cleanup, readers, { directory, input: password, env: trust });
    const ofDeveloper = openShell(cleanup, developers, { directory: checkout, input: password });
    const PATH = `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const ofNpm = openShell(cleanup, developers, { directory: '/srv/site', input: password, env: { PATH } });
    return (command) => {
      if (ofPackage.test(command)) return ofNpm;
      return ofDevelopers.has(page) || inCheckout.test(command) ? ofDeveloper : ofReader;
    };
  }

  /** Runs what the table says: nothing, where another test looks at it. Returns what is wrong. */
  async function doInstead(shell: MachineShell, command: string): Promise<string | undefined> {
    const entry = instead[command];
    return entry !== undefined && 'run' in entry ? await run(shell, entry.run) : undefined;
  }

  async function run(shell: MachineShell, command: string): Promise<string | undefined> {
    const { code, output } = await shell.run(command);
    return code === 0 ? undefined : `exit code ${code}: ${output}`;
  }

  const stopAll = async (daemons: readonly RunningCommand[]): Promise<void> => {
    for (const daemon of daemons) await daemon.stop();
  };

  /** Runs commands, one after the other. @returns the daemons among them, and what is wrong, by command */
  async function type(shellFor: (command: string) => MachineShell, commands: readonly string[]) {
    const problems: Record<string, string> = {};
    const daemons: RunningCommand[] = [];
    for (const command of commands) {
      const shell = shellFor(command);
      let problem: string | undefined;
      if (isDaemon.test(command)) {
        const daemon = shell.start(command);
        daemons.push(daemon);
        const line = isDemo.test(command) ? 'INFO: listening' : '"msg":"listening"';
        problem = await daemon.shows(line).then(
          () => undefined,
          (error: Error) => error.message,
        );
        if (problem === undefined && isPlainDemo.test(command)) problem = await run(shell, untilPolled);
      } else problem = await (Object.hasOwn(instead, command) ? doInstead(shell, command) : run(shell, command));
      if (problem !== undefined) problems[command] = problem;
    }
    return { problems, daemons };
  }

  it.each(pages)('of %s can be run', async (page) => {
    const shellFor = openShells(page);
    const before = await type(shellFor, situations[page]?.before ?? []);
    const problems = { ...before.problems };
    for (const step of stepsOf(page)) {
      if ('commands' in step) {
        const block = await type(shellFor, step.commands);
        Object.assign(problems, block.problems);
        await stopAll(block.daemons);
      } else {
        const path = join(readers.root, resolve('/root', step.path));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, step.text);
      }
    }
    await stopAll(before.daemons);
    await readers.run('systemctl', 'stop', 'license-exporter@*');
    expect(problems).toEqual({});
  });
});
