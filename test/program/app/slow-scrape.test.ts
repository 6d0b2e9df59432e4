import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { startPolledSite } from '../../bench/polled-site.ts';
import { createCleanup } from '../../support/harness.ts';

/** A page is in memory that later pages use again, but not while it is sent. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const featuresOf = (page: string): readonly string[] => page.match(/^license_feature_.*$/gm) ?? [];

it('shows a slow scraper the page that it asked for, and not parts of later ones', async () => {
  // too many bytes for the buffers of a socket
  const { page, poll } = await startPolledSite(cleanup, 8000);
  const url = `${page}?collect[]=features`;
  const before = featuresOf(await (await fetch(url)).text());
  const scrape = async (): Promise<IncomingMessage> => {
    const [response] = await once(get(url, { agent: false }), 'response');
    return response;
  };
  const slow = await scrape();
  for (let i = 0; i < 3; i += 1) await poll();
  const after = featuresOf(await text(await scrape()));
  expect(after).toHaveLength(before.length);
  expect(after).not.toEqual(before);
  expect(featuresOf(await text(slow))).toEqual(before);
});
