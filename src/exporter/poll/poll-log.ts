import type { Log } from '../../base/model/log.ts';
import { isAnswer, MAX_UNKNOWN_FIELDS } from '../../base/model/records.ts';
import type { PolledEndpoint, Reading } from '../../base/model/snapshot.ts';
import type { FailureLog } from './failure-log.ts';

/** Maximum number of unknown fields in one log entry. */
const FIELDS_LOGGED = 20;

type Readings = ReadonlyMap<string, Reading<unknown>>;

export interface PassReport {
  /** The newest reading of every part. */
  readonly parts: Readings;
  /** The readings of this pass. */
  readonly readings: Readings;
  readonly seconds: number;
  readonly isAbsent: boolean;
}

/** Logs the results of polling one endpoint. */
export interface PollLog {
  /** Logs what has changed. */
  passEnded(report: PassReport): void;
  becameAbsent(): void;
  passSkipped(): void;
  broke(error: unknown): void;
}

/** Logs what the polls of one endpoint find. What is found again is not logged again. */
export function createPollLog(endpoint: PolledEndpoint, log: Log, failureLog: FailureLog): PollLog {
  /** Unknown fields that were already logged. */
  const logged = new Set<string>();

  const logOutcome = ({ parts, readings, seconds, isAbsent }: PassReport): void => {
    const failed = [...parts].flatMap(([part, reading]) => (reading.ok ? [] : [{ part, ...reading.failure }]));
    log.debug({ endpoint, parts: readings.size, failed: failed.length, seconds }, 'poll ended');
    if (isAbsent) {
      failureLog.failedAsExpected(endpoint);
      return;
    }
    failureLog.passEnded(endpoint, failed, parts.size);
  };

  /** Logs unknown fields when they first appear. One of them may be a renamed field. */
  const logUnknownFields = (readings: Readings): void => {
    const found = [...readings.values()].flatMap((reading) =>
      reading.ok && isAnswer(reading.value) ? reading.value.unknownFields : [],
    );
    const fields = [...new Set(found)].filter((name) => !logged.has(name));
    if (fields.length === 0 || logged.size >= MAX_UNKNOWN_FIELDS) return;
    for (const name of fields) logged.add(name);
    const shown = { endpoint, fields: fields.slice(0, FIELDS_LOGGED), count: fields.length };
    log.warn(shown, 'the answer has fields that are not in the specification; they are ignored');
  };

  return {
    passEnded: (report) => {
      logOutcome(report);
      logUnknownFields(report.readings);
    },
    becameAbsent: () =>
      log.warn(
        { endpoint },
        'the analyzer does not have this endpoint: it is requested again every hour; to stop that, set it to off under poll',
      ),
    passSkipped: () => log.debug({ endpoint }, 'poll skipped, because the previous one is still running'),
    broke: (error) => log.error({ endpoint, err: error }, 'unexpected error while polling'),
  };
}
