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
