import { OperatorError } from './operator-error.ts';

/** What keeps a process from listening, by the system's code. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this host does not have the address',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host name cannot be resolved',
};

/**
 * The error of a listener that did not start.
 *
 * @param who whatever listens, with a space behind it; empty for the daemon itself
 * @param setting the setting that changes the address
 * @returns an OperatorError that names address and remedy, or the error itself where the system did not refuse
 */
export function listenError(
  who: string,
  { host = '', port }: { readonly host: string | undefined; readonly port: number },
  setting: string,
  error: unknown,
): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new OperatorError(`${who}cannot listen on ${host}:${port}: ${reasons[code] ?? code}; set ${setting}`, {
    cause: error,
  });
}
