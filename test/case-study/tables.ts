import type { Company } from './company.ts';
import { type AlertFigures, figuresOf, type Meaning } from './figures.ts';
import type { Watched } from './firing.ts';
import { rules } from './flexlm-rules.ts';
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
    serverOf: ({ app }) => app,
  },
  licenseExporter: {
    down: new Set(['LicenseServerDown', 'LicenseSourceDown']),
    expiring: new Set(['LicenseExpiringSoon', 'LicenseExpired']),
    full: new Set(['LicenseFeatureSaturated', 'LicenseRequestsQueued', 'LicenseDenials']),
    serverOf: ({ vendor_license: name = '' }) => name.split(';')[0],
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
  [() => 'alerts that ended while the server was still down', ({ endedEarly }) => number(endedEarly)],
  [() => 'alerts that a server is down, while all users were served', ({ falselyDown }) => number(falselyDown)],
  [
    ({ unansweredTimes }) => `times at which no server could be asked, noticed, of ${unansweredTimes}`,
    ({ unansweredTimesNoticed }) => number(unansweredTimesNoticed),
  ],
  [
    ({ lapses }) =>
      `days from the first alert to the end of licenses that were renewed too late, at least (${lapses} servers)`,
    ({ leastDaysAhead }) => number(leastDaysAhead),
  ],
  [
    () => 'days of servers with an alert about an end, although the new licenses were there',
    ({ daysAfterRenewal }) => number(daysAfterRenewal),
  ],
  [
    ({ refusalDays }) => `days of servers with refused requests and an alert, of ${number(refusalDays)}`,
    ({ refusalDaysNoticed }) => number(refusalDaysNoticed),
  ],
  [
    () => 'days of servers without a refused request, on which an alert about full pools began',
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
