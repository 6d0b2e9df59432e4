import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Log } from '../../base/model/log.ts';
import { errorFields, OperatorError } from '../../base/model/operator-error.ts';
import type { Config } from '../config/config.ts';
import type { SettingKey } from '../config/settings.ts';

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
function notifyReady(env: NodeJS.ProcessEnv, log: Log): void {
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

/** A flag that is not a setting. */
export interface CommandFlag {
  readonly what: string;
  /** Of its value, in the help: `FILE`. Without one, it is a switch. */
  readonly placeholder?: string;
}

/** How a flag is written: `--output FILE`. */
export const flagUsage = (name: string, { placeholder }: CommandFlag): string =>
  placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;

/** A command. Command line, help and documentation are derived from its row in `commands`. */
export interface Command {
  /** One or two words. */
  readonly name: string;
  /** What it does, and the exit codes where they carry a result. */
  readonly summary: string;
  /** Its required argument. */
  readonly argument?: {
    /** In the help: `FILE`. */
    readonly placeholder: string;
    /** In a message: `a file`. */
    readonly what: string;
    /** The flag that can replace the argument. */
    readonly flag?: 'config.file';
  };
  /** Its own flags by name. No other command accepts them unless its row has them too. */
  readonly flags?: Readonly<Record<string, CommandFlag>>;
  /** It runs until it is stopped, and then ends gracefully. Any other command is ended at once by a signal. */
  readonly isDaemon?: true;
  /** @returns the exit code */
  readonly run: (context: CommandContext) => Promise<number>;
}

export interface CommandLine {
  readonly command: Command;
  readonly configFile: string | undefined;
  /** Raw values by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  /** Empty for a command without an argument. */
  readonly argument: string;
  /** The switches of the command that are set. */
  readonly switches: ReadonlySet<string>;
  /** The values of its other flags. */
  readonly values: Readonly<Record<string, string>>;
  /** The text that `--help` asks for. */
  readonly help: string | undefined;
  readonly version: boolean;
}

/** Without a format, it depends on whether standard error is a terminal. */
export type LogSettings = Config['log'];

/** What `main.ts` provides to a command. */
export interface CommandContext {
  readonly line: CommandLine;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly revision: string;
  readonly createLog: (settings: LogSettings) => Log;
  /** Standard input. It is opened by the first call. */
  readonly input: () => NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly print: (text: string | Uint8Array) => void;
  /** Prints what may be much. No part is made before the reader has taken those before it. */
  readonly printAll: (parts: Iterable<string | Uint8Array>) => Promise<void>;
  /** Aborted when a daemon must stop. */
  readonly stop: AbortSignal;
  /** Registers the handler of a reload. */
  readonly onReload: (reload: () => Promise<unknown>) => void;
}

/** Reports that a daemon listens, and resolves when it must stop. */
export async function untilStopped({ env, stop }: CommandContext, log: Log): Promise<void> {
  notifyReady(env, log);
  if (!stop.aborted) await once(stop, 'abort');
  log.info({}, 'stopping');
}

/** Reloads the configuration. Resolves with the reason if the new one is rejected: the old one stays in use. */
export async function reloaded(log: Log, reload: () => Promise<void>): Promise<string | undefined> {
  try {
    await reload();
    return undefined;
  } catch (error) {
    log.error(errorFields(error), 'configuration not reloaded, the old one is kept');
    return error instanceof OperatorError ? error.message : 'a bug, see the log';
  }
}
