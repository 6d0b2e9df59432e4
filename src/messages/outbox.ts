import { hash } from 'node:crypto';
import type { Labels } from '../alerts/alert.ts';
import type { ReceiverStatus } from '../alerts/delivery.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { Log } from '../model/log.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import type { Channel, Draft, SendOutcome } from './channel.ts';
import { createDigest, type DigestSchedule, digestKey } from './digest.ts';
import { type DueGroup, type DueGroupOptions, dueGroups, type GroupTimes, groupKeys } from './due-groups.ts';
import { createFailures } from './failures.ts';
import { type Group, groupOf } from './groups.ts';
import { createInhibitor } from './inhibitions.ts';
import { createLedgerKeeper, type Entry, markSent, noticeOf } from './ledger.ts';
import type { MessageCounts } from './message-counts.ts';
import type { Frozen, ReceiverState } from './receiver-state.ts';

/** One receiver: how it is reached, what it was told, and when it is told again. */
export interface OutboxOptions extends GroupTimes {
  readonly channel: Channel;
  readonly counts: MessageCounts;
  readonly initial: ReceiverState;
  /** `undefined` without digests. */
  readonly schedule: DigestSchedule | undefined;
  readonly analyzer: string;
  /** Seconds. */
  readonly unknownHold: number;
  /** Saves the state of all receivers. Resolves when it is saved, or when that fails. */
  readonly save: () => Promise<void>;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The messages of one receiver. */
export interface Outbox {
  readonly receiver: Channel['receiver'];
  /** Takes the alerts of an evaluation. */
  take(handOver: HandOver): void;
  state(): ReceiverState;
  status(): ReceiverStatus;
  /** Ends the message that is being sent within some seconds. All others are kept. */
  stop(seconds: number): Promise<void>;
}

/** How long a message waits after a start for the data of its alerts, seconds. */
const DATA_WAIT = 300;
/** How long the very same message is sent again, seconds. */
const FROZEN_KEEP = 86_400;

/** A message that can be sent. */
interface Job {
  readonly key: string;
  readonly dueAt: number;
  readonly write: () => Promise<Frozen>;
}

/** Sends the messages of one receiver one at a time. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { channel, counts, now, log, save, groupInterval } = options;
  /** The labels of an alert stay the same. */
  const groups = new WeakMap<Labels, Group>();
  const groupOptions: DueGroupOptions = {
    ...options,
    hasDigest: options.schedule !== undefined,
    groupOf: (labels) => {
      const group = groups.get(labels) ?? groupOf(labels, options.analyzer, channel.ownerOf(labels));
      groups.set(labels, group);
      return group;
    },
  };
  const { receiver, target } = channel;
  let { ledger } = options.initial;
  const sentAt = new Map(options.initial.sentAt);
  const frozen = new Map(options.initial.frozen);
  const failures = createFailures(receiver, target, log);
  const stopping = new AbortController();
  const startedAt = now();
  let isInhibited: (labels: Labels) => boolean = () => false;
  /** Rules that had no data since the start; `undefined` before the first evaluation. */
  let withoutData: ReadonlySet<string> | undefined;
  /** Settings whose address was refused last time. */
  const refusedSettings = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const keeper = createLedgerKeeper({
    isWanted: channel.isWanted,
    sendResolved: channel.sendResolved,
    unknownHold: options.unknownHold,
    onForgotten: (labels) => {
      counts.dropped += 1;
      log.warn({ receiver, target, labels }, 'the end of an alert could not be delivered for a week, and is dropped');
    },
  });
  const digest = createDigest({
    initial: options.initial.digest,
    schedule: options.schedule,
    ownerOf: channel.ownerOf,
  });

  const freeze = async (
    key: string,
    covered: Frozen['covered'],
    ofRun: number | undefined,
    write: (id: string, at: number) => Promise<Draft>,
  ): Promise<Frozen> => {
    const at = now();
    const id = hash('sha256', JSON.stringify([receiver, key, at, covered])).slice(0, 32);
    return { key, id, at, covered, run: ofRun, ...(await write(id, at)) };
  };

  const writeGroup = ({ group, members, isReminder }: DueGroup): Promise<Frozen> => {
    const notices = members.map(([key, entry]) => noticeOf(key, entry));
    const covered = notices.map(({ key, episodes }) => ({
      key,
      episodes: episodes.map(({ startsAt, state }) => ({ startsAt, state })),
    }));
    return freeze(group.key, covered, undefined, (id, at) =>
      channel.writeGroup({ group, notices, isReminder }, id, at),
    );
  };

  /** Whether the state of an alert is known since the start. */
  const isSettled = ({ rule }: Entry): boolean =>
    withoutData !== undefined && (!withoutData.has(rule) || now() - startedAt >= DATA_WAIT);

  const jobs = (): readonly Job[] => {
    const certain = dueGroups({ ledger, sentAt, isInhibited, isSettled }, groupOptions)
      .filter(({ group }) => !frozen.has(group.key))
      .map((due): Job => ({ key: due.group.key, dueAt: due.dueAt, write: () => writeGroup(due) }));
    const repeated = [...frozen.values()].map(
      (message): Job => ({
        key: message.key,
        dueAt: message.at,
        write: async () => message,
      }),
    );
    const digests = digest.due(isInhibited).flatMap(({ run: dueAt, content }): readonly Job[] => {
      const { writeDigest } = channel;
      const key = digestKey(content.owner);
      if (frozen.has(key) || writeDigest === undefined) return [];
      return [{ key, dueAt, write: () => freeze(key, [], dueAt, (id, at) => writeDigest(content, id, at)) }];
    });
    return [...repeated, ...certain, ...digests];
  };

  const settle = (message: Frozen): void => {
    frozen.delete(message.key);
    ledger = markSent(ledger, message.covered);
    if (message.run === undefined) sentAt.set(message.key, now());
    else digest.markSent(message.key, message.run);
    counts.sent += 1;
    counts.lastSuccess = now();
    failures.settle(message.key);
  };

  const onAccepted = (message: Frozen, refused: Extract<SendOutcome, { is: 'accepted' }>['refused']): void => {
    failures.work();
    const isRefused = new Map(refused.map((one) => [one.recipient.setting, one]));
    for (const { setting } of message.to) if (!isRefused.has(setting)) refusedSettings.delete(setting);
    for (const { recipient, isPermanent, reason } of refused) {
      counts.errors += 1;
      if (!isPermanent || refusedSettings.has(recipient.setting)) continue;
      refusedSettings.add(recipient.setting);
      log.warn({ receiver, target, setting: recipient.setting, reason }, 'address refused by the mail server');
    }
    settle(message);
    const later = refused.filter(({ isPermanent }) => !isPermanent);
    const [first] = later;
    if (first === undefined) return;
    // the others have it: only those who could not take it get it again
    const rest = { ...message, key: `${message.key} ${message.id}`, to: later.map(({ recipient }) => recipient) };
    frozen.set(rest.key, { ...rest, covered: [], run: undefined });
    failures.failMessage(rest.key, now(), `${first.recipient.setting}: ${first.reason}`);
  };

  /** @param wasFrozen whether it may have arrived at an earlier attempt */
  const onOutcome = (message: Frozen, outcome: SendOutcome, wasFrozen: boolean): void => {
    if (outcome.is === 'accepted') {
      onAccepted(message, outcome.refused);
      return;
    }
    const isUnknown = outcome.is === 'unknown';
    // nobody has it: the next attempt says what is true then
    if (wasFrozen ? message.at < now() - FROZEN_KEEP : !isUnknown) frozen.delete(message.key);
    if (stopping.signal.aborted) return;
    counts.errors += 1;
    if (isUnknown || !outcome.isAboutMessage) failures.fail(now(), outcome.reason);
    else failures.work();
    if (isUnknown || outcome.isAboutMessage) failures.failMessage(message.key, now(), outcome.reason);
  };

  const attempt = async (job: Job): Promise<void> => {
    const wasFrozen = frozen.has(job.key);
    const message = await job.write();
    frozen.set(message.key, message);
    if (!wasFrozen) await save();
    onOutcome(message, await channel.send(message, stopping.signal), wasFrozen);
    await save();
  };

  /** The next job and when it can be tried. Those that have not failed come first. */
  const nextOf = (all: readonly Job[], at: number): { readonly job: Job; readonly at: number } | undefined => {
    const candidates = all.map((job) => ({ job, at: Math.max(job.dueAt, failures.retryAt(job.key)) }));
    const due = candidates.filter((candidate) => candidate.at <= at);
    const rank = ({ job }: { readonly job: Job }): number => (failures.hasFailed(job.key) ? 1 : 0);
    const ready = due.sort((a, b) => rank(a) - rank(b) || a.job.dueAt - b.job.dueAt);
    return ready[0] ?? candidates.sort((a, b) => a.at - b.at)[0];
  };

  /** Messages about nothing are forgotten. */
  const prune = (all: readonly Job[], at: number): void => {
    const keys = groupKeys(ledger, groupOptions);
    for (const [key, last] of sentAt) if (!keys.has(key) && last + groupInterval <= at) sentAt.delete(key);
    const needed = new Set(all.map(({ key }) => key));
    failures.forget((key) => needed.has(key));
  };

  const run = createLatestOnly(async () => {
    clearTimeout(timer);
    let all: readonly Job[] = [];
    try {
      for (;;) {
        if (stopping.signal.aborted) return;
        if (digest.check(now(), startedAt)) await save();
        all = jobs();
        const next = nextOf(all, now());
        if (next === undefined || next.at > now()) break;
        await attempt(next.job);
      }
    } catch (error) {
      log.error({ receiver, target, err: error }, 'messages failed unexpectedly');
      failures.fail(now(), 'internal error, see the log');
    }
    prune(all, now());
    const at = Math.min(nextOf(all, now())?.at ?? Number.POSITIVE_INFINITY, digest.nextCheck(now()));
    const wait = Math.min(Math.max(at - now(), 0.01), 3600);
    if (!stopping.signal.aborted) timer = setTimeout(() => void run(), wait * 1000);
  });

  return {
    receiver,
    take: (handOver) => {
      const { alerts, evaluated } = handOver;
      const firing = [...alerts.values()].filter(({ state }) => state === 'firing');
      isInhibited = createInhibitor(firing.map(({ labels }) => labels));
      const lacking = evaluated.filter(({ evaluation }) => evaluation.hasNoData).map(({ rule }) => rule.id);
      const before = withoutData;
      withoutData = new Set(lacking.filter((id) => before === undefined || before.has(id)));
      digest.take(handOver);
      const after = keeper.take(ledger, handOver, isInhibited);
      const isChanged =
        after.size !== ledger.size || [...after].some(([key, entry]) => hasChanged(ledger.get(key), entry));
      ledger = after;
      if (isChanged) void save();
      void run();
    },
    state: () => ({ ledger, sentAt, frozen, digest: digest.state() }),
    status: () => {
      const failure = failures.current();
      return {
        receiver,
        target,
        lastSuccess: counts.lastSuccess,
        failing: failure && { since: failure.since, reason: failure.reason },
        waiting: jobs().filter(({ dueAt }) => dueAt <= now()).length,
      };
    },
    stop: async (seconds) => {
      const limit = setTimeout(() => stopping.abort(), seconds * 1000);
      clearTimeout(timer);
      await run();
      clearTimeout(limit);
      stopping.abort();
      clearTimeout(timer);
      await channel.close();
    },
  };
}

/** Whether an alert has changed in what must survive a crash. */
function hasChanged(before: Entry | undefined, after: Entry): boolean {
  if (before === undefined || before.sent !== after.sent || before.episodes.length !== after.episodes.length)
    return true;
  return after.episodes.some(({ state, dueSince }, i) => {
    const episode = before.episodes[i];
    return episode?.state !== state || episode.dueSince !== dueSince;
  });
}
