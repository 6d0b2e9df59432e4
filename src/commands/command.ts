import { once } from 'node:events';
import { notifyReady } from '../app/service-manager.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Log } from '../model/log.ts';

/** Flags that are not settings. A command accepts those in its row. */
export type CommandFlag = 'once' | 'json' | 'demo';

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
  /** The description of each of its flags. */
  readonly flags?: Readonly<Partial<Record<CommandFlag, string>>>;
  /** @returns the exit code */
  readonly run: (context: CommandContext) => Promise<number>;
}

/** The parsed command line. */
export interface CommandLine extends Readonly<Record<CommandFlag, boolean>> {
  readonly command: Command;
  readonly configFile: string | undefined;
  /** Raw values by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  /** Empty for a command without an argument. */
  readonly argument: string;
  readonly help: boolean;
  readonly version: boolean;
}

/** What `main.ts` provides to a command. */
export interface CommandContext {
  readonly line: CommandLine;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly revision: string;
  readonly createLog: (settings: { level: string; format: 'json' | 'pretty' | undefined }) => Log;
  readonly print: (text: string | Uint8Array) => void;
  /** Aborted when the process must stop. */
  readonly stop: AbortSignal;
  /** Registers the handler of a reload. */
  readonly onReload: (reload: () => Promise<void>) => void;
}

/** Reports that the daemon listens, and resolves when the process must stop. */
export async function untilStopped({ env, stop }: CommandContext, log: Log): Promise<void> {
  notifyReady(env, log);
  if (!stop.aborted) await once(stop, 'abort');
  log.info({}, 'stopping');
}
