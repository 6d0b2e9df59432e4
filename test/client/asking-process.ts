import type { QueryError } from '../../src/model/failure.ts';
import { createClient } from '../support/harness.ts';

/** A process that asks one question and prints what came of it and what that took: its peak memory is its own. */

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
