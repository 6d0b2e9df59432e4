import { endsWithin } from '../scheduling/ends-within.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { readSavedText, writeJsonFile } from '../storage/json-file.ts';
import { type ReceiverState, readState, stateJson } from './receiver-state.ts';

/** The states of all receivers, by name. */
export type ReceiverStates = ReadonlyMap<string, ReceiverState>;

export interface MessageFile {
  /** The states that were saved for this analyzer; empty if the file cannot be used. */
  load(): ReceiverStates;
  /** Resolves when the newest states are written, when that fails, or after `MAX_WAIT`. */
  save(): Promise<void>;
}

/** Maximum time that messages wait for the file, seconds. */
const MAX_WAIT = 5;

/**
 * Keeps what people were notified of in a file with mode 0600. Each save replaces the whole file.
 *
 * @param states called when the file is written
 * @param onProblem called with one line: the problem and the remedy
 */
export function createMessageFile(
  path: string,
  analyzer: string,
  states: () => ReceiverStates,
  onProblem: (problem: string) => void,
): MessageFile {
  let lastProblem: string | undefined;
  /** Reports a problem once, and not for each save. */
  const report = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== lastProblem) onProblem(problem);
    lastProblem = problem;
  };

  const write = createLatestOnly(async () => {
    try {
      const receivers = Object.fromEntries([...states()].map(([name, state]) => [name, stateJson(state)]));
      await writeJsonFile(path, { v: 1, analyzer, receivers });
      report(undefined);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      report(`${path} cannot be written (${code ?? message}); a restart may repeat messages; check storage.path`);
    }
  });

  return {
    load: () => {
      const text = readSavedText(path, onProblem);
      if (text === undefined) return new Map();
      try {
        const content = JSON.parse(text) as { v?: unknown; analyzer?: unknown; receivers?: Record<string, unknown> };
        if (content.v !== 1) throw new Error('not a file of messages');
        if (content.analyzer !== analyzer) return new Map();
        return new Map(Object.entries(content.receivers ?? {}).map(([name, state]) => [name, readState(state)]));
      } catch (error) {
        onProblem(
          `${path} is damaged (${(error as Error).message}) and is not used; messages may be repeated; remove it`,
        );
        return new Map();
      }
    },
    save: async () => {
      if (await endsWithin(write(), MAX_WAIT)) return;
      report(
        `${path} is not written after ${MAX_WAIT} s; a restart may repeat messages; check the disk of storage.path`,
      );
    },
  };
}
