import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/**
 * Ends the tools when this process is killed and cannot do it any more. A process of its own, a shell of about 1 MB, waits
 * for the end of a pipe from here. The system closes the pipe as soon as this process is gone, in any way. Then the shell
 * kills all processes that have our mark in their environment, and the process groups that it was sent last.
 *
 * There is no moment in which a tool is not covered: a copy of this process that is about to become a tool holds the pipe
 * open, until it has become the tool and has the mark.
 */
export interface Reaper {
  /** Starts it if it does not run. @returns a mark for a new run: `NAME=value` */
  cover(): string;
  /** Adds a process group to those that are killed, for tools that clear their environment. @returns ends it */
  watch(group: number): () => void;
  close(): void;
}

const VARIABLE = 'LICENSE_EXPORTER_RUN';

/**
 * The arguments are the beginning of our marks and of our working directories. Several rounds, because a process can start
 * another one while the list is made. `sleep` of an old system may know whole seconds only.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
quiet=0
round=0
while [ $quiet -lt 3 ] && [ $round -lt 50 ]; do
  found=
  for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
  for file in $(grep -lFs -e "$1" /proc/[0-9]*/environ); do
    id=\${file#/proc/}
    kill -s KILL "\${id%/environ}" 2>/dev/null && found=1
  done
  if [ -n "$found" ]; then quiet=0; else quiet=$((quiet + 1)); fi
  round=$((round + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
rm -rf -- "$2"*
`;

/** What a reaper may delete beside the tools that it ends. */
export interface ReaperOptions {
  /** Working directories that begin with this path are deleted as well. */
  readonly folderPrefix: (token: string) => string;
  /** Why nothing would end the tools if this process was killed. */
  readonly onProblem: (message: string) => void;
  readonly shell?: string;
}

/** Starts a process that outlives this one, and then ends the tools that it has left. */
export function createReaper({
  folderPrefix,
  onProblem,
  shell = '/bin/sh',
}: ReaperOptions): Reaper & { readonly token: string } {
  const token = randomUUID();
  const groups = new Set<number>();
  let shellProcess: ChildProcess | undefined;
  let runs = 0;
  let isReported = false;

  const send = (): void => {
    shellProcess?.stdin?.write(`${[...groups].join(' ')}\n`);
  };
  const lose = (lost: ChildProcess, reason: string): void => {
    if (shellProcess !== lost) return;
    shellProcess = undefined;
    if (isReported) return;
    isReported = true;
    onProblem(
      `tools of sources would go on running if this process was killed, because ${shell} does not run to end them: ${reason}`,
    );
  };
  const start = (): void => {
    const args = ['-c', SCRIPT, 'license-exporter-reaper', `${VARIABLE}=${token}.`, folderPrefix(token)];
    const started = spawn(shell, args, {
      // its own session, so that a signal to our process group does not end it
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shellProcess = started;
    started.on('error', (error) => lose(started, error.message));
    started.on('exit', (code, signal) => lose(started, `it ended with ${signal ?? code}`));
    const pipe = started.stdin as Socket | null;
    // it may end between two messages; its exit says so
    pipe?.on('error', () => undefined);
    started.unref();
    pipe?.unref();
    if (groups.size > 0) send();
  };

  return {
    token,
    cover: () => {
      if (shellProcess === undefined) start();
      runs += 1;
      return `${VARIABLE}=${token}.${runs}`;
    },
    watch: (group) => {
      groups.add(group);
      send();
      return () => {
        groups.delete(group);
        send();
      };
    },
    close: () => {
      const closing = shellProcess;
      shellProcess = undefined;
      closing?.stdin?.end();
    },
  };
}
