import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { startScripted } from '../../support/scripted-server.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const BOMB = 250_000_000;
const block = Buffer.from('[],'.repeat(20_000));

/** An answer of 250 MB, which would need 7 GB after decoding. */
async function startBombServer(): Promise<{ url: string; sent: () => number }> {
  let sent = 0;
  const server = await startScripted((call) => {
    const { request, response, token } = call;
    if (token !== '' || request.url?.endsWith('/GetHttpUserName')) {
      call.proceed();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).write('[[');
    const pump = (): void => {
      while (!response.destroyed && sent < BOMB) {
        sent += block.length;
        if (!response.write(block)) return;
      }
      response.end('0]]');
    };
    response.on('drain', pump);
    pump();
  });
  cleanup.add(() => server.stop());
  return { url: server.url, sent: () => sent };
}

it.each(['getFeatures', 'getHistory'])('a bomb in the answer to %s takes little memory', async (method) => {
  const server = await startBombServer();
  const script = join(import.meta.dirname, 'asking-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, server.url, method]);
  const { outcome, before, peak } = JSON.parse(stdout);
  expect(outcome).toBe('too_large ANSWER_TOO_MANY_ITEMS');
  // megabytes: the body up to the limit of items, and the same for its chunks
  expect(peak - before).toBeLessThan(100);
  expect(server.sent()).toBeLessThan(40_000_000);
});
