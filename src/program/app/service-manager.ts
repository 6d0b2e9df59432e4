import { execFile } from 'node:child_process';
import type { Log } from '../../base/model/log.ts';

/** How long systemd may take to answer systemd-notify, milliseconds. */
const ANSWER_MS = 10_000;

const REMEDY =
  'install systemd-notify, which is part of the package systemd, or set Type=exec in the unit. Otherwise systemd ends the daemon when TimeoutStartSec is over';

/**
 * Tells systemd that the daemon listens, so that a unit of `Type=notify` counts as started. Without NOTIFY_SOCKET, which such
 * a unit sets, it does nothing. A failure is logged and does not stop the daemon. Node cannot write to the socket, therefore
 * `systemd-notify` does.
 * @param env the environment of the process. NOTIFY_SOCKET is deleted, because what the process starts later must not report
 * in its name
 */
export function notifyReady(env: NodeJS.ProcessEnv, log: Log): void {
  const { PATH, NOTIFY_SOCKET } = env;
  if (NOTIFY_SOCKET === undefined) return;
  delete env.NOTIFY_SOCKET;
  const options = { env: { PATH, NOTIFY_SOCKET }, timeout: ANSWER_MS };
  execFile('systemd-notify', ['--ready'], options, (error, _output, stderr) => {
    if (error === null) return;
    const reason = stderr.trim() || error.message;
    log.error({ reason, remedy: REMEDY }, 'systemd does not know that the daemon listens');
  });
}
