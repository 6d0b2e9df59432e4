import { setTimeout as pause } from 'node:timers/promises';
import type { Daemon } from './daemon.ts';
import { findEnded, findWrong, type Page, readPage } from './page.ts';

const SCRAPE_EVERY_MS = 250;

/** Scrapes until it is stopped, and keeps the worst values. */
export function createWatch(daemon: Daemon, keeps: readonly string[], truth: () => Page['figures'] | undefined) {
  const failed: string[] = [];
  const wrong = new Set<string>();
  const ended = new Set<string>();
  let scrapes = 0;
  let worstMs = 0;
  let peak = 0;
  let latest: Page | undefined;
  let paused = false;
  let pauses = 0;
  let stopped = false;
  /** Everything was there once. */
  let isBegun = false;
  const look = async (): Promise<void> => {
    const started = performance.now();
    const before = pauses;
    // also one that began before a pause, and has its answer after it
    const isPaused = (): boolean => paused || pauses !== before;
    try {
      const page = readPage(await daemon.scrape());
      latest = page;
      const known = truth();
      if (known !== undefined) for (const line of findWrong(page, known)) wrong.add(line);
      if (known !== undefined && isBegun) for (const series of findEnded(page, known, keeps)) ended.add(series);
    } catch (error) {
      // the daemon may have been killed while it answered
      if (!isPaused()) failed.push(String(error));
    }
    if (isPaused()) return;
    scrapes += 1;
    worstMs = Math.max(worstMs, performance.now() - started);
  };
  const running = (async () => {
    while (!stopped) {
      if (!paused) await look();
      peak = Math.max(peak, daemon.resources().memory);
      await pause(SCRAPE_EVERY_MS);
    }
  })();
  return {
    failed,
    wrong,
    ended,
    get scrapes() {
      return scrapes;
    },
    get worstMs() {
      return worstMs;
    },
    get peak() {
      return peak;
    },
    get latest() {
      return latest;
    },
    begin: () => {
      isBegun = true;
    },
    pause: (on: boolean) => {
      paused = on;
      if (on) pauses += 1;
    },
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

export type Watch = ReturnType<typeof createWatch>;
