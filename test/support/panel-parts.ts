import type { AnsweredPanel, Cells, Found } from './panel-answers.ts';
import { type Figures, namedAdvice, refusedInText, sum } from './said-figure.ts';

/** Parts of panels of several dashboards, and what they say: figures by what they mean. */

export const DAY = 86_400_000;

/** The rows that are of something: not those that only say something. */
export const listed = ({ rows }: AnsweredPanel): readonly Cells[] =>
  rows.filter(({ Note: note }) => (note ?? null) === null);
export const text = (row: Cells, column: string): string => String(row[column] ?? '');
/** A cell. @throws Error if the panel has no such column */
export function number(row: Cells, column: string): number | null {
  const value = row[column];
  if (value === undefined) throw new Error(`no column ${column}: ${Object.keys(row).join(', ')}`);
  return value as number | null;
}
export const numbers = (rows: readonly Cells[], column: string) => rows.map((row) => number(row, column));

/** A sum of what is known; not known if nothing is. */
export const sumOfKnown = (values: readonly (number | null)[]): number | undefined => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : sum(known);
};
/** A sum; not known if a part of it is not. */
export const sumOfAll = (values: readonly (number | null)[]): number | undefined =>
  values.includes(null) ? undefined : sumOfKnown(values);
export const highest = (values: readonly (number | null)[]): number | undefined => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : Math.max(...known);
};

const knownOf = (value: number | undefined): number | undefined => (Number.isNaN(value) ? undefined : value);
/** A figure of a panel of figures. @throws Error if the panel has no such figure */
export function figure({ where, found: { A: found = [] } }: AnsweredPanel, name: string): number | undefined {
  const series = found.find(({ labels }) => labels.figure === name);
  if (series === undefined) throw new Error(`${where} has no figure ${name}`);
  return knownOf(series.value);
}
/** The value of the only series of a query. */
export const only = ({ found }: AnsweredPanel, refId: string): number | undefined => knownOf(found[refId]?.[0]?.value);
/** The series of a query that have a label, by its value. */
export const byLabel = (found: readonly Found[] | undefined, label: string): ReadonlyMap<string, number> =>
  new Map((found ?? []).flatMap(({ labels, value }) => (labels[label] ? [[labels[label], value]] : [])));

export const featureOf = (row: Cells): string => `${text(row, 'Feature')} of ${text(row, 'Vendor license')}`;
export const shownFeature = ({ feature, vendorLicense }: AnsweredPanel): string => `${feature} of ${vendorLicense}`;

/** The sums of a column by feature and by vendor license. A list of what is more than 0 leaves out the others. */
export function* summed(kind: string, rows: readonly Cells[], column: string): Figures {
  for (const [name, own] of Map.groupBy(rows, featureOf))
    yield [`${kind} of ${name}`, sumOfKnown(numbers(own, column))];
  for (const [name, own] of Map.groupBy(rows, (row) => text(row, 'Vendor license'))) {
    yield [`${kind} of ${name}, all`, sumOfKnown(numbers(own, column))];
  }
}

/** A table of features with their use now. */
export function* featureRows(panel: AnsweredPanel): Figures {
  const rows = listed(panel);
  for (const [name, versions] of Map.groupBy(rows, featureOf)) {
    yield [`in use of ${name}`, sumOfAll(numbers(versions, 'In use'))];
    yield [`bought of ${name}`, sumOfAll(numbers(versions, 'Bought'))];
    yield [`waiting of ${name}`, sumOfKnown(numbers(versions, 'Waiting'))];
    const [version, ...others] = versions;
    if (version !== undefined && others.length === 0) yield [`share of ${name}`, number(version, 'Share')];
  }
  for (const [i, row] of rows.entries()) {
    const [share, inUse, bought] = [number(row, 'Share'), number(row, 'In use'), number(row, 'Bought')];
    if (share === null || inUse === null || bought === null) continue;
    yield [`share in row ${i} of ${panel.where} ${panel.vendorLicense}`, share];
    yield [`share in row ${i} of ${panel.where} ${panel.vendorLicense}`, inUse / bought];
  }
  for (const [name, own] of Map.groupBy(rows, (row) => text(row, 'Vendor license'))) {
    yield [`waiting of ${name}, all`, sumOfKnown(numbers(own, 'Waiting'))];
    yield [`features of ${name}, reported`, own.length];
  }
}

/** The users that do not wait; without those of the last collection, of whom a note says that they are not those of now. */
const holdingOf = (panel: AnsweredPanel): readonly Cells[] => {
  const notes = panel.rows.map((row) => text(row, 'Note'));
  const [, old = ''] = /who holds licenses of (.*) now is not known/.exec(notes.join('\n')) ?? [];
  const isNow = (row: Cells): boolean => !old.split(', ').includes(text(row, 'Vendor license'));
  return listed(panel).filter((row) => text(row, 'Status') !== 'queued' && isNow(row));
};

/** What the users of features hold. */
export function* checkoutRows(panel: AnsweredPanel): Figures {
  for (const [name, own] of Map.groupBy(holdingOf(panel), featureOf)) {
    yield [`checkouts of ${name}`, own.length];
    // a table without the column has a row for each checkout
    if (own.some((row) => row.Licenses === undefined)) continue;
    yield [`in use of ${name}`, sumOfAll(numbers(own, 'Licenses'))];
    const borrowed = own.filter((row) => text(row, 'Status') === 'borrowed');
    if (borrowed.length > 0) yield [`borrowed of ${name}`, sumOfAll(numbers(borrowed, 'Licenses'))];
  }
}

/** The same, of all features of vendor licenses. */
export function* holderRows(panel: AnsweredPanel): Figures {
  yield* checkoutRows(panel);
  for (const [name, own] of Map.groupBy(holdingOf(panel), (row) => text(row, 'Vendor license'))) {
    yield [`listed users of ${name}`, new Set(own.map((row) => text(row, 'User'))).size];
  }
}

/** The bars of a range, added up. Hours of today are in no bar while its day is not over. */
export const barSum = ({ rows }: AnsweredPanel, column: string): number | undefined =>
  sumOfKnown(numbers(rows, column));

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** How long a feature can be used, or since when a version of it cannot. */
export function* daysLeft(name: string, days: number | undefined): Figures {
  if (days === undefined) return;
  if (days > 0) yield [`days left of ${name}`, days];
  else yield [`days since the first expiry of ${name}`, -days];
}

/** The busy hours of the last week. */
export function* heatMap(name: string, { rows }: AnsweredPanel): Figures {
  const [first] = rows;
  if (first === undefined) return;
  yield [`bought of ${name}`, number(first, 'Bought')];
  yield [
    `peak by the hour of ${name}, 7 days`,
    highest(rows.flatMap((row) => weekdays.map((day) => number(row, day)))),
  ];
}

/** The points of Use against bought. */
export function* useAgainstBought(name: string, { rows }: AnsweredPanel, range: string): Figures {
  yield [`peak of ${name}, ${range}`, highest(numbers(rows, 'peak in use'))];
  const bought = numbers(rows, 'bought').filter((value) => value !== null);
  if (bought.length > 0) yield [`bought of ${name}`, bought.at(-1)];
}

/** What must be done about features at their renewal, counted by its words. */
export function* renewals(panel: AnsweredPanel): Figures {
  const rows = listed(panel);
  if (rows.length === 0) return;
  const counted = (words: RegExp): number => rows.filter((row) => words.test(text(row, 'Advice'))).length;
  yield ['features that could go', counted(/could go$/)];
  yield ['provisional advice', counted(/maybe$/)];
  yield ['features whose notice has passed', counted(/notice passed$/)];
  yield ['permanent features to spare', counted(/permanent$/)];
  yield ['features that lack licenses', counted(/missing$/)];
  const soon = new Date(Date.now() + 120 * DAY).toISOString().slice(0, 10);
  const runsOut = rows.map((row) => /^runs out (\S+)/.exec(text(row, 'Advice'))?.[1]);
  yield ['features that run out', runsOut.filter((date) => date !== undefined && date <= soon).length];
  const savings = rows.flatMap((row) => {
    const [, currency = '', amount = ''] = /^saves (\S+) ([\d,]+)$/.exec(text(row, 'Money a year')) ?? [];
    const isSure = text(row, 'Confidence') !== 'provisional';
    return isSure && currency !== '' ? [{ currency, amount: Number(amount.replaceAll(',', '')) }] : [];
  });
  const byCurrency = [...Map.groupBy(savings, ({ currency }) => currency)];
  yield [
    'saving',
    byCurrency.length === 0
      ? 'none'
      : byCurrency.map(([currency, own]) => `${currency} ${sum(own.map(({ amount }) => amount))}`).join(', '),
  ];
  for (const [i, row] of rows.entries()) {
    yield* adviceRow(row);
    const [share, peak, bought] = [number(row, 'At peak'), number(row, 'Peak'), number(row, 'Bought')];
    if (share === null || peak === null || bought === null) continue;
    yield [`share in row ${i} of ${panel.where} ${panel.vendorLicense}`, share];
    yield [`share in row ${i} of ${panel.where} ${panel.vendorLicense}`, peak / bought];
  }
}

function* adviceRow(row: Cells): Figures {
  const name = featureOf(row);
  yield [`peak of advice of ${name}`, number(row, 'Peak')];
  const count = /^([\d,]+) /.exec(text(row, 'Advice'))?.[1];
  if (count === undefined) return;
  const licenses = Number(count.replaceAll(',', ''));
  yield [`count of advice of ${name}`, licenses];
  const bought = number(row, 'Bought');
  if (bought !== null && !text(row, 'Advice').endsWith('missing'))
    yield [`kept by advice of ${name}`, bought - licenses];
}

/** The advice on the feature of a dashboard. */
export function* featureAdvice(panel: AnsweredPanel): Figures {
  const name = shownFeature(panel);
  for (const row of listed(panel)) {
    yield* refusedInText(namedAdvice(panel.feature, panel.vendorLicense, ''), text(row, 'Reason'));
    if (number(row, 'Peak') !== null) yield [`peak of advice of ${name}`, number(row, 'Peak')];
    if (number(row, 'How many') !== null) yield [`count of advice of ${name}`, number(row, 'How many')];
  }
}

const states = ['up', 'unknown', 'outdated', 'never collected', 'down'] as const;

export function* serverRows({ found }: AnsweredPanel): Figures {
  for (const [name, state] of byLabel(found.A, 'vendor_license')) yield [`state of ${name}`, states[state]];
  const users = byLabel(found.C, 'vendor_license');
  for (const [name, count] of users) yield [`users of ${name}`, count];
  const up = [...byLabel(found.D, 'vendor_license').values()];
  yield ['servers that were down', up.filter((share) => share < 1).length];
}

/** What is up of what there is, from the exporter to the servers. */
export function* chain({ found }: AnsweredPanel): Figures {
  const [up, of] = [byLabel(found.C, 'link'), byLabel(found.D, 'link')];
  // how many exporters there are is said nowhere else
  const subjects = { '2 Sources': 'sources', '3 Analyzer': 'endpoints', '4 Servers': 'servers' };
  for (const [link, subject] of Object.entries(subjects)) {
    yield [`${subject} up`, up.get(link)];
    yield [subject === 'servers' ? 'vendor licenses' : `number of ${subject}`, of.get(link)];
  }
}
