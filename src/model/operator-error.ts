/**
 * A mistake that an operator can mend: a setting, a file, an argument, a port that is taken. Its message names the thing
 * and the remedy, and is all that is printed. Any other error that reaches the process edge is a bug and is printed with
 * its stack.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
