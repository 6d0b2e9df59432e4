import { isCutInLabels } from '../../base/model/label-value.ts';
import type { Log } from '../../base/model/log.ts';
import { type Answer, isAnswer, MAX_UNKNOWN_FIELDS } from '../../base/model/records.ts';
import type { PolledEndpoint, Reading } from '../../base/model/snapshot.ts';
import { visible } from '../../base/model/visible-text.ts';
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

/** Characters of a long name in the log. */
const NAME_LOGGED = 60;

/** The first field with a name that labels have a part of, and how the name begins. */
function firstLongName(answers: readonly Answer<unknown>[]): { readonly field?: string; readonly begins?: string } {
  for (const { records } of answers) {
    for (const record of records) {
      const found = Object.entries(record as object).find(
        ([, value]) => typeof value === 'string' && isCutInLabels(value),
      );
      if (found !== undefined)
        return { field: found[0], begins: visible(found[1].slice(0, NAME_LOGGED).toWellFormed()) };
    }
  }
  return {};
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
  let hasLoggedLongNames = false;

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

  /** Logs once that names are cut in labels, and where the first one is. */
  const logLongNames = (readings: Readings): void => {
    if (hasLoggedLongNames) return;
    const answers = [...readings.values()].flatMap((reading) =>
      reading.ok && isAnswer(reading.value) ? [reading.value] : [],
    );
    const count = answers.reduce((sum, { discarded }) => sum + discarded.long_name, 0);
    if (count === 0) return;
    hasLoggedLongNames = true;
    log.warn(
      { endpoint, count, ...firstLongName(answers) },
      'the answer has names that labels of /metrics have a part of',
    );
  };

  return {
    passEnded: (report) => {
      logOutcome(report);
      logUnknownFields(report.readings);
      logLongNames(report.readings);
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
