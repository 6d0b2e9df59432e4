import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';

/** A Prometheus or Alertmanager in a child process, on a free port. */
export interface Peer {
  readonly url: string;
  readonly child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the program and waits until it is ready. It is stopped at the end of the test. @param env in addition to that of the test */
export async function startPeer(
  cleanup: Cleanup,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Peer> {
  const child = spawn(findProgram(program) ?? program, [...args, '--log.format=json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  cleanup.add(() => stop());
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}:\n${lines.join('\n')}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const { msg, address: at } = JSON.parse(line) as { msg?: string; address?: string };
      if (msg === 'Listening on' && at !== undefined) resolve(at);
    });
  });
  const url = `http://${address}`;
  await eventually(`${program} ready`, async () => (await fetch(`${url}/-/ready`)).ok);
  return { url, child, stop };
}
