import type { DeliveryCounts } from '../../alerting/alerts/delivery.ts';
import type { AlertEngine } from '../../alerting/alerts/engine.ts';
import type { Listed } from '../../alerting/alerts/listed.ts';
import { movedAlerts, type SavedAlerts } from '../../alerting/alerts/state-file.ts';
import type { Messages } from '../../alerting/messages/messages.ts';
import type { MessageCounts, ReceiverStates } from '../../alerting/messages/receiver-state.ts';
import { movedState } from '../../alerting/messages/receiver-state.ts';
import type { Log } from '../../base/model/log.ts';
import { type Snapshot, withoutAnswers } from '../../base/model/snapshot.ts';
import type { Clock } from '../../base/scheduling/clock.ts';
import { type FieldContract, type KeptContract, movedContract } from '../../exporter/inventory/field-contract.ts';
import type { Poller } from '../../exporter/poll/poller.ts';
import type { Config } from '../config/config.ts';

/** What a new pipeline continues if the analyzer is the same. Everything else of the old one ends with it. */
export interface Carried {
  readonly data: Snapshot;
  readonly fields: KeptContract;
  readonly alerts: SavedAlerts | undefined;
  readonly listed: Listed;
  readonly messages: ReceiverStates | undefined;
}

/** What a new pipeline depends on beside its configuration. */
interface CarryOptions {
  readonly clock: Clock;
  /** Counts survive the pipelines: their times move in place. */
  readonly counts: readonly (DeliveryCounts | MessageCounts)[];
  readonly log: Log;
}

/** What has stopped, and is continued. */
interface Stopped {
  readonly config: Config;
  readonly exporter: {
    readonly poller: Pick<Poller, 'latest'>;
    readonly fieldContract: Pick<FieldContract, 'kept'>;
  };
  readonly engine: Pick<AlertEngine, 'states'>;
  readonly listed: Listed;
  readonly messages: Pick<Messages, 'states'>;
}

const carriedOf = ({ exporter, engine, listed, messages }: Stopped): Carried => ({
  data: exporter.poller.latest(),
  fields: exporter.fieldContract.kept(),
  alerts: engine.states(),
  listed,
  messages: messages.states(),
});

/**
 * What a new pipeline continues of one that has stopped. It follows the clock: if that was set, everything is as old as before,
 * and the answers of the analyzer are not known any more. Where the clock was set because the machine did not run, nobody
 * knows how old they are.
 */
export function carryOver(old: Stopped, { analyzer }: Config, { clock, counts, log }: CarryOptions) {
  const carried = old.config.analyzer?.url === analyzer?.url ? carriedOf(old) : undefined;
  const by = clock.follow();
  if (by === 0) return carried;
  const found = { seconds: Math.round(by) };
  log.warn(found, 'the clock of this host was set; nothing is known until the analyzer has answered again');
  for (const each of counts) if (each.lastSuccess !== undefined) each.lastSuccess += by;
  return carried && movedCarried(carried, by, clock.now());
}

/** @param by seconds. @param now by the clock as it is set */
function movedCarried({ data, fields, alerts, listed, messages }: Carried, by: number, now: number): Carried {
  listed.move(by);
  return {
    listed,
    data: withoutAnswers(data, now),
    fields: movedContract(fields, by),
    alerts: alerts && movedAlerts(alerts, by),
    messages: messages && new Map([...messages].map(([name, state]) => [name, movedState(state, by)])),
  };
}
