import { explainOpenFiles, OperatorError } from './operator-error.ts';

/** Why a process cannot listen, by system error code. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this host does not have the address',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host name cannot be resolved',
};

/**
 * Converts the error of a listener that did not start.
 *
 * @param who name of the listener, followed by a space; empty for the daemon itself
 * @param setting setting of the address
 * @returns an OperatorError with address and remedy, or the error itself if it is not a system error
 */
export function listenError(
  who: string,
  { host = '', port }: { readonly host: string | undefined; readonly port: number },
  setting: string,
  error: unknown,
): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const limit = explainOpenFiles(error);
  if (limit !== undefined) {
    const why = `${limit.finding} (${code}); ${limit.remedy}`;
    return new OperatorError(`${who}cannot listen on ${host}:${port}: ${why}`, { cause: error });
  }
  return new OperatorError(`${who}cannot listen on ${host}:${port}: ${reasons[code] ?? code}; set ${setting}`, {
    cause: error,
  });
}
