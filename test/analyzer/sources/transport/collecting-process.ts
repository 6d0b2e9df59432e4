import { createCommandTransport } from '../../../../src/analyzer/sources/transport/command-transport.ts';
import { createTransportHost } from '../../../../src/analyzer/sources/transport/transport-host.ts';

/**
 * Runs tools until it is killed: `<work folder> <interval in ms> <tool>…`. It prints a line when the first run of each has
 * begun. With an interval, each tool is stopped and started again after it, so that it is killed at any moment of a run.
 */

const [workFolder = '', interval = '0', ...tools] = process.argv.slice(2);
const host = createTransportHost({
  workFolder,
  now: () => Date.now() / 1000,
  onProblem: (message) => process.stderr.write(`${message}\n`),
});

async function collect(tool: string): Promise<never> {
  const transport = createCommandTransport(
    {
      kind: 'command',
      command: [tool, workFolder, `${workFolder}.ready`],
      env: {},
      label: 'test',
      timeout: 60,
      maxOutput: 1000,
      encoding: undefined,
    },
    host,
  );
  for (;;) {
    const signal = interval === '0' ? new AbortController().signal : AbortSignal.timeout(Number(interval));
    await transport.read([], signal).catch(() => undefined);
  }
}

for (const tool of tools) void collect(tool);
process.stdout.write('running\n');
