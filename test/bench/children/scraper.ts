import { connect } from 'node:net';
import { answerParent } from '../child.ts';

/** Scrapes over kept connections and counts the bytes, which costs far less than an HTTP client. */

export interface ScrapeLoad {
  readonly url: string;
  readonly encoding: 'gzip' | 'identity';
  readonly connections: number;
  /** Scrapes are started for so long, milliseconds. Each connection scrapes at least once. */
  readonly duration: number;
}

export interface ScrapeResult {
  readonly scrapesPerSecond: number;
  /** Median milliseconds of a scrape. */
  readonly time: number;
  /** Body of one scrape. */
  readonly bytes: number;
}

const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

/** Bytes of the whole response, from its head; undefined when it is sent in chunks. */
function lengthOf(first: Buffer): number | undefined {
  const head = first.subarray(0, first.indexOf('\r\n\r\n') + 4).toString('latin1');
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`a scrape was answered ${head.slice(0, 40)}`);
  const body = /content-length: (\d+)/i.exec(head)?.[1];
  return body === undefined ? undefined : head.length + Number(body);
}

/** One connection that scrapes until the end. */
function scrapeUntil(end: number, { url, encoding }: ScrapeLoad, times: number[]): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = 0;
    let expected: number | undefined;
    let started = performance.now();
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      if (received === 0) expected = lengthOf(chunk);
      received += chunk.length;
      const isLast = expected === undefined ? chunk.subarray(-5).equals(END_OF_CHUNKS) : received >= expected;
      if (!isLast) return;
      const now = performance.now();
      times.push(now - started);
      if (now >= end) {
        socket.removeAllListeners('close').destroy();
        resolve(received);
        return;
      }
      received = 0;
      started = now;
      socket.write(request);
    });
    socket.write(request);
  });
}

const methods = {
  scrape: async (load: ScrapeLoad): Promise<ScrapeResult> => {
    const times: number[] = [];
    const started = performance.now();
    const end = started + load.duration;
    const sizes = await Promise.all(Array.from({ length: load.connections }, () => scrapeUntil(end, load, times)));
    const seconds = (performance.now() - started) / 1000;
    const time = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
    return { scrapesPerSecond: times.length / seconds, time, bytes: sizes[0] ?? 0 };
  },
};

export type ScraperMethods = typeof methods;

answerParent(methods);
