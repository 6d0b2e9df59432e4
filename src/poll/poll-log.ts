import type { Log } from '../model/log.ts';
import { isAnswer, MAX_UNKNOWN_FIELDS } from '../model/records.ts';
import type { PolledEndpoint, Reading } from '../model/snapshot.ts';

/** Names of unknown fields in one log entry, at most. */
const FIELDS_LOGGED = 20;

type Readings = ReadonlyMap<string, Reading<unknown>>;

/** A pass that has ended. */
export interface PassReport {
  /** The newest reading of every part. */
  readonly parts: Readings;
  /** Those of this pass. */
  readonly readings: Readings;
  readonly seconds: number;
  /** Whether no pass before was good. */
  readonly isFirst: boolean;
  readonly isAbsent: boolean;
}

/** Logs what the polling of one endpoint comes to. */
export interface PollLog {
  /** Failures are logged each time, successes when something has changed. */
  passEnded(report: PassReport): void;
  becameAbsent(): void;
  passSkipped(): void;
  broke(error: unknown): void;
}

export function createPollLog(endpoint: PolledEndpoint, log: Log): PollLog {
  let isFailing = false;
  /** Unknown fields that were logged. */
  const logged = new Set<string>();

  const logOutcome = ({ parts, readings, seconds, isFirst, isAbsent }: PassReport): void => {
    const failures = [...parts].flatMap(([part, reading]) => (reading.ok ? [] : [{ part, ...reading.failure }]));
    const [first] = failures;
    log.debug({ endpoint, parts: readings.size, failed: failures.length, seconds }, 'poll ended');
    if (first !== undefined) {
      const { part, kind, message, code } = first;
      const fields = { endpoint, kind, code, reason: message, part, failed: failures.length, parts: parts.size };
      if (!isAbsent) log.warn(fields, 'poll failed');
      isFailing = true;
    } else if (isFailing || isFirst) {
      log.info({ endpoint, parts: parts.size }, isFailing ? 'poll recovered' : 'first good poll');
      isFailing = false;
    }
  };

  /** Logs fields that the specification does not name when they first appear: one of them may be a renamed one. */
  const logUnknownFields = (readings: Readings): void => {
    const found = [...readings.values()].flatMap((reading) =>
      reading.ok && isAnswer(reading.value) ? reading.value.unknownFields : [],
    );
    const fields = [...new Set(found)].filter((name) => !logged.has(name));
    if (fields.length === 0 || logged.size >= MAX_UNKNOWN_FIELDS) return;
    for (const name of fields) logged.add(name);
    const shown = { endpoint, fields: fields.slice(0, FIELDS_LOGGED), count: fields.length };
    log.warn(shown, 'the answer has fields that the specification does not name; they are ignored');
  };

  return {
    passEnded: (report) => {
      logOutcome(report);
      logUnknownFields(report.readings);
    },
    becameAbsent: () =>
      log.warn(
        { endpoint },
        'the analyzer does not have this endpoint: asked again hourly, never if it is off under poll',
      ),
    passSkipped: () => log.debug({ endpoint }, 'the previous poll is still running, this one is skipped'),
    broke: (error) => log.error({ endpoint, err: error }, 'poll broke'),
  };
}
