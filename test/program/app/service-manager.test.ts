import { afterEach, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** What the daemon reports to systemd; `test/install/systemd.test.ts` has a real one. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

it.each([
  ['a socket that does not exist', () => ({ NOTIFY_SOCKET: `${temporaryFolder()}/notify` })],
  ['no systemd-notify', () => ({ NOTIFY_SOCKET: `${temporaryFolder()}/notify`, PATH: temporaryFolder() })],
])('with %s, the daemon logs the remedy and runs on', async (_, env) => {
  const ports = [
    '--web.listen-address=127.0.0.1:0',
    '--embedded-analyzer.listen-address=127.0.0.1:0',
    '--log.format=json',
  ];
  const demo = run(['demo', ...ports], { env: env() });
  const { level, reason, remedy } = await demo.line('systemd does not know that the daemon listens');
  expect({ level, remedy }).toMatchObject({ level: 'error', remedy: expect.stringContaining('Type=exec') });
  expect(reason).not.toBe('');
  demo.stop();
  expect(await demo.exit).toBe(0);
});
