import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { pino, stdTimeFunctions } from 'pino';
import type { LogSettings } from './commands/command.ts';
import { parseCommandLine } from './commands/command-line.ts';
import { ConfigError } from './config/problems.ts';
import type { Log } from './model/log.ts';
import { logFields, readableFields } from './model/log-fields.ts';
import { logfmtOf } from './model/logfmt.ts';
import { OperatorError } from './model/operator-error.ts';

function createLog({ level, format = process.stderr.isTTY ? 'pretty' : 'json' }: LogSettings): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // errors are fields as they should be already
    serializers: { err: (error: unknown) => error },
  };
  if (format !== 'pretty') {
    const stderr = pino.destination({ dest: 2, sync: true });
    return pino(
      { ...options, formatters: { level: (label) => ({ level: label }), log: logFields } },
      format === 'json' ? stderr : { write: (line) => stderr.write(logfmtOf(JSON.parse(line))) },
    );
  }
  return pino({
    ...options,
    formatters: { log: readableFields },
    transport: {
      target: 'pino-pretty',
      options: { destination: 2, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true },
    },
  });
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
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(128 + constants.signals.SIGPIPE);
    });
  }
}

/** Exit code after a mistake in the configuration or on the command line: starting again does not help. The same as of doctor. */
const NOT_VALID = 2;

/** The process: arguments, environment, signals, log and exit code. */
export async function main(): Promise<void> {
  const print = (text: string | Uint8Array): void => void process.stdout.write(text);
  endWithReaders();
  try {
    const line = parseCommandLine(process.argv.slice(2), process.stdout.columns);
    if (line.help !== undefined) return print(line.help);
    if (line.version) return print(versionText());
    const stop = stopOnSignals(line.command.isDaemon === true && !line.switches.has('once'));
    process.exitCode = await line.command.run({
      line,
      env: process.env,
      version: readVersion(),
      revision: readBuild().revision,
      createLog,
      print,
      stop,
      onReload: (reload) => void process.on('SIGHUP', () => void (stop.aborted || reload())),
    });
  } catch (error) {
    process.stderr.write(errorText(error));
    process.exitCode = error instanceof ConfigError ? NOT_VALID : 1;
  }
}
