import type { BothWays } from './both-ways.ts';
import type { Company } from './company.ts';
import { type AlertFigures, figuresOf, type Meaning } from './figures.ts';
import type { Watched } from './firing.ts';
import { rules } from './flexlm-rules.ts';
import { type MessageFigures, messageFigures, WORKING } from './message-figures.ts';
import { FEW, type Missed, type MissedFigures, missedFigures } from './missed.ts';
import { type Outcome, outcomeOf, ways } from './ways.ts';

/** The tables of the case study, as they are in docs/case-study.md. */

const number = (value: number): string => (Number.isFinite(value) ? Math.round(value).toLocaleString('en-US') : '-');
const thousands = (value: number): string => number(value / 1000);

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');

const columns: readonly (readonly [head: string, of: (outcome: Outcome) => string])[] = [
  ['given back', ({ givenBack }) => number(givenBack)],
  ['saved, EUR 1,000', ({ saved }) => thousands(saved)],
  ['bought', ({ bought }) => number(bought)],
  ['paid, EUR 1,000', ({ paid }) => thousands(paid)],
  ['features short', ({ short }) => number(short)],
  ['of them, licenses given back', ({ shortByGiving }) => number(shortByGiving)],
  ['refused license hours', ({ refusedHours }) => number(refusedHours)],
];

/** What each way of counting licenses brings in the year. */
export const waysTable = ({ features }: Company): string =>
  table(
    ['licenses counted by', ...columns.map(([head]) => head)],
    ways.map(([name, licensesOf]) => {
      const outcome = outcomeOf(features, licensesOf);
      return [name, ...columns.map(([, of]) => of(outcome))];
    }),
  );

/** What the alerts of both programs mean. */
export const meanings = {
  flexlm: {
    down: new Set([rules.down.name]),
    expiring: new Set([rules.expiring.name]),
    full: new Set([rules.full.name]),
    refused: new Set([rules.full.name]),
    redundancy: new Set([rules.down.name]),
    serverOf: ({ app }) => app,
  },
  licenseExporter: {
    down: new Set(['LicenseServerDown', 'LicenseSourceDown']),
    expiring: new Set(['LicenseExpiringSoon', 'LicenseExpired']),
    full: new Set(['LicenseFeatureSaturated', 'LicenseRequestsQueued', 'LicenseDenials']),
    refused: new Set(['LicenseDenials']),
    redundancy: new Set(['LicenseRedundancyLost']),
    // a source is called like its server
    serverOf: ({ vendor_license: name, license_source: source }) => name?.split(';')[0] ?? source,
  },
} as const satisfies Readonly<Record<string, Meaning>>;

type Row = readonly [name: (figures: AlertFigures) => string, value: (figures: AlertFigures) => string];

const statements: readonly Row[] = [
  [() => 'alerts in messages', ({ alerts }) => number(alerts)],
  [() => 'messages', ({ messages }) => number(messages)],
  [({ outages }) => `outages noticed, of ${outages}`, ({ outagesNoticed }) => number(outagesNoticed)],
  [
    ({ outageMinutes }) => `minutes of outage with an alert, of ${number(outageMinutes)}`,
    ({ minutesNoticed }) => number(minutesNoticed),
  ],
  [() => 'minutes until an outage was noticed, median', ({ delay }) => number(delay)],
  [() => 'alerts that ended while a server was still down', ({ endedEarly }) => number(endedEarly)],
  [() => 'alerts that a server is down while users were served', ({ falselyDown }) => number(falselyDown)],
  [
    ({ unansweredTimes }) => `times no server could be asked, noticed, of ${unansweredTimes}`,
    ({ unansweredTimesNoticed }) => number(unansweredTimesNoticed),
  ],
  [
    ({ lapses }) => `days of warning before licenses that were renewed late, at least (of ${lapses})`,
    ({ leastDaysAhead }) => number(leastDaysAhead),
  ],
  [
    () => 'server days with an alert about an end after the renewal',
    ({ daysAfterRenewal }) => number(daysAfterRenewal),
  ],
  [
    ({ refusalDays }) => `server days with refused requests and an alert, of ${number(refusalDays)}`,
    ({ refusalDaysNoticed }) => number(refusalDaysNoticed),
  ],
  [
    () => 'server days without one, on which an alert about full pools began',
    ({ quietDaysWithAlert }) => number(quietDaysWithAlert),
  ],
];

/** The column of a program. */
export const valuesOf = (figures: AlertFigures): string[] => statements.map(([, value]) => value(figures));

/** What the alerts of both programs were worth, by the name of the program. */
export function alertsTable(company: Company, flexlm: Watched, licenseExporter: Watched): string {
  const figures = [
    figuresOf(company, flexlm, meanings.flexlm),
    figuresOf(company, licenseExporter, meanings.licenseExporter),
  ] as const;
  return table(
    ['in the year', 'rules of flexlm_exporter', 'license-exporter'],
    statements.map(([name], i) => [name(figures[0]), ...figures.map((each) => valuesOf(each)[i] as string)]),
  );
}

/** What a program said, by the head of its column. */
export interface Way {
  readonly head: string;
  readonly watched: Watched;
  readonly meaning: Meaning;
}

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${number((100 * part) / whole)} %`);

const hours = `Monday to Friday, ${WORKING.from}:00 to ${WORKING.to}:00`;

const counts: readonly (readonly [name: string, value: (figures: MessageFigures) => string])[] = [
  ['messages', ({ messages }) => number(messages)],
  ['of them, with nothing new', ({ repeats }) => number(repeats)],
  ['a day, in the mean', ({ perDay }) => perDay.toFixed(1)],
  ['on the worst day', ({ worstDay }) => number(worstDay)],
  ['days with more than 3', ({ busyDays }) => number(busyDays)],
  [`outside of ${hours}`, ({ outside, messages }) => share(outside, messages)],
];

const misses: readonly (readonly [name: (all: string) => string, of: (figures: MissedFigures) => Missed])[] = [
  [(all) => `outages in no message, of ${all}`, ({ outages }) => outages],
  [(all) => `times no server could be asked, in no message, of ${all}`, ({ unanswered }) => unanswered],
  [(all) => `ends not renewed a week before, in no message, of ${all}`, ({ ends }) => ends],
  [(all) => `redundant hosts down, in no message, of ${all}`, ({ redundancy }) => redundancy],
  [
    (all) => `server days with ${FEW} or more refused requests for a feature, in no message, of ${all}`,
    ({ refusals }) => refusals,
  ],
];

/** How many messages each way brings, and, of a company that is known, what is in none. */
export function messagesTable(shown: readonly Way[], days: number, company?: Company): string {
  const counted = shown.map(({ watched }) => messageFigures(watched, days));
  const missed = company && shown.map(({ watched, meaning }) => missedFigures(company, watched, meaning));
  return table(
    [`in ${number(days)} days`, ...shown.map(({ head }) => head)],
    [
      ...counts.map(([name, value]) => [name, ...counted.map(value)]),
      ...(missed === undefined
        ? []
        : misses.map(([name, of]) => {
            const all = missed.map(of);
            return [name(number(all[0]?.all ?? 0)), ...all.map((one) => number(one.missed))];
          })),
    ],
  );
}

/** The messages of each way by the alert that is their newest reason, with those that have nothing new in brackets. */
export function reasonsTable(shown: readonly Way[], days: number): string {
  const counted = shown.map(({ watched }) => messageFigures(watched, days).byAlert);
  const names = [...new Set(counted.flatMap((byAlert) => [...byAlert.keys()]))].sort();
  return table(
    ['messages because of', ...shown.map(({ head }) => head)],
    names.map((name) => [
      name,
      ...counted.map((byAlert) => {
        const { messages = 0, repeats = 0 } = byAlert.get(name) ?? {};
        return repeats === 0 ? number(messages) : `${number(messages)} (${number(repeats)})`;
      }),
    ]),
  );
}

/** The columns of the rules of flexlm_exporter, by their routing. */
export const rulesWays = (own: Watched, routed: Watched): readonly Way[] => [
  { head: 'rules of flexlm_exporter', watched: own, meaning: meanings.flexlm },
  { head: 'the same with routes', watched: routed, meaning: meanings.flexlm },
];

/** The columns of license-exporter. */
export const ownWays = ({ routed, mailed }: BothWays): readonly Way[] => [
  { head: 'license-exporter, Alertmanager', watched: routed, meaning: meanings.licenseExporter },
  { head: 'license-exporter, its own mail', watched: mailed, meaning: meanings.licenseExporter },
];
