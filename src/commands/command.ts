import type { SettingKey } from '../config/settings.ts';
import type { Log } from '../model/log.ts';

/** Flags that are not settings: each belongs to the commands whose row has it. */
export type CommandFlag = 'once' | 'json' | 'demo';

/** A command: the command line, the help text and the README follow from its row in `commands`. */
export interface Command {
  /** One or two words. */
  readonly name: string;
  /** What it does, and the exit codes where they carry a result. */
  readonly summary: string;
  /** The one argument it needs. */
  readonly argument?: {
    /** As the help text writes it: `FILE`. */
    readonly placeholder: string;
    /** As a sentence names it: `a file`. */
    readonly what: string;
    /** The flag that gives it where the argument is missing. */
    readonly flag?: 'config.file';
  };
  /** What each of its own flags does. */
  readonly flags?: Readonly<Partial<Record<CommandFlag, string>>>;
  /** @returns the exit code */
  readonly run: (context: CommandContext) => Promise<number>;
}

/** What the command line says. */
export interface CommandLine extends Readonly<Record<CommandFlag, boolean>> {
  readonly command: Command;
  readonly configFile: string | undefined;
  /** Raw values by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  /** Empty for a command that takes none. */
  readonly argument: string;
  readonly help: boolean;
  readonly version: boolean;
}

/** What a command gets from the process edge. */
export interface CommandContext {
  readonly line: CommandLine;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly revision: string;
  readonly createLog: (settings: { level: string; format: 'json' | 'pretty' | undefined }) => Log;
  readonly print: (text: string) => void;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Registers what to do when the process is asked to reload. */
  readonly onReload: (reload: () => Promise<void>) => void;
}

/** Resolves when the process is asked to stop. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}
