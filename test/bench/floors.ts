import type { Line } from './report.ts';

/**
 * The lowest ratios that are accepted, by a part of the text of a line: a half to a third of what `--quick` measures, and less
 * for figures that suffer most when other programs use the same two cores. Larger sizes reach more. Times of a single scrape
 * have no floor.
 */
const floors: Readonly<Record<string, number>> = {
  'daily trend': 3,
  'heat map': 0.2,
  efficiency: 0.3,
  recording: 0.25,
  adding: 7,
  'size, samples': 4,
  'GetFeatures product=%': 0.1,
  'G5 decoding': 0.25,
  'requests to the analyzer': 5,
  'a panel from the cache': 1.2,
  'import: processor time': 0.25,
  'archive: a new disk': 1,
  'archive: the first upload': 0.5,
  // Prometheus only relays what the engine has evaluated
  'alerts firing: evaluation': 2,
  'alerts firing: delivery': 0.2,
  'alerts firing: memory': 0.3,
  // an evaluation may cost at most a fifth of one of the old rules
  'rules, large site: processor time': 5,
  'rules, large site: duration': 2.5,
  'rules, large site: series': 1,
  'rules, small site: processor time': 2,
  'rules, small site: duration of an evaluation (peer: the old rules)': 2,
  // the limit of 20 ms is for a quiet machine, and another site is measured beside it
  'rules, small site: duration of an evaluation (peer: its limit)': 0.2,
  'rules, small site: series': 1,
  'G1 full render (peer: prom-client)': 5,
  'G1 full render (peer: copying': 0.015,
  'G2 gzip scrapes': 6,
  'G2 processor of a poll': 2,
  'G3 longest block': 2,
  'G4 memory': 1,
  'G10 main thread': 1.5,
  'G11 all threads': 0.6,
  'G6 poll of': 0.1,
  'G6 processor': 0.3,
  'G7 requests with NTLM (peer: undici': 0.2,
  'G7 requests with NTLM (peer: httpntlm': 3,
  'G7 processor': 0.4,
  'features: status page, again': 1,
  'features: largest': 1,
  'G9 our share': 0.6,
  'A8 CPU': 0.08,
  'A8 longest block': 0.12,
  'A8 memory': 0.85,
  'processor (peer: an object for each hour)': 1.5,
  'nightly pass: longest block': 0.2,
  'first scrape of': 1,
  'first good scrape of the demo': 0.12,
  'G13 rest: memory without': 0.5,
  'G13 rest: wake-ups a second without': 0.4,
  'G13 rest: processor time a day without': 0.25,
};

/**
 * Parts of the text of lines without a floor, whose figures must be positive. Other figures can be 0 (a run without a garbage
 * collection) or less than 0 (differences).
 */
const withoutFloor: readonly string[] = [
  'a scrape while 50 panels wait',
  'G3 idle daemon',
  'G3 p99 of a scrape',
  'G10 receiving the bytes',
  'status page, first after a poll',
  'filter of the status page',
  'page of a vendor license',
  'page of alerts',
  'features: longest block',
  'A8 p99 delay',
  'G13 rest: memory (',
  'G13 rest: wake-ups a second (',
  'G13 rest: processor time a day (',
];

const isPositive = ({ ours, peer, ratio }: Line): boolean => [ours, peer, ratio].every((figure) => figure > 0);

/**
 * A sentence for each line whose ratio is below its floor, or whose figures must be positive and are not.
 *
 * @param isWhole whether all benchmarks have run, so that a part without a line is a mistake
 */
export function findShortfalls(lines: readonly Line[], isWhole: boolean): readonly string[] {
  const missing = [...Object.keys(floors), ...withoutFloor].filter(
    (part) => isWhole && !lines.some(({ what }) => what.includes(part)),
  );
  const low = Object.entries(floors).flatMap(([part, floor]) =>
    lines
      .filter(({ what, ratio }) => what.includes(part) && !(ratio >= floor))
      .map(({ what, ratio }) => `${what}: better by ${ratio.toPrecision(3)} ×, which is less than ${floor} ×`),
  );
  const unlimited = lines.filter(({ what }) => withoutFloor.some((part) => what.includes(part)));
  return [
    ...missing.map((part) => `no line with "${part}"`),
    ...unlimited.filter((line) => !isPositive(line)).map(({ what }) => `${what}: a figure is not positive`),
    ...low,
  ];
}
