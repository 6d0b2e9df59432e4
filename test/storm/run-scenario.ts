import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { patience } from '../support/extent.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { createSmallDisk } from '../support/small-disk.ts';
import { createActor, whileStopped } from './actor.ts';
import { createDaemon, type Daemon, type Resources } from './daemon.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { isRight, notShown, type Page } from './page.ts';
import type { Referee } from './referee.ts';
import type { Scenario } from './scenarios.ts';
import { readServed } from './served.ts';
import { createWatch, type Watch } from './watch.ts';

/** Seconds between two polls of each endpoint. */
export const POLL_SECONDS = 2;
/** Seconds that one request may take. */
const TIMEOUT_SECONDS = 1;
/** The same where only events are checked: on a busy host, a logon that is answered late would be one without a verdict. */
const BUSY_TIMEOUT_SECONDS = 5;
/** The highest allowed count of logons without a good verdict (decision 30). */
export const BUDGET = 2;
const AUTH_RETRY_SECONDS = 1800;
const MEMORY_GROWTH = 150 * 2 ** 20;
/** How long a storm is watched beyond its limit, so that the report can say by how much it exceeded the limit. */
const BEYOND_SECONDS = 15;

export const PASSWORD = 'S3cret-pass!';

/** The result of a storm. Times are seconds, sizes bytes. */
export interface Outcome {
  readonly name: string;
  readonly faultSeconds: number;
  readonly scrapes: number;
  readonly failedScrapes: readonly string[];
  readonly worstScrapeMs: number;
  /** From the end of the last fault until everything was right; Infinity if that took too long. */
  readonly recoverySeconds: number;
  readonly recoveryLimit: number;
  readonly staysDown: boolean;
  /** It may be up in the end or not. */
  readonly hasAnyEnd: boolean;
  readonly isUpAtEnd: boolean;
  readonly wrong: readonly string[];
  /** Series that must stay, and ended. */
  readonly ended: readonly string[];
  /** Samples that must be on the page during a fault, and were not. */
  readonly notShown: readonly string[];
  /** Samples that must be gone in the end, and are there. */
  readonly stillShown: readonly string[];
  readonly logons: number;
  readonly logonLimit: number;
  readonly worstDebt: number;
  /** Rejected logons in any 31 minutes. */
  readonly badLogons: number;
  readonly isLocked: boolean;
  /** How much more memory the process may use after the storm than before, bytes. */
  readonly memoryGrowth: number;
  readonly before: Resources;
  readonly peakMemory: number;
  readonly after: Resources;
  /** The last warning of the daemon. */
  readonly lastWarning: string;
}

/** A storm that could not be completed, and why. */
export interface Broken {
  readonly name: string;
  readonly broken: string;
}

export interface RunOptions {
  readonly referee: Referee;
  readonly user: string;
  readonly folder: string;
  readonly seed: number;
  /** What the analyzer serves. */
  readonly truth: Page['figures'] | undefined;
  /** Whether the host does nothing else, so that seconds are checked too. */
  readonly isTimed: boolean;
  /** Registers a function that stops a running storm. */
  readonly onEnd: (stop: () => unknown) => void;
}

/** Not within a storm, but for the first of January. */
const YEARLY = '0 0 1 1 *';
const everyPoll = `*/${POLL_SECONDS} * * * * *`;

const settings = (scenario: Scenario, isTimed: boolean): Record<string, unknown> => ({
  'analyzer.timeout': `${scenario.timeoutSeconds ?? (isTimed ? TIMEOUT_SECONDS : BUSY_TIMEOUT_SECONDS)}s`,
  'analyzer.auth_retry': `${scenario.authRetrySeconds ?? AUTH_RETRY_SECONDS}s`,
  'analyzer.max_response_size': '16MiB',
  'poll.products': everyPoll,
  'poll.server_down': everyPoll,
  'poll.concurrent_users': everyPoll,
  'poll.features': scenario.rarePolls === true ? YEARLY : everyPoll,
  'poll.expirations': scenario.rarePolls === true ? YEARLY : everyPoll,
  // every field that has a metric is compared
  'metrics.collectors': { icons: true, log: true, activity: true, token: true, users: true },
});

/** How long no AUTHENTICATE message was sent before faults begin, milliseconds. */
const SETTLED_MS = 1000;

/** Whether no logon is open. A fault in the middle of a logon is a storm of its own, with a longer recovery. */
const isSettled = ({ ledger, openLogons }: FaultProxy): boolean =>
  openLogons === 0 && ledger.logons.every(({ received, at }) => received !== undefined && Date.now() - at > SETTLED_MS);

async function restart({ starts }: Scenario, daemon: Daemon, watch: Watch): Promise<void> {
  for (let i = 1; i < (starts?.count ?? 1); i += 1) {
    await pause(starts?.everyMs ?? 0);
    await whileStopped(daemon, watch);
  }
}

/** Seconds that decision 30 allows for recovery, given the logons without a good verdict when the faults end. */
function allowedRecovery(scenario: Scenario, debt: number): number {
  if (scenario.recoveryLimit !== undefined) return scenario.recoveryLimit;
  if (debt > 0) return 60;
  // one poll, its time-outs, and time to notice
  return POLL_SECONDS + TIMEOUT_SECONDS + 2;
}

/** How far the clock of the daemon is ahead at the end, seconds. */
const aheadAtEnd = ({ acts = [] }: Scenario): number =>
  acts.map(({ act }) => act).findLast((act) => typeof act === 'number') ?? 0;

/**
 * @param waits how long at most, milliseconds
 * @param ahead of the clock of the daemon, seconds
 */
async function untilRight(
  watch: Watch,
  truth: Page['figures'],
  since: number,
  waits: number,
  ahead: number,
): Promise<number> {
  const end = Date.now() + waits;
  while (Date.now() < end) {
    const [sinceThen, now] = [since / 1000 + ahead, Date.now() / 1000 + ahead];
    const isRightNow = watch.latest !== undefined && isRight(watch.latest, truth, sinceThen, now);
    if (isRightNow) return (Date.now() - since) / 1000;
    await pause(50);
  }
  return Number.POSITIVE_INFINITY;
}

/** The samples that do not appear. @param waits how long at most, milliseconds */
async function waitForSamples(watch: Watch, samples: readonly string[], waits: number): Promise<readonly string[]> {
  const end = Date.now() + waits;
  const left = (): readonly string[] => (watch.latest === undefined ? samples : notShown(watch.latest, samples));
  while (left().length > 0 && Date.now() < end) await pause(50);
  return left();
}

/** Runs one storm against a daemon of its own. */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions,
): Promise<Outcome & { readonly truth: Page['figures'] }> {
  const cleanup = createCleanup();
  options.onEnd(() => cleanup.run());
  try {
    const { referee, user, seed, isTimed } = options;
    const disk = scenario.hasOwnDisk === true ? createSmallDisk(cleanup) : undefined;
    const proxy = await startFaultProxy(cleanup, referee.url, seed);
    const password = scenario.hasWrongPassword === true ? 'not it' : PASSWORD;
    proxy.ledger.give(password);
    const daemon = createDaemon({
      folder: join(options.folder, user),
      url: proxy.url,
      user,
      password,
      state: disk === undefined ? undefined : join(disk.path, 'state'),
      settings: settings(scenario, options.isTimed),
    });
    cleanup.add(() => daemon.kill());
    const isBroken = scenario.isBrokenAtStart === true;
    // a fault that begins before the start lasts for its whole time, however long the start takes
    const ends = isBroken ? scenario.plan.map(({ fault, scope }) => proxy.begin(fault, scope)) : [];
    await daemon.start();
    const watch = createWatch(daemon, scenario.keeps ?? [], () => options.truth);
    cleanup.add(() => watch.stop());
    if (!isBroken) {
      const isCalm = (): boolean => watch.latest?.isUp === true && watch.latest.freshSince > 0 && isSettled(proxy);
      await eventually(`a first good poll of ${scenario.name}`, isCalm);
    } else {
      await pause(1000);
    }
    const truth = options.truth ?? readServed(proxy.answers);
    const before = daemon.resources();
    watch.begin();
    // not longer, even if the starts take longer: after 30 s the next logon would be spent on the fault too
    const calmDown = async (): Promise<void> => {
      await pause(Math.max(0, ...scenario.plan.map(({ forMs }) => forMs)));
      for (const end of ends) end();
    };
    const act = createActor({ scenario, proxy, daemon, watch, disk, password: PASSWORD, ...options });
    const authRetryMs = (scenario.authRetrySeconds ?? AUTH_RETRY_SECONDS) * 1000;
    const staysDown = scenario.staysDown === true;
    const { shows = [] } = scenario;
    let faultSeconds = 0;
    let recoverySeconds = 0;
    let recoveryLimit = 0;
    let missing: readonly string[] = [];
    for (let time = 0; time < (scenario.times ?? 1) && Number.isFinite(recoverySeconds); time += 1) {
      const started = Date.now();
      // within a poll
      const showing = isTimed ? (POLL_SECONDS + TIMEOUT_SECONDS + 2) * 1000 : patience;
      const seen = waitForSamples(watch, shows, showing);
      const [unseen] = await Promise.all([
        seen,
        isBroken ? calmDown() : proxy.run(scenario.plan, seen),
        act(),
        restart(scenario, daemon, watch),
        pause(scenario.runMs ?? 0),
      ]);
      missing = unseen;
      const over = Date.now();
      faultSeconds += (over - started) / 1000;
      recoveryLimit = Math.max(recoveryLimit, allowedRecovery(scenario, proxy.ledger.debt(BUDGET, authRetryMs)));
      if (staysDown || scenario.hasAnyEnd === true) continue;
      const waits = isTimed ? (recoveryLimit + BEYOND_SECONDS) * 1000 : patience;
      recoverySeconds = Math.max(recoverySeconds, await untilRight(watch, truth, over, waits, aheadAtEnd(scenario)));
    }
    // time for requests and garbage of the storm to disappear
    await pause(2000);
    await watch.stop();
    return {
      name: scenario.name,
      faultSeconds,
      scrapes: watch.scrapes,
      failedScrapes: watch.failed,
      worstScrapeMs: watch.worstMs,
      recoverySeconds,
      recoveryLimit,
      staysDown,
      hasAnyEnd: scenario.hasAnyEnd === true,
      isUpAtEnd: watch.latest?.isUp === true,
      wrong: [...watch.wrong],
      ended: [...watch.ended],
      notShown: missing,
      stillShown: shows.filter((sample) => watch.latest !== undefined && notShown(watch.latest, [sample]).length === 0),
      logons: proxy.ledger.logons.length,
      logonLimit: scenario.logonLimit ?? Number.POSITIVE_INFINITY,
      worstDebt: proxy.ledger.worstDebt(BUDGET, authRetryMs),
      badLogons: proxy.ledger.worstRejections(),
      isLocked: scenario.mayLock !== true && referee.badLogons(user).isLocked,
      memoryGrowth: scenario.memoryGrowth ?? MEMORY_GROWTH,
      before,
      peakMemory: watch.peak,
      after: daemon.resources(),
      lastWarning: daemon.lastWarning(),
      truth,
    };
  } finally {
    await cleanup.run();
  }
}
