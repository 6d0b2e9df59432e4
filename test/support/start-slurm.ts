import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';
import { freePort } from './start-proxy.ts';

/** A cluster of Slurm on this host: munged, slurmctld and one slurmd. */
export interface Slurm {
  /** For `SLURM_CONF`. */
  readonly config: string;
  /** Runs a command of Slurm. @returns what it prints on both outputs */
  run(program: string, ...args: readonly string[]): string;
  /** Ends the controller. */
  stopController(): Promise<void>;
}

/** @param licenses as in slurm.conf: `fluent:30,ansys:100` */
export async function startSlurm(cleanup: Cleanup, licenses: string): Promise<Slurm> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-slurm-'));
  // munge refuses a directory that its clients cannot enter
  chmodSync(folder, 0o755);
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'munge.key'), randomBytes(1024), { mode: 0o600 });
  const [controller, node] = [await freePort(), await freePort()];
  const host = hostname().split('.')[0] ?? 'localhost';
  const config = join(folder, 'slurm.conf');
  writeFileSync(
    config,
    `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${node}
AuthType=auth/munge
AuthInfo=socket=${folder}/munge.socket
CredType=cred/munge
SlurmUser=${userInfo().username}
SlurmdUser=${userInfo().username}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
Licenses=${licenses}
NodeName=${host} NodeAddr=127.0.0.1 CPUs=64 SocketsPerBoard=64 CoresPerSocket=1 ThreadsPerCore=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
  );
  const env = { ...process.env, SLURM_CONF: config };
  const start = (program: string, ...args: readonly string[]) => {
    const child = spawn(findProgram(program) ?? program, args, { env, stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    cleanup.add(stop);
    return stop;
  };
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const run: Slurm['run'] = (program, ...args) => {
    try {
      return execFileSync(findProgram(program) ?? program, args, { env, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
    }
  };
  const file = (name: string): string => join(folder, name);
  const mungeFiles = [
    'key-file=munge.key',
    'socket=munge.socket',
    'pid-file=munge.pid',
    'log-file=munge.log',
    'seed-file=munge.seed',
  ];
  start('munged', '--foreground', '--force', ...mungeFiles.map((one) => `--${one.replace('=', `=${folder}/`)}`));
  const works = (of: () => boolean) => async (): Promise<boolean> => {
    try {
      return of();
    } catch {
      return false;
    }
  };
  await eventually(
    'munged',
    works(() => run('munge', '-n', '-S', file('munge.socket')) !== ''),
  );
  const stopController = start('slurmctld', '-D');
  start('slurmd', '-D');
  await eventually(
    'an idle node',
    works(() => run('sinfo', '-h', '-o', '%t').startsWith('idle')),
  );
  return { config, run, stopController };
}
