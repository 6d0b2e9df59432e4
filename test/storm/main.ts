import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCleanup } from '../support/harness.ts';
import { startReferee } from './referee.ts';
import { findProblems, writeReport } from './report.ts';
import { type Broken, type Outcome, PASSWORD, runScenario } from './run-scenario.ts';
import { createScenarios, type Scenario } from './scenarios.ts';

/** `npm run storm`: daemons, each behind a proxy that injects faults, with a referee that counts their logons. */

const help = `npm run storm -- [options]
  --quick       a few seconds of each fault; the soak has one minute of faults
  --long        realistic durations; the soak has ten minutes of faults
  --check       exits with 1 when a limit is exceeded
  --events      checks what happens and not how many seconds it takes, for a host that does something else too
  --seed N      seed of all random values (default 1)
  --only TEXT   run only the storms whose name contains TEXT
  --jobs N      number of storms at once (default 8)
  --json        print JSON
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const isTimed = !values.events;

/** Ends everything that was started, however this process ends. */
const cleanup = createCleanup();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanup.run().finally(() => process.exit(1)));
}

async function runAll(
  scenarios: readonly Scenario[],
  seed: number,
  jobs: number,
): Promise<readonly (Outcome | Broken)[]> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-storm-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const userOf = (at: number): string => `svc-${at}`;
    const users = ['calm', ...scenarios.map((_, at) => userOf(at))];
    const referee = await startReferee(cleanup, Object.fromEntries(users.map((user) => [user, PASSWORD])));
    const options = { referee, folder, seed, isTimed, onEnd: cleanup.add };
    const calm: Scenario = { name: 'calm', plan: [] };
    const { truth } = await runScenario(calm, { ...options, user: 'calm', truth: undefined });
    const outcomes: (Outcome | Broken)[] = [];
    const waiting = [...scenarios.entries()];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [at, scenario] = next;
        const run = runScenario(scenario, { ...options, user: userOf(at), truth });
        outcomes[at] = await run.catch((error: Error): Broken => ({ name: scenario.name, broken: error.message }));
        if (!values.json) process.stderr.write(`${scenario.name}\n`);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    process.stdout.write(
      values.json ? `${JSON.stringify(outcomes, undefined, 2)}\n` : writeReport(outcomes, referee.name, isTimed),
    );
    return outcomes;
  } finally {
    await cleanup.run();
  }
}

if (values.help) {
  process.stdout.write(help);
} else {
  const seed = Number(values.seed);
  const size = values.quick ? 'quick' : values.long ? 'long' : 'normal';
  const scenarios = createScenarios({ seed, size }).filter(({ name }) => name.includes(values.only));
  const outcomes = await runAll(scenarios, seed, Number(values.jobs));
  const isOver = values.check && outcomes.some((outcome) => findProblems(outcome, isTimed).length > 0);
  // idle connections to killed daemons would delay the exit
  process.exit(isOver ? 1 : 0);
}
