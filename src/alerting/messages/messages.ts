import type { Log } from '../../base/model/log.ts';
import type { FileWrites } from '../../base/storage/file-writes.ts';
import { stampOf } from '../../base/storage/stamp.ts';
import type { ReceiverStatus } from '../alerts/delivery.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { EngineSection } from '../alerts/settings.ts';
import type { Channel } from './channel.ts';
import type { DigestSchedule } from './digest-schedule.ts';
import { Outbox } from './outbox.ts';
import type { MessageCounts } from './receiver-state.ts';
import { createMessageFile, emptyState, type ReceiverStates } from './receiver-state.ts';
import type { MessagesSection } from './settings.ts';

export interface Receiver {
  readonly channel: Channel;
  readonly counts: MessageCounts;
  /** When its digests are sent; `undefined` without. */
  readonly schedule: DigestSchedule | undefined;
}

/** The receivers, their texts, and the file that keeps what they were told. */
export interface MessagesOptions extends MessagesSection, Pick<EngineSection, 'unknownHold'> {
  readonly receivers: readonly Receiver[];
  readonly analyzer: string;
  /** Where the state is kept; `undefined` without storage. */
  readonly file: { readonly path: string; readonly writes: FileWrites } | undefined;
  /** States to continue, for example from before a reload. */
  readonly initial: ReceiverStates | undefined;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Messages to people about alerts, without an Alertmanager. */
export interface Messages {
  /** Loads what was sent before, and begins to send. */
  start(): void;
  /** Takes the alerts of an evaluation. */
  take(handOver: HandOver): void;
  /** Ends what is being sent, and saves the rest. */
  stop(): Promise<void>;
  status(): readonly ReceiverStatus[];
  /** States to continue in others; `undefined` before the start. */
  states(): ReceiverStates | undefined;
}

/** How long messages are sent at stop, seconds. */
const DRAIN_SECONDS = 5;

/** Creates the outboxes of all receivers. Without receivers, nothing is kept. */
export function createMessages({ receivers, file: kept, initial, ...options }: MessagesOptions): Messages {
  const { analyzer, log, now } = options;
  let outboxes: readonly Outbox[] = [];
  let isStarted = false;

  const states = (): ReceiverStates => new Map(outboxes.map((outbox) => [outbox.receiver, outbox.state()]));
  const file =
    kept === undefined ? undefined : createMessageFile({ ...kept, analyzer, states, stamp: () => stampOf(now()), log });

  return {
    start: () => {
      isStarted = true;
      if (receivers.length === 0) return;
      if (file === undefined && initial === undefined) {
        log.warn({}, 'storage.path is not set: a restart may lose or repeat messages about alerts');
      }
      const before = initial ?? file?.load() ?? new Map();
      outboxes = receivers.map(
        (receiver) =>
          new Outbox({
            ...options,
            ...receiver,
            initial: before.get(receiver.channel.receiver) ?? emptyState,
            save: async () => file?.save(),
          }),
      );
      // a digest that is missed from now on is known to be missed
      void file?.save();
    },
    take: (handOver) => {
      for (const outbox of outboxes) outbox.take(handOver);
    },
    stop: async () => {
      await Promise.all(outboxes.map((outbox) => outbox.stop(DRAIN_SECONDS)));
      if (outboxes.length > 0) await file?.save();
    },
    status: () => outboxes.map((outbox) => outbox.status()),
    states: () => (isStarted ? states() : undefined),
  };
}
