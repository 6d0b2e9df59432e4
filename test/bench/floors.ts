import type { Line } from './report.ts';

/**
 * The lowest ratios that are accepted, by a part of the text of a line: a half to a third of what `--quick` measures, and less
 * for figures that suffer most when other programs use the same two cores. Larger sizes reach more. Times of a single scrape
 * have no floor.
 */
type Floors = Readonly<Record<string, number>>;

/** Of ratios of processor time or bytes, which are about the same on a busy host: `.ci/run` checks them. */
const steadyFloors: Floors = {
  'G10 main thread': 1.5,
  'G11 all threads': 0.6,
  'features: status page, first after a poll': 1,
  'features: status page, again': 1,
  'features: filter of the status page': 1,
  'features: page of a vendor license': 1,
  'features: page of alerts': 1,
  'features: longest block': 0.8,
  'features: largest': 1,
};

/** Of all others, which need a host that does nothing else. */
const otherFloors: Floors = {
  'daily trend': 3,
  'heat map': 0.2,
  efficiency: 0.3,
  recording: 0.25,
  adding: 7,
  'size, samples': 4,
  'GetFeatures product=%': 0.1,
  'G5 decoding': 0.18,
  'requests to the analyzer': 5,
  'a panel from the cache': 1.2,
  'import: processor time': 0.42,
  'archive: a new disk': 1,
  'archive: the first upload': 0.5,
  // Prometheus only relays what the engine has evaluated
  'alerts firing: evaluation': 2,
  'alerts firing: delivery': 0.2,
  'alerts firing: memory': 0.3,
  'rules, large site: processor time': 0.05,
  'rules, large site: duration': 0.7,
  'rules, large site: series': 0.22,
  'rules, small site: processor time': 0.3,
  // the limit of 20 ms is for a quiet machine, and another site is measured beside it
  'rules, small site: duration': 0.2,
  // what a target said is kept while its scrape is lost, and a page without zeros has less to read
  'rules, small site: series': 0.4,
  'G1 full render (peer: prom-client)': 5,
  'G1 full render (peer: copying': 0.015,
  'G2 gzip scrapes': 6,
  'G2 processor of a poll': 2,
  'G3 longest block': 2,
  'G4 memory': 1,
  'G6 poll of': 0.1,
  'G7 requests with NTLM': 0.2,
  'G7 processor': 0.4,
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
  'G14 source at rest: memory': 0.5,
  'G14 source at rest: wake-ups a second': 0.4,
  'G14 source at rest: processor time a day': 0.25,
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
 * @param isBusy whether the host does something else too, so that only steady floors hold
 */
export function findShortfalls(
  lines: readonly Line[],
  { isWhole, isBusy }: { readonly isWhole: boolean; readonly isBusy: boolean },
): readonly string[] {
  const floors = isBusy ? steadyFloors : { ...steadyFloors, ...otherFloors };
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
