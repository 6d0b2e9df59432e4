/** The part of a scrape that a storm checks. */
export interface Page {
  readonly isUp: boolean;
  /** Epoch seconds: the oldest of the last successes of the polled endpoints; 0 if one has never succeeded. */
  readonly freshSince: number;
  /** Every sample of the exporter about the answers and about what is known. */
  readonly state: readonly string[];
  /** Epoch seconds: the newest of them. */
  readonly newest: number;
  /** Value of each series about the site. */
  readonly figures: ReadonlyMap<string, string>;
}

/** What is known about the site, and from which endpoint, is not a figure of it: it changes while the analyzer fails. */
const isFigure = (line: string): boolean =>
  /^license_(?!up |up\{|upstream_|poll_|exporter_|alerts?_|endpoint_state|data_known|vendor_license_data_known|feature_expiration_info)/.test(
    line,
  );

/** A sample in the text format, with labels of any text. */
const sample = /^[a-zA-Z_:][\w:]*(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})? (?:NaN|[+-]Inf|-?\d[\d.e+-]*)$/;

/**
 * Reads a page in the text format.
 *
 * @throws Error if it is not complete
 */
export function readPage(text: string): Page {
  if (!text.endsWith('\n') || !/^license_up [01]$/m.test(text)) throw new Error('the page is not complete');
  const figures = new Map<string, string>();
  const successes: number[] = [];
  const state: string[] = [];
  let isUp = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line === '') continue;
    if (!sample.test(line)) throw new Error(`the page has a line that is no sample: ${line}`);
    const at = line.lastIndexOf(' ');
    const series = line.slice(0, at);
    const value = line.slice(at + 1);
    if (series === 'license_up') isUp = value === '1';
    else if (series.startsWith('license_poll_last_success_timestamp_seconds{')) successes.push(Number(value));
    else if (isFigure(line)) figures.set(series, value);
    else state.push(line);
  }
  const freshSince = successes.length === 0 ? 0 : Math.min(...successes);
  return { isUp, freshSince, newest: Math.max(0, ...successes), state, figures };
}

/** Series whose value differs from the truth. A missing series is not wrong. */
export function findWrong(page: Page, truth: Page['figures']): string[] {
  return [...page.figures]
    .filter(([series, value]) => truth.get(series) !== value)
    .map(([series, value]) => `${series} ${value}`);
}

/** The samples that are not on a page. `*` stands for any value of a label. */
export const notShown = (page: Page, samples: readonly string[]): readonly string[] =>
  samples.filter((each) => {
    const [start = '', end = ''] = each.split('*');
    return !page.state.some((line) => (end === '' ? line === each : line.startsWith(start) && line.endsWith(end)));
  });

/** Series of the site that have ended, of those with such a beginning. */
export const findEnded = (page: Page, truth: Page['figures'], beginnings: readonly string[]): readonly string[] =>
  [...truth.keys()].filter(
    (series) => beginnings.some((beginning) => series.startsWith(beginning)) && !page.figures.has(series),
  );

/** Whether everything is right again, with data that was polled after `since` and not in the future (epoch seconds). */
export function isRight(page: Page, truth: Page['figures'], since: number, now: number): boolean {
  const isFresh = page.freshSince >= since && page.newest <= now;
  return page.isUp && isFresh && truth.size === page.figures.size && findWrong(page, truth).length === 0;
}
