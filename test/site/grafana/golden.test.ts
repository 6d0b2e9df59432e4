import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryClient } from '../../../src/exporter/client/query-client.ts';
import { type Daemon, FEATURE, get, PRODUCT, post, query, startDaemon } from '../../support/datasource-daemon.ts';
import { createCleanup } from '../../support/harness.ts';

/**
 * One file for each target: what the analyzer answered, and what the daemon made of it. Checked by hand once; after a
 * change on purpose `UPDATE_GOLDEN=1` writes them. Read the difference.
 */

const cleanup = createCleanup();
let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(cleanup);
});
afterAll(() => cleanup.run());

const never = new AbortController().signal;
const whose = { product: PRODUCT, feature: FEATURE };
const window = { ...whose, package: '', year: '2026', month: '11', last: '107' };

interface Case {
  /** Asks the analyzer directly. */
  readonly ask: (client: QueryClient) => Promise<unknown>;
  readonly payload: object;
  /** Further shapes of `/query`. */
  readonly shapes?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  history: { ask: (c) => c.getHistory(whose, never), payload: whose, shapes: ['long', 'annotations'] },
  reserved: { ask: (c) => c.getHistoryReserved(whose, never), payload: whose, shapes: ['timeseries'] },
  efficiency: { ask: (c) => c.getEfficiency(window, never), payload: { ...whose, last: 'last-7-days' } },
  heatmap: { ask: (c) => c.getHeatMap(window, never), payload: { ...whose, last: '107' }, shapes: ['table', 'long'] },
  users: {
    ask: (c) => c.getUsers({ format: 'sql', sortdatafield: 'Username', ...whose }, never),
    payload: whose,
  },
  expirations: {
    ask: (c) => c.getExpirationFeatures({ product: PRODUCT }, never),
    payload: { product: PRODUCT },
    shapes: ['annotations'],
  },
  features: { ask: (c) => c.getFeatures({ product: PRODUCT }, never), payload: { product: PRODUCT } },
  products: { ask: (c) => c.getProducts({}, never), payload: {} },
  server_down: { ask: (c) => c.getServerDown({}, never), payload: {} },
};

/** JSON with each row, pair or record on a line of its own, so that differences can be read. */
const write = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/gs, (_, inner: string) => `[${inner.replace(/\s*\n\s*/g, ' ')}]`)}\n`;

describe('the answer to', () => {
  it.each(Object.keys(cases))('%s is as it was checked', async (target) => {
    const { ask, payload, shapes = [] } = cases[target] as Case;
    await ask(daemon.client);
    const raw = JSON.parse(daemon.raw().replaceAll(':NaN', ':"NaN (bare)"'));
    // expiries lie ahead
    const range = {
      from: '2026-11-16T12:00:00Z',
      to: target === 'expirations' ? '2027-06-30T00:00:00Z' : '2026-11-18T09:30:00Z',
    };
    const answers: Record<string, unknown> = {};
    for (const shape of [undefined, ...shapes]) {
      const { status, body } = await post(
        `${daemon.url}/query`,
        query(target, { ...payload, ...(shape !== undefined && { shape }) }, { range }),
      );
      expect({ status, body }).toMatchObject({ status: 200 });
      answers[`query${shape === undefined ? '' : ` ${shape}`}`] = body;
    }
    const parameters = new URLSearchParams(payload as Record<string, string>);
    parameters.set('from', String(Date.parse(range.from)));
    parameters.set('to', String(Date.parse(range.to)));
    answers.rows = (await get(`${daemon.url}/rows/${target}?${parameters}`)).body;

    const path = join(import.meta.dirname, 'golden', `${target}.golden.json`);
    const text = write({ analyzer: raw, ...answers });
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
  });
});
