import type { QueryError } from '../../../src/base/model/failure.ts';
import { createClient } from '../../support/harness.ts';

/** Sends one query and prints its outcome and memory use. It is a separate process, to measure its peak memory. */

const [url = '', method = ''] = process.argv.slice(2);
const { client } = createClient(url, { timeout: 120 });
const { signal } = new AbortController();
await client.getHttpUserName({}, signal);
const megabytes = () => Math.round(process.resourceUsage().maxRSS / 1024);
const before = megabytes();
const outcome = await client[method as 'getHistory']({ product: 'a;b', feature: 'f' }, signal).then(
  () => 'answered',
  (error: QueryError) => `${error.kind} ${error.code}`,
);
process.stdout.write(JSON.stringify({ outcome, before, peak: megabytes() }));
await client.close();
