import { SourceFailure } from '../../model/observation/source-failure.ts';
import type { Executable } from './executable.ts';
import { foreignProblem } from './start-failure.ts';

/** How a tool ended that printed nothing on its standard output. */
export interface SilentExit {
  readonly exitCode: number | undefined;
  readonly stderr: string;
}

/** Exit codes of shells and loaders for a program that cannot be run. */
const CANNOT_RUN = 126;
const NOT_FOUND = 127;
const SYNTAX_ERROR = 2;

const failure = (message: string): SourceFailure => new SourceFailure('loader', message);

/**
 * Why a tool that was started never came to its own code: a library or an interpreter is missing. Undefined if the parser
 * must find out what it says.
 *
 * @param searchPath the PATH it ran with
 */
export function silentExitFailure(
  path: string,
  executable: Executable | undefined,
  { exitCode, stderr }: SilentExit,
  searchPath: string,
): SourceFailure | undefined {
  if (exitCode !== CANNOT_RUN && exitCode !== NOT_FOUND && exitCode !== SYNTAX_ERROR) return undefined;
  const library = /error while loading shared libraries: ([^\s:]{1,200}):/.exec(stderr)?.[1];
  if (library !== undefined)
    return failure(
      `${path} needs the library ${library}, which does not exist here; install the package that contains it`,
    );
  if (exitCode === NOT_FOUND && executable?.is === 'script' && executable.interpreter.endsWith('/env'))
    return failure(
      `${path} is a script whose interpreter is not in PATH (${searchPath}); write its path in the #! line, or set PATH in \`env\``,
    );
  // what a shell says about a program that it took for a script
  return /syntax error|cannot execute|not found/i.test(stderr) ? foreignProblem(path, executable) : undefined;
}
