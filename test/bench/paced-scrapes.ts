import { Agent, get } from 'node:http';

/** Scrapes at fixed times, as several Prometheus servers would, whether the previous answer has arrived or not. */

const INTERVAL_MS = 50;

export interface PacedScrapes {
  /** Ends the scrapes and returns the times of all, in milliseconds from when each was due. */
  stop(): Promise<readonly number[]>;
  /** Resolves when a page has the text. */
  until(isReached: (page: string) => boolean): Promise<void>;
}

export function startScrapes(url: string): PacedScrapes {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  let onPage: (page: string) => void = () => undefined;
  const scrape = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      get(url, { agent }, (response) => {
        let page = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          page += text;
        });
        response.on('end', () => {
          times.push(performance.now() - at);
          onPage(page);
          resolve();
        });
      }).on('error', reject);
    });
  let due = performance.now();
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += INTERVAL_MS) {
      const scraped = scrape(due).finally(() => running.delete(scraped));
      running.add(scraped);
    }
  }, INTERVAL_MS);
  return {
    until: (isReached) =>
      new Promise((resolve) => {
        onPage = (page) => {
          if (isReached(page)) resolve();
        };
      }),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      agent.destroy();
      return times;
    },
  };
}
