/** A debug log of FlexNet of a year, and the output of `lmstat` after it. */

/** A feature of the daemon `vend`, which has the same use all year. */
export interface LoggedFeature {
  readonly name: string;
  readonly bought: number;
  /** On a working day from 8 to 16, so many licenses are in use, or one or two fewer. */
  readonly inUse: number;
  /** Working days of the year on which a request is refused at noon; none of a feature without them. */
  readonly refusedDays?: number;
  /** Whether all licenses are in use then: from 11 to 13. */
  readonly isFullThen?: boolean;
}

const DAY = 86_400;
const DAYS = 365;

const two = (value: number): string => String(value).padStart(2, '0');

const dateOf = (day: number): string => {
  const date = new Date(day * DAY * 1000);
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`;
};

/** Lines of one day for one event of many users: a second for each. */
const linesOf = (hour: number, what: 'OUT' | 'IN', feature: string, first: number, users: number): string[] =>
  Array.from({ length: users }, (_, i) => {
    const user = first + i;
    return `${hour}:${two(Math.floor(user / 60))}:${two(user % 60)} (vend) ${what}: "${feature}" u${user}@h`;
  });

function* linesOfDay(features: readonly LoggedFeature[], day: number, workday: number): Generator<string> {
  const of = (lines: (feature: LoggedFeature, isRefused: boolean, users: number) => readonly string[]): string[] =>
    features.flatMap((feature) => {
      const isRefused = workday < (feature.refusedDays ?? 0);
      return lines(feature, isRefused, feature.inUse - ((day * 7) % 3));
    });
  const more = (what: 'OUT' | 'IN', hour: number): string[] =>
    of(({ name, bought, isFullThen = false }, isRefused, users) =>
      isRefused && isFullThen ? linesOf(hour, what, name, users, bought - users) : [],
    );
  yield* of(({ name }, _, users) => linesOf(8, 'OUT', name, 0, users));
  yield* more('OUT', 11);
  yield* of(({ name }, isRefused) =>
    isRefused ? [`12:00:00 (vend) DENIED: "${name}" x@h  (Licensed number of users already reached. (-4,342))`] : [],
  );
  yield* more('IN', 13);
  yield* of(({ name }, _, users) => linesOf(16, 'IN', name, 0, users));
}

/** The log of the year before a day. Times are UTC. @param today days since 1970-01-01 */
export function yearOfLog(features: readonly LoggedFeature[], today: number): string {
  const lines = [
    `0:00:00 (lmgrd) TIMESTAMP ${dateOf(today - DAYS)}`,
    '0:00:00 (lmgrd) Started vend (internet tcp_port 1 pid 2)',
  ];
  let workday = 0;
  for (let day = today - DAYS; day < today; day += 1) {
    lines.push(`6:00:00 (lmgrd) TIMESTAMP ${dateOf(day)}`);
    // 1970-01-01 was a Thursday
    if ([0, 6].includes((day + 4) % 7)) continue;
    lines.push(...linesOfDay(features, day, workday));
    workday += 1;
  }
  return `${lines.join('\n')}\n`;
}

/** What `lmstat` says of the same server. Nobody uses a license now. @param reserved a feature with three reserved licenses */
export function lmstatOf(features: readonly LoggedFeature[], reserved?: string): string {
  const blocks = features.map(({ name, bought }) => {
    const taken = name === reserved ? 3 : 0;
    const head = `Users of ${name}:  (Total of ${bought} licenses issued;  Total of ${taken} licenses in use)\n`;
    return taken === 0 ? head : `${head}\n    ${taken} RESERVATIONs for GROUP g (lic1/27000)\n`;
  });
  return `lmstat - Copyright (c) 1989-2024 Flexera. All Rights Reserved.
Flexible License Manager status on Mon 6/1/2026 10:02

License server status: 27000@lic1
    License file(s) on lic1: /opt/license.dat:

      lic1: license server UP (MASTER) v11.19.5

Vendor daemon status (on lic1):

      vend: UP v11.19.5
Feature usage info:

${blocks.join('\n')}`;
}
