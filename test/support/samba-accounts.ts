import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';

/** Samba's verdict on an AUTHENTICATE message, and the user. */
export type SambaVerdict = { readonly ok: true; readonly identity: string } | { readonly ok: false };

/** One logon: the challenge, then the verdict. */
interface SambaHelper {
  challenge(negotiate: string): Promise<string | undefined>;
  verify(authenticate: string): Promise<SambaVerdict>;
}

export interface BadLogons {
  /** Bad logons since the last good one, as Samba counts them. */
  readonly count: number;
  readonly isLocked: boolean;
}

/**
 * Accounts in Samba that are locked after three bad logons: a private winbindd with its own files. The users need no
 * accounts of the operating system.
 */
export interface SambaAccounts {
  /** A helper that serves one logon after another; each concurrent connection needs its own helper. */
  takeHelper(): SambaHelper;
  returnHelper(helper: SambaHelper): void;
  badLogons(user: string): BadLogons;
  setPassword(user: string, password: string): void;
}

/** Bad logons in a row after which an account is locked. */
const LOCKOUT_THRESHOLD = 3;

const folders = ['private', 'lock', 'state', 'cache', 'run', 'ncalrpc', 'winbindd'];

const configuration = (folder: string, domain: string): string => `
[global]
  server role = standalone server
  netbios name = ${domain}
  workgroup = ${domain}-GROUP
  passdb backend = tdbsam:${folder}/passdb.tdb
  private dir = ${folder}/private
  lock directory = ${folder}/lock
  state directory = ${folder}/state
  cache directory = ${folder}/cache
  pid directory = ${folder}/run
  ncalrpc dir = ${folder}/ncalrpc
  winbindd socket directory = ${folder}/winbindd
  log file = ${folder}/log.%m
  interfaces = lo
  bind interfaces only = yes
  disable netbios = yes
  ntlm auth = ntlmv2-only
`;

function writeNames(folder: string, users: readonly string[]): void {
  const lines = users.map((user, at) => `${user}:x:${20_000 + at}:20000::/nonexistent:/usr/sbin/nologin`);
  const system = ['root:x:0:0:root:/root:/bin/sh', 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin'];
  writeFileSync(join(folder, 'passwd'), `${[...system, ...lines].join('\n')}\n`);
  writeFileSync(join(folder, 'group'), 'root:x:0:\nnogroup:x:65534:\nusers:x:20000:\nwinbindd_priv:x:20001:\n');
}

function createHelper(file: string, env: NodeJS.ProcessEnv, children: Set<ChildProcess>): SambaHelper {
  const child = spawn(
    findProgram('ntlm_auth') ?? 'ntlm_auth',
    ['--helper-protocol=squid-2.5-ntlmssp', `--configfile=${file}`],
    { env: { ...env, LC_ALL: 'C.UTF-8' }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  children.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<readonly [string, string]> => {
    child.stdin.write(`${line}\n`);
    const { value } = await lines.next();
    const [word = '', rest = ''] = String(value).split(/ (.*)/s);
    return [word, rest];
  };
  return {
    challenge: async (negotiate) => {
      const [word, token] = await ask(`YR ${negotiate}`);
      return word === 'TT' ? token : undefined;
    },
    verify: async (authenticate) => {
      const [word, identity] = await ask(`KK ${authenticate}`);
      return word === 'AF' ? { ok: true, identity } : { ok: false };
    },
  };
}

/** winbindd starts child processes that can outlive it. Resolves when the whole process group has ended. */
async function endRpcServers(folder: string): Promise<void> {
  const file = join(folder, 'run/samba-dcerpcd.pid');
  if (!existsSync(file)) return;
  const group = -Number(readFileSync(file, 'utf8'));
  const isGone = (): boolean => {
    try {
      process.kill(group, 'SIGTERM');
      return false;
    } catch {
      return true;
    }
  };
  await eventually('the end of the RPC servers of Samba', isGone);
}

/** Starts winbindd with some accounts of a domain. It ends with the test. @throws Error when it does not become ready */
export async function startSambaAccounts(
  cleanup: Cleanup,
  domain: string,
  passwords: Readonly<Record<string, string>>,
): Promise<SambaAccounts> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-samba-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  for (const name of folders) mkdirSync(join(folder, name), { mode: 0o755 });
  const file = join(folder, 'smb.conf');
  writeFileSync(file, configuration(folder, domain));
  writeNames(folder, Object.keys(passwords));
  const env = {
    PATH: `${process.env.PATH ?? ''}:/usr/sbin`,
    // makes Samba's programs read user names and the path of winbindd from our files
    LD_PRELOAD: findProgram('libnss_wrapper.so') ?? '',
    NSS_WRAPPER_PASSWD: join(folder, 'passwd'),
    NSS_WRAPPER_GROUP: join(folder, 'group'),
    SELFTEST_WINBINDD_SOCKET_DIR: join(folder, 'winbindd'),
  };
  const execute = (program: string, args: readonly string[], input = ''): string =>
    execFileSync(program, args, { env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  execute('pdbedit', ['-s', file, '-P', 'bad lockout attempt', '-C', String(LOCKOUT_THRESHOLD)]);
  const setPassword = (user: string, password: string, ...options: readonly string[]): void => {
    execute('smbpasswd', ['-c', file, '-s', ...options, user], `${password}\n${password}\n`);
  };
  for (const [user, password] of Object.entries(passwords)) setPassword(user, password, '-a');
  const winbindd = spawn(findProgram('winbindd') ?? 'winbindd', ['-F', '--no-process-group', '-s', file], {
    env,
    stdio: 'ignore',
  });
  const children = new Set<ChildProcess>();
  cleanup.add(async () => {
    for (const child of children) child.kill();
    winbindd.kill();
    await new Promise((resolve) => (winbindd.exitCode === null ? winbindd.once('exit', resolve) : resolve(0)));
    await endRpcServers(folder);
  });
  const isReady = (): boolean => {
    if (winbindd.exitCode !== null) throw new Error(`winbindd ended with ${winbindd.exitCode}`);
    try {
      execute('wbinfo', ['-p']);
      return true;
    } catch {
      return false;
    }
  };
  await eventually('winbindd ready', isReady);
  const idle: SambaHelper[] = [];
  return {
    takeHelper: () => idle.pop() ?? createHelper(file, env, children),
    returnHelper: (helper) => idle.push(helper),
    setPassword,
    badLogons: (user) => {
      const page = execute('pdbedit', ['-s', file, '-L', '-v', user]);
      return {
        count: Number(/^Bad password count\s*:\s*(\d+)/m.exec(page)?.[1]),
        isLocked: /^Account Flags:\s*\[[^\]]*L/m.test(page),
      };
    },
  };
}
