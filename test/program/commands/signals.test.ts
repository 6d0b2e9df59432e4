import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner, launch } from '../../support/run.ts';

/** A command that is no daemon ends at the first SIGTERM or SIGINT. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { startProcess, temporaryFolder } = createRunner(cleanup);

const SIGTERM_CODE = 143;
const SIGINT_CODE = 130;

/** A server that accepts connections and says nothing. */
async function startSilentServer(): Promise<{ address: string; connected: Promise<unknown> }> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  cleanup.add(() => server.close());
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: once(server, 'connection'),
  };
}

describe('waiting for a server that does not answer', () => {
  it.each([
    [['serve', '--once'], 'SIGTERM', SIGTERM_CODE],
    [['test-alert'], 'SIGINT', SIGINT_CODE],
  ] as const)('%j ends at %s', async (args, signal, code) => {
    const { address, connected } = await startSilentServer();
    const file = join(temporaryFolder(), 'c.yml');
    const receiver = args[0] === 'test-alert' ? `alerting: {alertmanagers: "http://${address}"}\n` : '';
    writeFileSync(file, `analyzer: {url: "http://${address}/a", username: u}\n${receiver}`);
    const running = startProcess([...args, `--config.file=${file}`], {
      env: { LICENSE_EXPORTER_ANALYZER_PASSWORD: 'geheim' },
    });
    await connected;
    running.child.kill(signal);
    expect(await running.exit).toBe(code);
    expect(running.output()).not.toMatch(/ at |bug/);
  });
});

describe('waiting for a tool', () => {
  it('capture ends at SIGTERM', async () => {
    const folder = temporaryFolder();
    const started = join(folder, 'started');
    const tool = join(folder, 'lmutil');
    writeFileSync(tool, `#!/bin/sh\n: > '${started}'\nexec sleep 600\n`, { mode: 0o700 });
    const file = join(folder, 'c.yml');
    const source = `{name: one, manager: flexnet, servers: [1@lic1], via: {command: ${tool}}}`;
    writeFileSync(file, `embedded_analyzer: {sources: [${source}]}\n`);
    const running = startProcess(['capture', 'one', `--config.file=${file}`]);
    await eventually('the tool runs', async () => existsSync(started));
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(SIGTERM_CODE);
    expect(running.output()).not.toMatch(/ at |bug/);
  });
});

describe('analyzer hash-password', () => {
  const args = ['analyzer', 'hash-password', 'svc'];

  it('waiting for standard input ends at SIGTERM', async () => {
    const child = spawn(process.execPath, [launch, ...args], { stdio: ['pipe', 'ignore', 'inherit'] });
    cleanup.add(() => void child.kill('SIGKILL'));
    child.stdin.on('error', () => {});
    // more than a pipe holds: once it is written, the command reads, and waits for the end of the line
    await new Promise((resolve) => child.stdin.write('x'.repeat(2 ** 20), resolve));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([SIGTERM_CODE, null]);
  });

  it.each([
    ['Ctrl-C', SIGINT_CODE],
    ['SIGTERM', SIGTERM_CODE],
  ])('on a terminal ends at %s, and the terminal echoes again', async (end, code) => {
    // `script` runs a shell on a terminal; the shell shows the process id of the command, its exit code, and the terminal
    const inner = `echo "pid $$"; exec '${process.execPath}' '${launch}' ${args.join(' ')}`;
    const line = `sh -c '${inner.replaceAll("'", `'\\''`)}'; echo "code $?"; stty -a`;
    const terminal = spawn('script', ['--quiet', '--command', line, '/dev/null'], {
      env: { ...process.env, SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    cleanup.add(() => void terminal.kill('SIGKILL'));
    let text = '';
    terminal.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await eventually('the prompt', async () => text.includes('Password: '));
    if (end === 'Ctrl-C') terminal.stdin.write('\u0003');
    else process.kill(Number(/pid (\d+)/.exec(text)?.[1]), end);
    await once(terminal, 'close');
    expect(text).toContain(`code ${code}\r\n`);
    expect(text).toMatch(/[^-]echo\b/);
    expect(text).toMatch(/[^-]icanon\b/);
  });
});

describe('the demo', () => {
  it('reads its configuration again at SIGHUP and over HTTP, and opens no port for debuggers at SIGUSR1', async () => {
    const file = join(temporaryFolder(), 'c.yml');
    const write = (more: string) =>
      writeFileSync(
        file,
        `web: {listen_address: "127.0.0.1:0", enable_lifecycle: true}\nembedded_analyzer: {listen_address: "127.0.0.1:0"}\n${more}`,
      );
    write('');
    const demo = startProcess(['demo', `--config.file=${file}`, '--log.format=json']);
    const { address } = await demo.line('listening');
    const told = (level: string) =>
      demo.lines.filter(({ msg, level: of }) => of === level && msg.startsWith('configuration'));
    const reload = async (): Promise<number> => (await fetch(`${address}/-/reload`, { method: 'POST' })).status;
    demo.child.kill('SIGUSR1');
    demo.child.kill('SIGHUP');
    await eventually('a reload', () => told('info').length === 1);
    expect(await reload()).toBe(200);
    write('mistake: {}\n');
    expect(await reload()).toBe(500);
    demo.child.kill('SIGHUP');
    await eventually('two refusals', () => told('error').length === 2);
    expect(demo.output()).not.toContain('Debugger');
    demo.child.kill('SIGTERM');
    expect(await demo.exit).toBe(0);
  });
});
