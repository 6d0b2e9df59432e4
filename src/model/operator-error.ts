/**
 * A mistake that an operator can mend: a setting, a file, an argument, a port that is taken. Its message names the thing
 * and the remedy, and is all that is printed. Any other error that reaches the process edge is a bug and is printed with
 * its stack.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** What a log entry says of an error that was caught: the sentence of an operator's mistake, or a bug with its stack. */
export const errorFields = (error: unknown): { readonly reason: string } | { readonly err: unknown } =>
  error instanceof OperatorError ? { reason: error.message } : { err: error };
