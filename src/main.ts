import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino, stdTimeFunctions } from 'pino';
import type { Log } from './base/model/log.ts';
import { OperatorError } from './base/model/operator-error.ts';
import type { CommandContext, LogSettings } from './program/commands/command.ts';
import { parseCommandLine } from './program/commands/command-line.ts';
import { logFields, logfmtOf, readableFields } from './program/log/log-fields.ts';

/** Where a log goes that programs read. Lines for people are written to standard error by a thread of their own. */
interface LogTarget {
  readonly isTerminal: boolean;
  readonly write: (line: string) => void;
}

/** The log of a command, in the format of its settings. */
export function createLog({ level, format }: LogSettings, { isTerminal, write }: LogTarget): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // errors are fields as they should be already
    serializers: { err: (error: unknown) => error },
  };
  if (format === 'pretty' || (format === undefined && isTerminal)) {
    return pino({
      ...options,
      formatters: { log: readableFields },
      transport: {
        target: 'pino-pretty',
        options: { destination: 2, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true },
      },
    });
  }
  const target = { write: format === 'logfmt' ? (line: string) => write(logfmtOf(JSON.parse(line))) : write };
  return pino({ ...options, formatters: { level: (label) => ({ level: label }), log: logFields } }, target);
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** What was built. Source that is run without a build does not know it. */
function readBuild(): { readonly revision: string; readonly branch: string } {
  try {
    return JSON.parse(readFileSync(new URL('build.json', import.meta.url), 'utf8'));
  } catch {
    return { revision: '', branch: '' };
  }
}

/** The output of `--version`, in the layout of Prometheus. */
function versionText(): string {
  const { revision, branch } = readBuild();
  return `license-exporter, version ${readVersion()} (branch: ${branch}, revision: ${revision})
  node version:     ${process.version}
  platform:         ${process.platform}/${process.arch}
`;
}

/** A mistake of the operator is printed as a message; anything else is a bug and is printed with its stack. */
function errorText(error: unknown): string {
  if (error instanceof OperatorError) return `${error.message}\n`;
  const stack = (error as Error | undefined)?.stack ?? String(error);
  return `${stack}\nThis is a bug in license-exporter ${readVersion()}, node ${process.version}: please report it with this output.\n`;
}

/**
 * For a daemon, aborts on the first SIGTERM or SIGINT; the second one ends the process at once. Any other command ends at the
 * first one: it keeps nothing open that must be closed, and waits for standard input, a server or a tool. Node restores a
 * terminal, and tools end with the process.
 */
function stopOnSignals(isDaemon: boolean): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!isDaemon || stopping.signal.aborted) process.exit(128 + constants.signals[name]);
      stopping.abort();
    });
  }
  return stopping.signal;
}

/**
 * Ends the process without a word when the reader of its output has gone, as with `| head -1`. The exit code is that of a tool
 * which SIGPIPE ends. A daemon prints nothing.
 */
function endWithReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') process.exit(128 + constants.signals.SIGPIPE);
      if (stream === process.stdout) process.stderr.write(`the output cannot be written: ${message}\n`);
      process.exit(1);
    });
  }
}

/** Characters or bytes that are printed at once. */
const PIECE = 1 << 16;

/** Prints parts as fast as the reader takes them. Signals are heard between pieces. */
async function printToEnd(parts: Iterable<string | Uint8Array>): Promise<void> {
  let waiting = 0;
  for (const part of parts) {
    process.stdout.write(part);
    waiting += part.length;
    if (waiting < PIECE) continue;
    waiting = 0;
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    else await nextTurn();
  }
}

/** What a command needs of the process that it runs in. A test has its own. */
interface Surroundings extends Pick<CommandContext, 'env' | 'input' | 'createLog' | 'print' | 'printAll' | 'onReload'> {
  /** The width of the terminal. */
  readonly columns: number | undefined;
  readonly printError: (text: string) => void;
  /** Aborted when a daemon must stop. */
  readonly stopOf: (isDaemon: boolean) => AbortSignal;
}

/** Runs the command of a command line. @returns the exit code */
export async function runCommand(
  args: readonly string[],
  { columns, printError, stopOf, ...given }: Surroundings,
): Promise<number> {
  try {
    const line = parseCommandLine(args, columns);
    const text = line.help ?? (line.version ? versionText() : undefined);
    if (text === undefined) {
      const stop = stopOf(line.command.isDaemon === true && !line.switches.has('once'));
      return await line.command.run({ ...given, line, stop, version: readVersion(), revision: readBuild().revision });
    }
    given.print(text);
    return 0;
  } catch (error) {
    printError(errorText(error));
    return error instanceof OperatorError ? error.exitCode : 1;
  }
}

/** The process: arguments, environment, signals, log and exit code. */
export async function main(): Promise<void> {
  endWithReaders();
  // by default, Node opens a port for debuggers, which can read all secrets
  process.on('SIGUSR1', () => undefined);
  let stop: AbortSignal | undefined;
  process.exitCode = await runCommand(process.argv.slice(2), {
    columns: process.stdout.columns,
    env: process.env,
    input: () => process.stdin,
    print: (text) => void process.stdout.write(text),
    printAll: printToEnd,
    printError: (text) => void process.stderr.write(text),
    createLog: (settings) => {
      const stderr = pino.destination({ dest: 2, sync: true });
      return createLog(settings, { isTerminal: process.stderr.isTTY, write: (line) => stderr.write(line) });
    },
    stopOf: (isDaemon) => {
      stop = stopOnSignals(isDaemon);
      return stop;
    },
    onReload: (reload) => void process.on('SIGHUP', () => void (stop?.aborted || reload())),
  });
}
