import { seriesKey } from '../../analyzer/exchange/found-days.ts';
import type { ImportReport } from '../../analyzer/exchange/import-history.ts';
import type { LogImport } from '../../analyzer/exchange/import-logs.ts';
import type { RecordedSeries } from '../../analyzer/history/recorded-series.ts';
import { dateText } from '../../base/model/local-time.ts';
import { causeTexts, endingTexts, minutesText } from '../../base/people.ts';
import { countText, namesText, numberText } from '../../base/texts.ts';
import { HIGH_DAYS, PROVISIONAL_DAYS, WINDOW_DAYS } from '../../insight/advice/method/window.ts';

/** What an import says at its end. */

/** Names in a line. */
const MOST_NAMES = 10;

/** Days in a row as ranges. */
function rangesOf(days: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === day - 1) last[1] = day;
    else ranges.push([day, day]);
  }
  const shown = ranges.slice(0, 10).map(([a, b]) => (a === b ? dateText(a) : `${dateText(a)} to ${dateText(b)}`));
  return [...shown, ...(ranges.length > shown.length ? [`${ranges.length - shown.length} more`] : [])].join(', ');
}

function linesNotUnderstood(unparsed: LogImport['unparsed'], count: number): readonly string[] {
  if (count === 0) return ['  every line was understood'];
  const named = unparsed.map(({ name, line }) => `${name}:${line}`).join(', ');
  return [`  ${countText(count, 'line')} not understood: ${named}${count > unparsed.length ? ', …' : ''}`];
}

function logLines({ form, found }: ImportReport['logs'][number]): readonly string[] {
  const { files, events, denials, guessedEnds, begunBefore, unmatched, open, contradictions, repeated, disordered } =
    found;
  const isCut = begunBefore + open > 0;
  const named = (by: (typeof files)[number]['datedBy']): readonly string[] =>
    files.filter(({ datedBy }) => datedBy === by).map(({ name }) => name);
  const byFile = named('file');
  const byNeighbors = named('neighbors');
  return [
    `${form}: ${countText(files.length, 'file')}, ${countText(events, 'checkout or checkin', 'checkouts and checkins')}, ${countText(denials, 'denied request')}`,
    ...linesNotUnderstood(found.unparsed, found.unparsedCount),
    ...(byFile.length > 0
      ? [`  dated by the time of the file, because no line has a date: ${namesText(byFile, MOST_NAMES)}`]
      : []),
    ...(byNeighbors.length > 0
      ? [`  dated by the files before and after, because no line has a date: ${namesText(byNeighbors, MOST_NAMES)}`]
      : []),
    ...(guessedEnds > 0 ? [`  ${countText(guessedEnds, 'session')} ended with the daemon: the end is guessed`] : []),
    ...(begunBefore > 0 ? [`  ${countText(begunBefore, 'session')} had begun before the log`] : []),
    ...(open > 0 ? [`  ${countText(open, 'session')} had not ended at the end of the log`] : []),
    ...(isCut
      ? [
          '  if there are files of the time before or after, import them together with these: alone, sessions over the ends count in part',
        ]
      : []),
    ...(unmatched > 0 ? [`  ${countText(unmatched, 'checkin')} without a checkout did not count`] : []),
    ...(disordered > 0
      ? [
          `  ${countText(disordered, 'line')} older than those before them in the same file did not count; put each log into a file of its own`,
        ]
      : []),
    ...(contradictions > 0
      ? [
          `  ${countText(contradictions, 'line')} with another number of licenses in use than the lines before: some are missing, or their meaning is not known here; please report it with a capture`,
        ]
      : []),
    ...found.together.map(({ of, files: own }) => `  ${of}: ${namesText(own, MOST_NAMES)}`),
    ...(repeated > 0 ? [`  ${countText(repeated, 'line')} that several files have counted once`] : []),
  ];
}

function textLines({ texts }: ImportReport): readonly string[] {
  if (texts === undefined || texts.texts === 0) return [];
  return [
    `outputs of tools: ${countText(texts.texts, 'text')}`,
    ...linesNotUnderstood(texts.unparsed, texts.unparsedCount),
    ...(texts.guessed.length > 0
      ? [`  dated by the time of the file, because the text has none: ${countText(texts.guessed.length, 'file')}`]
      : []),
  ];
}

function dayLines({ days }: ImportReport): readonly string[] {
  return days.vendorLicenses().flatMap(({ name, features, first, last, days: known, partly, sums }) => {
    const missing = days.missing(name);
    return [
      `${name}: ${countText(known, 'day')} from ${dateText(first)} to ${dateText(last)}, ${countText(features, 'feature')}`,
      ...(sums > 0 ? [`  ${countText(sums, 'day')} with sums only, which count for no advice`] : []),
      ...(partly > 0 ? [`  ${countText(partly, 'day')} known for less than 8 hours`] : []),
      ...(missing.length > 0 ? [`  ${countText(missing.length, 'day')} without data: ${rangesOf(missing)}`] : []),
    ];
  });
}

const countsText = <T extends string>(counts: ReadonlyMap<T, number>, texts: Readonly<Record<T, string>>): string =>
  [...counts].map(([one, count]) => `${texts[one]} ${numberText(count)}`).join(', ');

/** The people who waited. Their names are forgotten, so that people of several days are not counted. */
function waitLines({ waits }: ImportReport): readonly string[] {
  const features = waits.features();
  const named = features.slice(0, MOST_NAMES).map(({ series: { vendorLicense, feature }, ...own }) => {
    const { episodes, seconds, causes, endings } = own;
    const times = `${countText(episodes, 'time')}, ${minutesText(seconds)}`;
    return `  for ${feature} of ${vendorLicense}: ${times} (${countsText(causes, causeTexts)}; ${countsText(endings, endingTexts)})`;
  });
  const more = features.length - named.length;
  return [
    ...(features.length > 0
      ? ['People waited. An import knows one server only: refused here and granted on another server counts as a wait.']
      : []),
    ...named,
    ...(more > 0 ? [`  for ${countText(more, 'more feature')}`] : []),
    ...(waits.unknownDays > 0
      ? [
          `Who was refused is not in the logs on ${countText(waits.unknownDays, 'day')} of a feature: who waited is not known.`,
        ]
      : []),
  ];
}

/** What is not kept. */
const oldLines = ({ days }: ImportReport): readonly string[] =>
  [...days.tooOld()].map(
    ([name, old]) =>
      `${name}: ${countText(old.size, 'day')} older than retention.history, which ${old.size === 1 ? 'is' : 'are'} not kept: ${rangesOf([...old].sort((a, b) => a - b))}`,
  );

/** What advice can say with these days and those that are recorded. */
function adviceLines({ days }: ImportReport, recorded: readonly RecordedSeries[], today: number): readonly string[] {
  const own = new Map(recorded.map((series) => [seriesKey(series), series.days]));
  let [high, provisional, none] = [0, 0, 0];
  for (const [key, known] of days.enoughDays()) {
    const all = new Set([...known, ...(own.get(key) ?? [])]);
    const count = [...all].filter((day) => day >= today - WINDOW_DAYS && day < today).length;
    if (count >= HIGH_DAYS) high += 1;
    else if (count >= PROVISIONAL_DAYS) provisional += 1;
    else none += 1;
  }
  return [
    'Advice on the number of licenses, with what is recorded already:',
    `  a year of demand (${HIGH_DAYS} days or more): ${countText(high, 'feature')}`,
    `  provisional (${PROVISIONAL_DAYS} days or more): ${countText(provisional, 'feature')}`,
    `  not yet: ${countText(none, 'feature')}`,
  ];
}

/** What is said of numbers of licenses. */
function boughtLines(unknown: number, waiting: number, asOfNow: boolean): readonly string[] {
  if (unknown > 0 && !asOfNow) {
    return [
      `The number of licenses is not known for ${countText(unknown, 'feature')}. With --available-as-of-now, the number of today is used for the past.`,
    ];
  }
  return waiting === 0
    ? []
    : [
        `The number of licenses of ${countText(waiting, 'feature')} is not known yet: it counts for the past as soon as the daemon has collected it.`,
      ];
}

/** What is known of reservations although the flag says that nothing is reserved. */
function reservedLines(days: ImportReport['days'], recorded: readonly RecordedSeries[]): readonly string[] {
  const found = days.enoughDays();
  const before = recorded.filter((series) => series.wasReserved && found.has(seriesKey(series)));
  const reserved = days.withReserved();
  return [
    ...(before.length > 0
      ? [
          `--without-reservations does not count for ${countText(before.length, 'feature')} with reservations in the history: ${namesText(
            before.map(({ feature }) => feature),
            MOST_NAMES,
          )}`,
        ]
      : []),
    ...(reserved.size > 0
      ? [
          `Reserved licenses of ${countText(reserved.size, 'feature')} are in what was read, and stay: --without-reservations counts where nothing is said of them.`,
        ]
      : []),
  ];
}

/** What the command was told. */
interface ReportOptions {
  /** Local day. */
  readonly today: number;
  readonly asOfNow: boolean;
  readonly isWithoutReservations: boolean;
}

/** @param recorded the series of the history before the import */
export function reportText(
  report: ImportReport,
  recorded: readonly RecordedSeries[],
  { today, asOfNow, isWithoutReservations }: ReportOptions,
): string {
  const { leftOut, days } = report;
  const known = new Set(recorded.filter(({ isBoughtKnown }) => isBoughtKnown).map(seriesKey));
  const waiting = days.withoutBought().filter((key) => !known.has(key)).length;
  const lines = [
    ...report.logs.flatMap(logLines),
    ...textLines(report),
    ...leftOut.map(({ name, why }) => `${name} ${why}`),
    ...dayLines(report),
    ...waitLines(report),
    ...oldLines(report),
    ...boughtLines(days.withoutBought().length, waiting, asOfNow),
    ...(isWithoutReservations ? reservedLines(days, recorded) : []),
    ...(days.days > 0 ? adviceLines(report, recorded, today) : []),
    ...(days.days === 0 && days.tooOld().size === 0 ? ['Nothing was found that can be imported.'] : []),
    ...(days.days === 0 && days.tooOld().size > 0 ? ['Nothing was kept.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
