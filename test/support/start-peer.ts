import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';

/** A Prometheus or Alertmanager that runs as a child on a port of its own choice. */
export interface Peer {
  readonly url: string;
  readonly child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts it and waits until it is ready; it is stopped when the test is over. */
export async function startPeer(cleanup: Cleanup, program: string, args: readonly string[]): Promise<Peer> {
  const child = spawn(findProgram(program) ?? program, [...args, '--log.format=json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
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
