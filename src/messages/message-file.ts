import type { Log } from '../model/log.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import { createJsonState } from '../storage/json-state.ts';
import type { Stamp } from '../storage/stamp.ts';
import { movedState, type ReceiverState, readState, stateJson } from './receiver-state.ts';

/** The states of all receivers, by name. */
export type ReceiverStates = ReadonlyMap<string, ReceiverState>;

export interface MessageFile {
  /** The states that were saved for this analyzer; empty if the file cannot be used. */
  load(): ReceiverStates;
  /** Resolves when the newest states are written, when that fails, or after some seconds. */
  save(): Promise<void>;
}

interface MessageFileOptions {
  readonly path: string;
  readonly analyzer: string;
  /** Called when the file is written. */
  readonly states: () => ReceiverStates;
  /** Now, by the clock of the times in the states. */
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
}

/** Keeps what people were notified of in a file with mode 0600. Each save replaces the whole file. */
export function createMessageFile({ analyzer, states, ...options }: MessageFileOptions): MessageFile {
  const state = createJsonState<ReceiverStates>({
    ...options,
    consequence: 'a restart may repeat messages',
    content: () => ({
      analyzer,
      receivers: Object.fromEntries([...states()].map(([name, receiver]) => [name, stateJson(receiver)])),
    }),
    read: ({ analyzer: whose, receivers }, by) => {
      if (whose !== analyzer) return new Map();
      return new Map(
        Object.entries(receivers ?? {}).map(([name, receiver]) => [
          name,
          movedState(readState(receiver), by, options.stamp().wall),
        ]),
      );
    },
  });
  return { load: () => state.load() ?? new Map(), save: state.save };
}
