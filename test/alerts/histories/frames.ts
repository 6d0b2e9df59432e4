import type { Forecasts } from '../../../src/alerts/rule.ts';
import type { Inventory } from '../../../src/inventory/inventory.ts';
import type { SourceHealth } from '../../../src/observation/source.ts';
import { policy } from '../../support/alert-views.ts';
import { createInventories } from '../../support/stored-answers.ts';
import { createAnswers } from './answers.ts';
import { activeEpisodes, type History, MINUTES, timeOf } from './history.ts';
import { createReplicaPoll, type ReplicaPoll } from './replica-poll.ts';
import { createSources } from './sources.ts';
import { forecastsAt, worldAt } from './world.ts';

/** What a process of a replica knows in one minute, after its polls. */
export interface Frame {
  readonly minute: number;
  /** Index of the replica. */
  readonly replica: number;
  readonly instance: string;
  /** Minute of the start of the process. In that minute nothing has been polled. */
  readonly startedAt: number;
  readonly inventory: Inventory;
  readonly authenticated: boolean | undefined;
  /** Of an embedded analyzer in the process; `undefined` without one. */
  readonly sources: readonly SourceHealth[] | undefined;
  readonly forecasts: Forecasts | undefined;
}

/** One minute of a history. */
export interface Minute {
  readonly minute: number;
  /** The targets of Prometheus: instances that are known, whether or not they answer. */
  readonly targets: readonly string[];
  /** The processes that live and do not hang. */
  readonly frames: readonly Frame[];
}

interface Process {
  readonly startedAt: number;
  readonly poll: ReplicaPoll;
  readonly sourcesAt: ReturnType<typeof createSources>;
  readonly inventoryOf: ReturnType<typeof createInventories>;
}

/** The minutes of a history. */
export function* minutesOf(history: History): Generator<Minute> {
  const answersOf = createAnswers();
  const processes: (Process | undefined)[] = history.replicas.map(() => undefined);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const world = worldAt(history, minute);
    const answers = answersOf(world);
    const concerns = (is: 'replica hangs' | 'replica restarts', index: number): boolean =>
      activeEpisodes(history, is, minute).some(({ replica }) => replica === index);
    const targets = history.replicas.filter(({ from, to }) => minute >= from && minute < to);
    const frames: Frame[] = [];
    for (const [index, replica] of history.replicas.entries()) {
      const lives = targets.includes(replica) && !concerns('replica restarts', index);
      if (!lives) processes[index] = undefined;
      if (!lives || (concerns('replica hangs', index) && processes[index] !== undefined)) continue;
      const process = processes[index] ?? {
        startedAt: minute,
        poll: createReplicaPoll(history, index, minute),
        sourcesAt: createSources(history, minute),
        inventoryOf: createInventories(policy),
      };
      processes[index] = process;
      process.poll.poll(minute, world, answers);
      frames.push({
        minute,
        replica: index,
        instance: replica.instance,
        startedAt: process.startedAt,
        inventory: process.inventoryOf(process.poll.snapshot(minute), timeOf(minute)),
        authenticated: process.poll.authenticated(),
        sources: history.sources.length === 0 ? undefined : process.sourcesAt(minute),
        forecasts: forecastsAt(history, minute),
      });
    }
    yield { minute, targets: targets.map(({ instance }) => instance), frames };
  }
}
