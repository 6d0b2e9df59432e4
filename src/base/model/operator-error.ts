/** Why something cannot be opened or reached, and files and connections of which there are too many. */

/** What is wrong, and what to do about it. Each is one line without secrets. */
export interface Explanation {
  readonly finding: string;
  readonly remedy: string;
}

/** What was found and what to do, for a log line. */
export const inOneLine = ({ finding, remedy }: Explanation): string => `${finding}; ${remedy}`;

/** Files and connections that cannot be opened because there are too many, by code: the file, or the peer, is not the cause. */
export const openFileLimits: Readonly<Record<string, Explanation>> = {
  EMFILE: {
    finding: 'this process has as many files and connections open as it may',
    remedy: 'raise its limit (LimitNOFILE= of the unit of systemd, ulimit -n of a shell)',
  },
  ENFILE: {
    finding: 'this host has as many files open as it may',
    remedy: 'raise its limit (sysctl fs.file-max), or end the program that holds them',
  },
};

interface Coded {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** The explanation of such an error, also if it is the cause of another one; `undefined` for any other error. */
export function explainOpenFiles(error: unknown): (Explanation & { readonly code: string }) | undefined {
  for (let at = error as Coded | null | undefined, depth = 0; at && depth < 5; depth += 1) {
    const { code, errors, cause } = at;
    const known = typeof code === 'string' ? openFileLimits[code] : undefined;
    if (known !== undefined) return { ...known, code: String(code) };
    at = (errors?.[0] ?? cause) as Coded | null | undefined;
  }
  return undefined;
}

/** The limit and the remedy, after the name of what cannot be opened; `undefined` for any other error. */
export function openFilesProblem(error: unknown): string | undefined {
  const why = explainOpenFiles(error);
  return why && `cannot be opened: ${why.finding} (${why.code}); ${why.remedy}`;
}

/**
 * A problem that an operator can fix: a setting, a file, an argument, a port in use. Only its message is printed, which
 * contains the cause and the remedy. Any other error that reaches `main.ts` is a bug and is printed with its stack.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** What the process ends with. */
  readonly exitCode: number = 1;
}

/** Log fields of a caught error: only the message of an OperatorError, any other error with its stack. */
export const errorFields = (error: unknown): { readonly reason: string } | { readonly err: unknown } =>
  error instanceof OperatorError ? { reason: error.message } : { err: error };
