import { hash } from 'node:crypto';
import type { Log } from '../../base/model/log.ts';
import { createLatestOnly } from '../../base/scheduling/limit.ts';
import type { Labels } from '../alerts/alert.ts';
import type { ReceiverStatus } from '../alerts/delivery.ts';
import type { HandOver } from '../alerts/engine.ts';
import type { SentAlerts } from '../alerts/groups.ts';
import type { EngineSection } from '../alerts/settings.ts';
import type { Channel, SendOutcome } from './channel.ts';
import type { DigestSchedule } from './digest-schedule.ts';
import { type DueGroup, type DueGroupOptions, dueGroups, groupKeys } from './due-groups.ts';
import { createFailures, type Failures } from './failures.ts';
import { createInhibitor } from './inhibitions.ts';
import { createLedgerKeeper, type Entry, hasChanged, type LedgerKeeper, markSent, noticeOf } from './ledger.ts';
import { type Group, groupOf, isForDigest } from './message-group.ts';
import type { Frozen, MessageCounts, ReceiverState } from './receiver-state.ts';
import type { MessagesSection } from './settings.ts';

/** One receiver: how it is reached, what it was told, and when it is told again. */
export interface OutboxOptions extends MessagesSection, Pick<EngineSection, 'unknownHold'> {
  readonly channel: Channel;
  readonly counts: MessageCounts;
  readonly initial: ReceiverState;
  /** When its digests are sent; `undefined` without. */
  readonly schedule: DigestSchedule | undefined;
  readonly analyzer: string;
  /** Saves the state of all receivers. Resolves when it is saved, or when that fails. */
  readonly save: () => Promise<void>;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** How long a message waits after a start for the data of its alerts, seconds. */
const DATA_WAIT = 300;
/** How long a digest waits after a start, seconds: after a long outage, alerts must hold for their `for` first. */
const DIGEST_WAIT = 1800;
/** How long the very same message is sent again, seconds. */
const FROZEN_KEEP = 86_400;

/** A message that can be sent. */
interface Job {
  readonly key: string;
  readonly dueAt: number;
  readonly write: () => Promise<Frozen>;
}

/** Sends the messages of one receiver one at a time. */
export class Outbox {
  readonly receiver: Channel['receiver'];
  readonly #options: OutboxOptions;
  readonly #groupOptions: DueGroupOptions;
  #ledger: ReceiverState['ledger'];
  readonly #sentAt: Map<string, number>;
  readonly #frozen: Map<string, Frozen>;
  readonly #failures: Failures;
  readonly #keeper: LedgerKeeper;
  readonly #stopping = new AbortController();
  readonly #startedAt: number;
  /** The alerts of the newest evaluation. */
  #alerts: SentAlerts = new Map();
  #isInhibited: (labels: Labels) => boolean = () => false;
  /** Rules that had no data since the start; `undefined` before the first evaluation. */
  #withoutData: ReadonlySet<string> | undefined;
  /** Settings whose address was refused last time. */
  readonly #refusedSettings = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutboxOptions) {
    const { channel, counts, initial, schedule, analyzer, unknownHold, now, log } = options;
    const { receiver, target, ownerOf, sendResolved } = channel;
    this.receiver = receiver;
    this.#options = options;
    /** The labels of an alert stay the same. */
    const groups = new WeakMap<Labels, Group>();
    this.#groupOptions = {
      ...options,
      groupOf: (labels) => {
        const group = groups.get(labels) ?? groupOf(labels, { analyzer, hasDigest: schedule !== undefined, ownerOf });
        groups.set(labels, group);
        return group;
      },
    };
    this.#ledger = initial.ledger;
    this.#sentAt = new Map(initial.sentAt);
    this.#frozen = new Map(initial.frozen);
    this.#failures = createFailures(receiver, target, log);
    this.#startedAt = now();
    this.#keeper = createLedgerKeeper({
      sendResolved,
      unknownHold,
      onForgotten: (labels) => {
        counts.dropped += 1;
        log.warn({ receiver, target, labels }, 'the end of an alert could not be delivered for a week, and is dropped');
      },
    });
  }

  /** Takes the alerts of an evaluation. */
  take(handOver: HandOver): void {
    const { alerts, evaluated } = handOver;
    const firing = [...alerts.values()].filter(({ state }) => state === 'firing');
    this.#isInhibited = createInhibitor(firing.map(({ labels }) => labels));
    const lacking = evaluated.filter(({ evaluation }) => evaluation.hasNoData).map(({ rule }) => rule.id);
    const without = this.#withoutData;
    this.#withoutData = new Set(lacking.filter((id) => without === undefined || without.has(id)));
    this.#alerts = alerts;
    const before = this.#ledger;
    const after = this.#keeper.take(before, handOver, this.#isInhibited);
    const isChanged =
      after.size !== before.size || [...after].some(([key, entry]) => hasChanged(before.get(key), entry));
    this.#ledger = after;
    if (isChanged) void this.#options.save();
    void this.#run();
  }

  state(): ReceiverState {
    return { ledger: this.#ledger, sentAt: this.#sentAt, frozen: this.#frozen };
  }

  status(): ReceiverStatus {
    const { channel, counts, now } = this.#options;
    const failure = this.#failures.current();
    return {
      receiver: channel.receiver,
      target: channel.target,
      lastSuccess: counts.lastSuccess,
      failing: failure && { since: failure.since, reason: failure.reason },
      waiting: this.#jobs().filter(({ dueAt }) => dueAt <= now()).length,
    };
  }

  /** Ends the message that is being sent within some seconds. All others are kept. */
  async stop(seconds: number): Promise<void> {
    const limit = setTimeout(() => this.#stopping.abort(), seconds * 1000);
    clearTimeout(this.#timer);
    await this.#run();
    clearTimeout(limit);
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#options.channel.close();
  }

  readonly #run = createLatestOnly(async () => {
    const { channel, now, log } = this.#options;
    const { signal } = this.#stopping;
    clearTimeout(this.#timer);
    let all: readonly Job[] = [];
    try {
      for (;;) {
        if (signal.aborted) return;
        all = this.#jobs();
        const next = this.#nextOf(all, now());
        if (next === undefined || next.at > now()) break;
        await this.#attempt(next.job);
      }
    } catch (error) {
      const { receiver, target } = channel;
      log.error({ receiver, target, err: error }, 'messages failed unexpectedly');
      this.#failures.fail(now(), 'internal error, see the log');
    }
    this.#prune(all, now());
    const at = this.#nextOf(all, now())?.at ?? Number.POSITIVE_INFINITY;
    const wait = Math.min(Math.max(at - now(), 0.01), 3600);
    if (!signal.aborted) this.#timer = setTimeout(() => void this.#run(), wait * 1000);
  });

  #jobs(): readonly Job[] {
    const known = {
      now: this.#options.now(),
      ledger: this.#ledger,
      sentAt: this.#sentAt,
      isInhibited: this.#isInhibited,
      isSettled: (entry: Entry) => this.#isSettled(entry),
      isDigestEarly: this.#isDigestEarly(),
    };
    const certain = dueGroups(known, this.#groupOptions)
      .filter(({ group }) => !this.#frozen.has(group.key))
      .map((due): Job => ({ key: due.group.key, dueAt: due.dueAt, write: () => this.#writeGroup(due) }));
    const repeated = [...this.#frozen.values()].map(
      (message): Job => ({ key: message.key, dueAt: message.at, write: async () => message }),
    );
    return [...repeated, ...certain];
  }

  /** Whether alerts that a digest would list are still to fire after the start. */
  #isDigestEarly(): boolean {
    if (this.#options.now() - this.#startedAt >= DIGEST_WAIT) return false;
    return this.#alerts.values().some(({ state, labels }) => state === 'pending' && isForDigest(labels));
  }

  /** Whether the state of an alert is known since the start. */
  #isSettled({ rule }: Entry): boolean {
    if (this.#withoutData === undefined) return false;
    return !this.#withoutData.has(rule) || this.#options.now() - this.#startedAt >= DATA_WAIT;
  }

  async #writeGroup({ group, members, isReminder }: DueGroup): Promise<Frozen> {
    const notices = members.map(([key, entry]) => noticeOf(key, entry, this.#alerts.get(key)));
    const covered = notices.map(({ key, episodes }) => ({
      key,
      episodes: episodes.map(({ startsAt, state }) => ({ startsAt, state })),
    }));
    const { channel, now } = this.#options;
    const at = now();
    const id = hash('sha256', JSON.stringify([this.receiver, group.key, at, covered])).slice(0, 32);
    return { key: group.key, id, at, covered, ...(await channel.writeGroup({ group, notices, isReminder }, id, at)) };
  }

  /** The next job and when it can be tried. Those that have not failed come first. */
  #nextOf(all: readonly Job[], at: number): { readonly job: Job; readonly at: number } | undefined {
    const failures = this.#failures;
    const candidates = all.map((job) => ({ job, at: Math.max(job.dueAt, failures.retryAt(job.key)) }));
    const due = candidates.filter((candidate) => candidate.at <= at);
    const rank = ({ job }: { readonly job: Job }): number => (failures.hasFailed(job.key) ? 1 : 0);
    const ready = due.sort((a, b) => rank(a) - rank(b) || a.job.dueAt - b.job.dueAt);
    return ready[0] ?? candidates.sort((a, b) => a.at - b.at)[0];
  }

  async #attempt(job: Job): Promise<void> {
    const { channel, save } = this.#options;
    const wasFrozen = this.#frozen.has(job.key);
    const message = await job.write();
    this.#frozen.set(message.key, message);
    if (!wasFrozen) await save();
    this.#onOutcome(message, await channel.send(message, this.#stopping.signal), wasFrozen);
    await save();
  }

  /** @param wasFrozen whether it may have arrived at an earlier attempt */
  #onOutcome(message: Frozen, outcome: SendOutcome, wasFrozen: boolean): void {
    if (outcome.is === 'accepted') {
      this.#onAccepted(message, outcome.refused);
      return;
    }
    const { counts, now } = this.#options;
    const failures = this.#failures;
    const isUnknown = outcome.is === 'unknown';
    // nobody has it: the next attempt says what is true then
    if (wasFrozen ? message.at < now() - FROZEN_KEEP : !isUnknown) this.#frozen.delete(message.key);
    if (this.#stopping.signal.aborted) return;
    counts.errors += 1;
    if (isUnknown || !outcome.isAboutMessage) failures.fail(now(), outcome.reason);
    else failures.work();
    if (isUnknown || outcome.isAboutMessage) failures.failMessage(message.key, now(), outcome.reason);
  }

  #onAccepted(message: Frozen, refused: Extract<SendOutcome, { is: 'accepted' }>['refused']): void {
    const { channel, counts, now, log } = this.#options;
    const { receiver, target } = channel;
    this.#failures.work();
    const isRefused = new Map(refused.map((one) => [one.recipient.setting, one]));
    for (const { setting } of message.to) if (!isRefused.has(setting)) this.#refusedSettings.delete(setting);
    for (const { recipient, isPermanent, reason } of refused) {
      counts.errors += 1;
      if (!isPermanent || this.#refusedSettings.has(recipient.setting)) continue;
      this.#refusedSettings.add(recipient.setting);
      log.warn({ receiver, target, setting: recipient.setting, reason }, 'address refused by the mail server');
    }
    this.#settle(message);
    const later = refused.filter(({ isPermanent }) => !isPermanent);
    const [first] = later;
    if (first === undefined) return;
    // the others have it: only those who could not take it get it again
    const rest = { ...message, key: `${message.key} ${message.id}`, to: later.map(({ recipient }) => recipient) };
    this.#frozen.set(rest.key, { ...rest, covered: [] });
    this.#failures.failMessage(rest.key, now(), `${first.recipient.setting}: ${first.reason}`);
  }

  #settle(message: Frozen): void {
    const { counts, now } = this.#options;
    this.#frozen.delete(message.key);
    this.#ledger = markSent(this.#ledger, message.covered);
    this.#sentAt.set(message.key, now());
    counts.sent += 1;
    counts.lastSuccess = now();
    this.#failures.settle(message.key);
  }

  /** Messages about nothing are forgotten. */
  #prune(all: readonly Job[], at: number): void {
    const keys = groupKeys(this.#ledger, this.#groupOptions);
    for (const [key, last] of this.#sentAt)
      if (!keys.has(key) && last + this.#options.groupInterval <= at) this.#sentAt.delete(key);
    const needed = new Set(all.map(({ key }) => key));
    this.#failures.forget((key) => needed.has(key));
  }
}
