/** The part of a scrape that a storm checks. */
export interface Page {
  readonly isUp: boolean;
  /** Epoch seconds: the oldest of the last successes of the polled endpoints; 0 if one has never succeeded. */
  readonly freshSince: number;
  /** Value of each series about the site. */
  readonly figures: ReadonlyMap<string, string>;
}

/** What is known about the site, and from which endpoint, is not a figure of it: it changes while the analyzer fails. */
const isFigure = (line: string): boolean =>
  /^license_(?!up |up\{|upstream_|poll_|exporter_|data_known|vendor_license_data_known|feature_expiration_info)/.test(
    line,
  );

/** Reads a page in the text format. */
export function readPage(text: string): Page {
  const figures = new Map<string, string>();
  const successes: number[] = [];
  let isUp = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line === '') continue;
    const at = line.lastIndexOf(' ');
    const series = line.slice(0, at);
    const value = line.slice(at + 1);
    if (series === 'license_up') isUp = value === '1';
    else if (series.startsWith('license_poll_last_success_timestamp_seconds{')) successes.push(Number(value));
    else if (isFigure(line)) figures.set(series, value);
  }
  return { isUp, freshSince: successes.length === 0 ? 0 : Math.min(...successes), figures };
}

/** Series whose value differs from the truth. A missing series is not wrong. */
export function findWrong(page: Page, truth: Page): string[] {
  return [...page.figures]
    .filter(([series, value]) => truth.figures.get(series) !== value)
    .map(([series, value]) => `${series} ${value}`);
}

/** Whether everything is right again, with data that was polled after `since` (epoch seconds). */
export function isRight(page: Page, truth: Page, since: number): boolean {
  return page.isUp && page.freshSince >= since && truth.figures.size === page.figures.size;
}
