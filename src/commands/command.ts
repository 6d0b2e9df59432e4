import type { CommandLine } from '../config/flags.ts';
import type { Log } from '../model/log.ts';

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
