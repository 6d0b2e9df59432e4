import type { Forecasts } from '../../../../src/alerting/alerts/rule.ts';
import type { SourceHealth } from '../../../../src/base/model/observation/source.ts';
import type { Inventory } from '../../../../src/exporter/inventory/inventory.ts';
import { policy } from '../../../support/alert-views.ts';
import { createInventories } from '../../../support/derived-inventory.ts';
import { createAnswers } from './answers.ts';
import { activeEpisodes, aheadOf, type History, timeOf } from './history.ts';
import { createReplicaPoll, type ReplicaPoll } from './replica-poll.ts';
import { selectionOf } from './site-owners.ts';
import { createSources } from './sources.ts';
import type { AllTold } from './told.ts';
import { forecastsAt, worldAt } from './world.ts';

/** What a process of a replica knows at one tick, after its polls. */
export interface Frame {
  readonly tick: number;
  /** By the clock of its host, epoch seconds. */
  readonly now: number;
  /** Index of the replica. */
  readonly replica: number;
  /** How its engine begins at this tick, if it does. `set`: it goes on after its clock was set. */
  readonly begins: 'fresh' | 'saved' | 'set' | undefined;
  /** Whether Prometheus gets its page. */
  readonly isScraped: boolean;
  /** `undefined` before the first poll. */
  readonly inventory: Inventory | undefined;
  readonly authenticated: boolean | undefined;
  /** Of an embedded analyzer in the process; `undefined` without one. */
  readonly sources: readonly SourceHealth[] | undefined;
  readonly forecasts: Forecasts | undefined;
}

/** A frame of a history, with what the process was told. */
export interface ToldFrame extends Frame {
  /** `undefined` before the first poll. */
  readonly told: AllTold | undefined;
}

/** One tick of a history. */
export interface Moment {
  readonly tick: number;
  /** Whether Prometheus scrapes at all. */
  readonly isPrometheusThere: boolean;
  /** Indexes of the replicas that are targets of Prometheus, whether or not they answer. */
  readonly targets: readonly number[];
  /** The processes that live and do not hang. */
  readonly frames: readonly ToldFrame[];
}

interface Process {
  readonly startedAt: number;
  /** How far the clock of its host is ahead, seconds. */
  readonly ahead: number;
  readonly poll: ReplicaPoll;
  readonly sourcesAt: ReturnType<typeof createSources>;
  readonly inventoryOf: ReturnType<typeof createInventories>;
}

type OfReplica = 'replica hangs' | 'scrape lost';

/** The ticks of a history. */
export function* momentsOf(history: History): Generator<Moment> {
  const answersOf = createAnswers();
  const processes: (Process | undefined)[] = history.replicas.map(() => undefined);
  const saved = new Set<number>();
  const keepsState = new Map<number, boolean>();
  for (let tick = 0; tick < history.ticks; tick += 1) {
    const world = worldAt(history, tick);
    const answers = answersOf(world);
    const concerns = (is: OfReplica, index: number): boolean =>
      activeEpisodes(history, is, tick).some(({ replica }) => replica === index);
    const isPrometheusThere = activeEpisodes(history, 'Prometheus away', tick).length === 0;
    const targets = history.replicas.flatMap(({ from, to }, index) => (tick >= from && tick < to ? [index] : []));
    const frames: ToldFrame[] = [];
    for (const [index, replica] of history.replicas.entries()) {
      const restart = activeEpisodes(history, 'replica restarts', tick).find((each) => each.replica === index);
      if (restart !== undefined) keepsState.set(index, restart.keepsState);
      const lives = targets.includes(index) && restart === undefined;
      if (!lives) processes[index] = undefined;
      if (!lives || (concerns('replica hangs', index) && processes[index] !== undefined)) continue;
      const before = processes[index];
      const ahead = aheadOf(history, index, tick);
      const isSet = before !== undefined && before.ahead !== ahead;
      const hasSaved = saved.has(index) ? keepsState.get(index) !== false : saved.has(replica.continues ?? -1);
      const begins = isSet ? 'set' : hasSaved ? 'saved' : 'fresh';
      const process =
        before === undefined || isSet
          ? {
              startedAt: tick,
              ahead,
              poll: createReplicaPoll(history, index, tick),
              sourcesAt: createSources(history, tick),
              inventoryOf: createInventories({ ...policy, ...selectionOf(replica) }),
            }
          : before;
      processes[index] = process;
      saved.add(index);
      process.poll.poll(tick, world, answers);
      const now = timeOf(history, tick) + ahead;
      frames.push({
        tick,
        now,
        replica: index,
        begins: process === before ? undefined : begins,
        isScraped: isPrometheusThere && !concerns('scrape lost', index),
        inventory: process.startedAt === tick ? undefined : process.inventoryOf(process.poll.snapshot(tick), now),
        authenticated: process.poll.authenticated(),
        sources: history.sources.length === 0 ? undefined : process.sourcesAt(tick),
        forecasts: forecastsAt(history, tick),
        told: process.startedAt === tick ? undefined : process.poll.told(),
      });
    }
    yield { tick, isPrometheusThere, targets, frames };
  }
}
