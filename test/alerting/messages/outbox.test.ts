import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AlertState, fingerprint, type Labels, labelsKey } from '../../../src/alerting/alerts/alert.ts';
import type { HandOver } from '../../../src/alerting/alerts/engine.ts';
import type { EvaluatedRule } from '../../../src/alerting/alerts/rule.ts';
import { createRules } from '../../../src/alerting/alerts/rules.ts';
import type { Channel, GroupContent, SendOutcome } from '../../../src/alerting/messages/channel.ts';
import { Outbox, type OutboxOptions } from '../../../src/alerting/messages/outbox.ts';
import {
  createMessageCounts,
  emptyState,
  type Frozen,
  readState,
  stateJson,
} from '../../../src/alerting/messages/receiver-state.ts';
import { endingOf, stateOf as shownStateOf, statusText } from '../../../src/alerting/messages/texts.ts';
import { settingsOf } from '../../support/alert-views.ts';
import { createTestLog } from '../../support/harness.ts';

/** The outbox on a clock of its own, with a channel that keeps what it sends. */

const START = Date.UTC(2026, 10, 18, 6, 0) / 1000;
const HOUR = 3600;
const rules = createRules(settingsOf());
const now = (): number => Date.now() / 1000;

beforeEach(() => {
  vi.useFakeTimers({ now: START * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const alert = (alertname: string, severity: string, more: Labels = {}): Labels => ({ alertname, severity, ...more });
const LIC = { vendor_license: 'a;b' };
const down = alert('LicenseServerDown', 'critical', LIC);
const saturated = alert('LicenseFeatureSaturated', 'warning', { ...LIC, feature: 'f' });
const unreachable = alert('LicenseAnalyzerUnreachable', 'critical');
const soon = (severity: string, owner: string): Labels =>
  alert('LicenseExpiringSoon', severity, { ...LIC, feature: `${severity}-${owner}`, owner });

interface World {
  /** Firing alerts, with the time at which they fired. */
  readonly firing: Map<Labels, number>;
  /** Alerts that go on as others, with how. */
  readonly replaced: Map<Labels, string>;
  readonly pending: Set<Labels>;
  /** Alerts whose condition is unknown. */
  readonly unknown: Set<Labels>;
  /** Names of rules that are not evaluated. */
  readonly disabled: Set<string>;
  hasNoData: boolean;
}

function stateOf(labels: Labels, firedAt: number, state: AlertState['state']): AlertState {
  return {
    rule: `${labels.alertname}/${labels.severity}`,
    labels,
    annotations: { summary: `${labels.alertname}.` },
    value: 1,
    state,
    activeAt: firedAt,
    firedAt,
    keepFiringSince: undefined,
    resolvedAt: undefined,
    knownAt: now(),
    unknownSince: undefined,
    threshold: undefined,
    ending: undefined,
  };
}

/** What the engine hands over. Alerts that do not fire any more are gone, as with `resolve: expire`. */
function handOverOf(world: World): HandOver {
  const states = [
    ...[...world.replaced].map(
      ([labels, as]): AlertState => ({ ...stateOf(labels, START, 'resolved'), resolvedAt: now(), ending: as }),
    ),
    ...[...world.firing].map(([labels, at]) => stateOf(labels, at, 'firing')),
    ...[...world.pending].map((labels) => stateOf(labels, now(), 'pending')),
  ];
  const evaluated = rules
    .filter(({ name }) => !world.disabled.has(name))
    .map(
      (rule): EvaluatedRule => ({
        rule,
        evaluation: {
          findings: [],
          hasNoData: world.hasNoData,
          unknownAbout: new Set([...world.unknown].flatMap(({ vendor_license: name = '' }) => name)),
          isUnknown: (labels) => [...world.unknown].some((one) => fingerprint(one) === fingerprint(labels)),
        },
      }),
    );
  return {
    at: now(),
    alerts: new Map(states.map((state) => [labelsKey(state.labels), { ...state, members: [] }])),
    changes: [],
    evaluated,
  };
}

interface Sent {
  readonly at: number;
  readonly text: string;
  readonly message: Frozen;
}

function start(more: Partial<OutboxOptions> & { readonly sendResolved?: boolean } = {}) {
  const { sendResolved = true, ...changes } = more;
  const sent: Sent[] = [];
  const tried: Sent[] = [];
  const contents: GroupContent[] = [];
  const world: World = {
    firing: new Map(),
    replaced: new Map(),
    pending: new Set(),
    unknown: new Set(),
    disabled: new Set(),
    hasNoData: false,
  };
  const channelState: { outcome: SendOutcome | ((message: Frozen) => SendOutcome) } = {
    outcome: { is: 'accepted', refused: [] },
  };
  const to = [0, 1].map((i) => ({ address: `${i}@example.com`, setting: `alerting.email.to[${i}]` }));
  const channel: Channel = {
    receiver: 'email',
    target: 'smtp.example.com:587',
    sendResolved,
    owners: [],
    ownerOf: ({ owner }) => owner,
    writeGroup: async (content: GroupContent) => {
      const { group, notices, isReminder } = content;
      contents.push(content);
      const about = group.labels.vendor_license ?? group.labels.owner ?? '';
      if (group.kind !== 'digest') return { body: `${about}: ${statusText(notices, isReminder)}`, to };
      const states = notices.map((notice) => `${notice.labels.feature} ${shownStateOf(notice)}`);
      return { body: `digest of ${about}: ${isReminder ? 'still ' : ''}${states.join(', ')}`, to };
    },
    send: async (message) => {
      const { outcome } = channelState;
      const result = typeof outcome === 'function' ? outcome(message) : outcome;
      const entry = { at: now() - START, text: message.body, message };
      tried.push(entry);
      if (result.is === 'accepted') sent.push(entry);
      return result;
    },
    close: async () => {},
  };
  const log = createTestLog();
  let saved: object = {};
  let outbox: Outbox;
  const open = (initial = emptyState): void => {
    outbox = new Outbox({
      channel,
      counts: createMessageCounts(),
      initial,
      schedule: undefined,
      analyzer: 'lic:80',
      unknownHold: HOUR,
      groupWait: 30,
      groupInterval: 300,
      repeatInterval: undefined,
      save: async () => {
        saved = stateJson(outbox.state());
      },
      now,
      log,
      ...changes,
    });
    saved = stateJson(outbox.state());
  };
  open();
  return {
    world,
    channelState,
    sent,
    tried,
    contents,
    log,
    texts: () => sent.map(({ text }) => text),
    status: () => outbox.status(),
    /** Hands over the alerts every 30 seconds. */
    pass: async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 30) {
        outbox.take(handOverOf(world));
        await vi.advanceTimersByTimeAsync(Math.min(30, seconds - passed) * 1000);
      }
      outbox.take(handOverOf(world));
      await vi.advanceTimersByTimeAsync(1);
    },
    /** The file does not have when a group was told last. */
    forgetTimes: () => {
      saved = { ...saved, groups: {} };
    },
    /** A new process continues with what was saved. */
    crash: () => {
      const at = Date.now();
      // it sets the clock back
      vi.clearAllTimers();
      vi.setSystemTime(at);
      const file = JSON.parse(JSON.stringify(saved)) as unknown;
      open(readState(file));
    },
  };
}

const refusal: SendOutcome = { is: 'refused', isAboutMessage: false, reason: 'no connection' };

describe('messages about a vendor license', () => {
  it('wait for further alerts, follow each other at an interval, and are repeated', async () => {
    const { world, pass, sent } = start();
    world.firing.set(down, START);
    await pass(30);
    world.firing.delete(down);
    await pass(HOUR);
    expect(sent.map(({ at, text }) => [at, text])).toEqual([
      [30, 'a;b: server down'],
      // a group interval after the first one
      [330, 'a;b: resolved'],
    ]);
    world.firing.set(unreachable, now());
    await pass(25 * HOUR);
    expect(sent.slice(2).map(({ text }) => text)).toEqual([': analyzer unreachable', ': still analyzer unreachable']);
  });

  it('do not name an alert that another one explains', async () => {
    const { world, pass, texts } = start();
    world.firing.set(saturated, START);
    world.firing.set(down, START);
    await pass(60);
    world.firing.clear();
    await pass(600);
    expect(texts()).toEqual(['a;b: server down', 'a;b: resolved']);
  });

  it('say what happened while the receiver did not answer', async () => {
    const { world, pass, texts, channelState, log, status } = start();
    channelState.outcome = refusal;
    world.firing.set(down, START);
    await pass(600);
    world.firing.delete(down);
    await pass(600);
    world.firing.set(down, now());
    await pass(600);
    world.firing.delete(down);
    await pass(600);
    expect(status()).toEqual({
      receiver: 'email',
      target: 'smtp.example.com:587',
      lastSuccess: undefined,
      failing: { since: expect.any(Number), reason: 'no connection' },
      waiting: 1,
    });
    channelState.outcome = { is: 'accepted', refused: [] };
    await pass(600);
    expect(texts()).toEqual(['a;b: server down, resolved']);
    expect(log.entries.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'messages not delivered'],
      ['info', 'messages are delivered again'],
    ]);
    expect(status()).toMatchObject({ failing: undefined, waiting: 0, lastSuccess: expect.any(Number) });
  });

  it('are the very same if the first one may have arrived, also after a crash', async () => {
    const { world, pass, tried, channelState, crash, sent } = start();
    channelState.outcome = { is: 'unknown', reason: 'connection lost' };
    world.firing.set(down, START);
    await pass(60);
    channelState.outcome = refusal;
    world.firing.delete(down);
    await pass(60);
    crash();
    await pass(60);
    channelState.outcome = { is: 'accepted', refused: [] };
    await pass(900);
    expect(tried.length).toBeGreaterThan(4);
    expect(new Set(tried.slice(0, -1).map(({ message }) => JSON.stringify(message))).size).toBe(1);
    expect(sent.map(({ text }) => text)).toEqual(['a;b: server down', 'a;b: resolved']);
  });

  it('say that there is no data, not that an alert is resolved, and its end when it is known', async () => {
    const { world, pass, texts } = start();
    world.firing.set(down, START);
    await pass(60);
    world.firing.delete(down);
    world.unknown.add(down);
    await pass(HOUR - 60);
    expect(texts()).toEqual(['a;b: server down']);
    await pass(600);
    expect(texts().slice(1)).toEqual(['a;b: no data about 1 alert']);
    world.unknown.clear();
    await pass(600);
    expect(texts().slice(2)).toEqual(['a;b: resolved']);
  });

  it('continue after a long outage with what was sent before it', async () => {
    const { world, pass, texts, crash } = start();
    world.firing.set(down, START);
    await pass(60);
    crash();
    // the engine has not restored the alert, and it must hold again for some time
    world.unknown.add(down);
    await pass(120);
    world.pending.add(down);
    world.unknown.clear();
    await pass(300);
    world.pending.clear();
    world.firing.set(down, now());
    await pass(600);
    expect(texts()).toEqual(['a;b: server down']);
    world.firing.clear();
    await pass(600);
    expect(texts().slice(1)).toEqual(['a;b: resolved']);
  });

  it('wait after a start until the data is known', async () => {
    const { world, pass, texts, crash, channelState } = start();
    channelState.outcome = refusal;
    world.firing.set(down, START);
    await pass(60);
    crash();
    channelState.outcome = { is: 'accepted', refused: [] };
    world.hasNoData = true;
    await pass(120);
    expect(texts()).toEqual([]);
    world.hasNoData = false;
    world.firing.clear();
    await pass(60);
    expect(texts()).toEqual(['a;b: server down, resolved']);
  });

  it('without the ends, if they are not wanted', async () => {
    const { world, pass, texts } = start({ sendResolved: false });
    world.firing.set(down, START);
    await pass(60);
    world.firing.clear();
    await pass(600);
    world.firing.set(down, now());
    await pass(600);
    expect(texts()).toEqual(['a;b: server down', 'a;b: server down']);
  });

  it('that are refused do not stop others, and are tried again', async () => {
    const { world, pass, texts, channelState, log, status } = start();
    channelState.outcome = ({ body }) =>
      body.startsWith('a;b')
        ? { is: 'refused', isAboutMessage: true, reason: 'spam' }
        : { is: 'accepted', refused: [] };
    world.firing.set(down, START);
    await pass(60);
    world.firing.set(unreachable, now());
    await pass(600);
    expect(texts()).toEqual([': analyzer unreachable']);
    expect(status()).toMatchObject({ failing: { reason: 'spam' }, waiting: 1 });
    expect(log.entries.map(({ message }) => message)).toEqual(['message not delivered']);
    channelState.outcome = { is: 'accepted', refused: [] };
    await pass(600);
    expect(texts()).toEqual([': analyzer unreachable', 'a;b: server down']);
    expect(status().failing).toBeUndefined();
  });

  it('reach an address that was busy later, and name the setting of one that does not exist once', async () => {
    const { world, pass, sent, channelState, log } = start();
    channelState.outcome = ({ to: [first, second] }) => ({
      is: 'accepted',
      refused: second === undefined ? [] : [{ recipient: first as never, isPermanent: false, reason: '450 busy' }],
    });
    world.firing.set(down, START);
    await pass(120);
    expect(sent.map(({ message }) => [message.id, message.to.map(({ address }) => address)])).toEqual([
      [sent[0]?.message.id, ['0@example.com', '1@example.com']],
      [sent[0]?.message.id, ['0@example.com']],
    ]);
    channelState.outcome = ({ to: [, second] }) => ({
      is: 'accepted',
      refused: [{ recipient: second as never, isPermanent: true, reason: '550 no such user' }],
    });
    world.firing.clear();
    await pass(600);
    world.firing.set(down, now());
    await pass(600);
    const refused = log.entries.filter(({ message }) => message === 'address refused by the mail server');
    expect(refused.map(({ fields }) => [fields.setting, fields.reason])).toEqual([
      ['alerting.email.to[1]', '550 no such user'],
    ]);
  });

  it('are dropped after a week without an answer, and that is said', async () => {
    const { world, pass, texts, channelState, log } = start();
    channelState.outcome = refusal;
    world.firing.set(down, START);
    await pass(60);
    world.firing.clear();
    await pass(60);
    await vi.advanceTimersByTimeAsync(8 * 24 * HOUR * 1000);
    await pass(60);
    channelState.outcome = { is: 'accepted', refused: [] };
    await pass(600);
    expect(texts()).toEqual([]);
    expect(log.entries.map(({ message }) => message)).toContain(
      'the end of an alert could not be delivered for a week, and is dropped',
    );
  });
});

describe('the end of a message is not called resolved', () => {
  it('while the condition of one of the features that it sums up is unknown', async () => {
    const { world, pass, texts } = start();
    const queued = alert('LicenseRequestsQueued', 'warning', LIC);
    world.firing.set(queued, START);
    await pass(60);
    world.firing.clear();
    // the labels of a feature are not those of its alert
    world.unknown.add({ ...queued, feature: 'f', version: '1.0' });
    await pass(2 * HOUR);
    expect(texts()).toEqual(['a;b: requests queued', 'a;b: no data about 1 alert']);
  });

  const expiring = (severity: string): Labels =>
    alert('LicenseExpiringSoon', severity, { ...LIC, feature: 'f', expires: '2026-11-25' });
  const expired = { ...expiring('critical'), alertname: 'LicenseExpired' };
  const ownedBy = (owner: string): Labels => ({ ...down, owner });
  const toOwners = (sent: readonly Sent[]) =>
    sent.map(({ text, message }) => `${/owner="(.*?)"/.exec(message.key)?.[1]} ${text}`);

  it('if the alert goes on with another severity, or its license has expired', async () => {
    const { world, pass, contents, crash } = start();
    const warning = expiring('warning');
    world.firing.set(warning, START);
    await pass(600);
    world.firing.set(expiring('critical'), now());
    world.firing.delete(warning);
    world.replaced.set(warning, 'now critical');
    await pass(30);
    world.replaced.clear();
    // it is saved how it goes on, which is not known any more when the message is written
    await pass(30);
    crash();
    world.firing.clear();
    world.firing.set(expired, now());
    world.replaced.set(expiring('critical'), 'now expired');
    await pass(900);
    const said = contents.map(({ notices }) =>
      notices.map((notice) => `${notice.labels.severity} ${shownStateOf(notice)} ${endingOf(notice)}`.trim()),
    );
    expect(said).toEqual([
      ['warning firing'],
      ['warning replaced now critical', 'critical replaced now expired', 'critical firing'],
    ]);
  });

  it('for its former owner, and it is new for the next one, once', async () => {
    const { world, pass, sent, crash } = start();
    world.firing.set(ownedBy('cad'), START);
    await pass(600);
    world.firing.clear();
    world.firing.set(ownedBy('cfd'), START);
    world.replaced.set(ownedBy('cad'), 'now with cfd');
    await pass(60);
    crash();
    await pass(900);
    world.replaced.clear();
    world.firing.clear();
    await pass(900);
    expect(toOwners(sent)).toEqual([
      'cad a;b: server down',
      'cad a;b: now with cfd',
      'cfd a;b: server down',
      'cfd a;b: resolved',
    ]);
  });

  it('if its rule is not evaluated any more, and it is when the rule is evaluated again', async () => {
    const { world, pass, texts } = start();
    world.firing.set(down, START);
    await pass(600);
    world.firing.clear();
    world.disabled.add('LicenseServerDown');
    await pass(2 * HOUR);
    expect(texts()).toEqual(['a;b: server down', 'a;b: no data about 1 alert']);
    world.disabled.clear();
    await pass(600);
    expect(texts().slice(2)).toEqual(['a;b: resolved']);
  });
});

describe('digests', () => {
  const DAY = 24 * HOUR;
  /** At seven each day; the clock of the test starts at six. */
  const schedule = {
    nextRun: (after: number) => Math.floor((after - 7 * HOUR) / DAY + 1) * DAY + 7 * HOUR,
    dayStart: (at: number) => Math.floor(at / DAY) * DAY,
  };

  const denied = (feature: string, owner = 'cad'): Labels =>
    alert('LicenseDenials', 'warning', { ...LIC, feature, owner });

  it('are sent to each owner at their time, once, and only if something has begun', async () => {
    const { world, pass, sent } = start({ schedule });
    await pass(25 * HOUR);
    expect(sent).toEqual([]);
    world.firing.set(soon('warning', 'cad'), now());
    world.firing.set(soon('info', 'cad'), now());
    world.firing.set(denied('f'), now());
    world.firing.set(soon('warning', 'cfd'), now());
    await pass(50 * HOUR);
    expect(sent.map(({ at, text }) => [at / HOUR, text])).toEqual([
      [49, 'digest of cad: warning-cad firing, info-cad firing, f firing'],
      [49, 'digest of cfd: warning-cfd firing'],
    ]);
  });

  it('say again after five days what goes on, but not what is only for information', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(soon('warning', 'cad'), START);
    world.firing.set(soon('info', 'cfd'), START);
    await pass(12 * DAY);
    expect(sent.map(({ at, text }) => [Math.floor(at / DAY), text])).toEqual([
      [0, 'digest of cad: warning-cad firing'],
      [0, 'digest of cfd: info-cfd firing'],
      [5, 'digest of cad: still warning-cad firing'],
      [10, 'digest of cad: still warning-cad firing'],
    ]);
  });

  it('name what began and ended since the last one, and send no message for an end alone', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(denied('first'), START);
    await pass(2 * HOUR);
    world.firing.delete(denied('first'));
    world.firing.clear();
    await pass(DAY);
    expect(sent.map(({ text }) => text)).toEqual(['digest of cad: first firing']);
    const short = denied('short');
    world.firing.set(short, now());
    await pass(HOUR);
    world.firing.clear();
    await pass(DAY);
    expect(sent.slice(1).map(({ text }) => text)).toEqual(['digest of cad: first resolved, short resolved']);
    await pass(8 * DAY);
    expect(sent).toHaveLength(2);
  });

  it('say an end only in their hour, however long ago the last one was', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(soon('info', 'cad'), START);
    await pass(15 * DAY);
    expect(sent).toHaveLength(1);
    await pass(7 * HOUR);
    world.firing.clear();
    await pass(5 * HOUR);
    expect(sent).toHaveLength(1);
    await pass(DAY);
    expect(sent.slice(1).map(({ at, text }) => [Math.round((at % DAY) / HOUR), text])).toEqual([
      [1, 'digest of cad: info-cad resolved'],
    ]);
  });

  it('say after five days that all of it is over', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(denied('f'), START);
    await pass(2 * HOUR);
    world.firing.clear();
    await pass(8 * DAY);
    expect(sent.map(({ at, text }) => [Math.floor(at / DAY), text])).toEqual([
      [0, 'digest of cad: f firing'],
      [5, 'digest of cad: f resolved'],
    ]);
  });

  it('do not keep critical ones waiting, and do not name them', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(soon('critical', 'cad'), START);
    world.firing.set(soon('warning', 'cad'), START);
    await pass(2 * HOUR);
    expect(sent.map(({ at, text }) => [at, text])).toEqual([
      [300, 'cad: expiring soon'],
      [HOUR, 'digest of cad: warning-cad firing'],
    ]);
  });

  it('do not name what another alert explains', async () => {
    const { world, pass, sent } = start({ schedule });
    world.firing.set(alert('LicenseRequestsQueued', 'warning', { ...LIC, feature: 'f', owner: 'cad' }), START);
    world.firing.set(down, START);
    await pass(2 * HOUR);
    expect(sent.map(({ text }) => text)).toEqual(['a;b: server down']);
  });

  it('that were missed are sent after the start, when the alerts are known, but not on the next day', async () => {
    const { world, pass, sent, crash } = start({ schedule });
    await pass(60);
    const early = denied('early');
    world.firing.set(early, now());
    await pass(60);
    crash();
    await vi.advanceTimersByTimeAsync(3 * HOUR * 1000);
    crash();
    world.pending.add(soon('warning', 'cad'));
    await pass(900);
    expect(sent).toEqual([]);
    world.pending.clear();
    world.firing.set(soon('warning', 'cad'), START);
    await pass(60);
    expect(sent.map(({ text }) => text)).toEqual(['digest of cad: early firing, warning-cad firing']);
    world.firing.set(denied('late'), now());
    await pass(60);
    crash();
    // the digest of the next day is missed, and it is night
    await vi.advanceTimersByTimeAsync(2 * DAY * 1000 - (now() % DAY) * 1000 + 60_000);
    crash();
    await pass(HOUR);
    expect(sent).toHaveLength(1);
    await pass(7 * HOUR);
    expect(sent.slice(1).map(({ text }) => text)).toEqual([
      'digest of cad: early firing, warning-cad firing, late firing',
    ]);
  });

  it('that could not be sent are sent later, also after a crash, and to nobody twice', async () => {
    const { world, pass, texts, channelState, crash } = start({ schedule });
    world.firing.set(soon('warning', 'cad'), START);
    world.firing.set(soon('warning', 'cfd'), START);
    channelState.outcome = ({ body }) => (body.includes('cad') ? { is: 'accepted', refused: [] } : refusal);
    await pass(2 * HOUR);
    crash();
    channelState.outcome = { is: 'accepted', refused: [] };
    await pass(HOUR);
    expect(texts()).toEqual(['digest of cad: warning-cad firing', 'digest of cfd: warning-cfd firing']);
  });
});

describe('messages follow the table of classes', () => {
  const DAY = 24 * HOUR;

  it('critical ones each day, warnings after two days, and what is lost once', async () => {
    const times = async (labels: Labels) => {
      const { world, pass, sent } = start();
      world.firing.set(labels, now());
      const from = now();
      await pass(5 * DAY);
      return sent.map(({ at }) => Math.round((START + at - from) / DAY));
    };
    expect(await times(down)).toEqual([0, 1, 2, 3, 4]);
    expect(await times(alert('LicenseCollectionStale', 'warning', LIC))).toEqual([0, 2, 4]);
    expect(await times(alert('LicenseFeatureVanished', 'warning', LIC))).toEqual([0]);
    expect(await times(alert('LicenseDenials', 'info', LIC))).toEqual([]);
  });

  it('also after an update, or other settings, of which the last message is not known', async () => {
    const { world, pass, sent, crash, forgetTimes } = start();
    world.firing.set(down, START);
    await pass(60);
    forgetTimes();
    crash();
    await pass(DAY);
    expect(sent.map(({ text }) => text)).toEqual(['a;b: server down', 'a;b: still server down']);
  });

  it('unless the settings say how often', async () => {
    const { world, pass, sent } = start({ repeatInterval: 12 * HOUR });
    world.firing.set(down, START);
    await pass(DAY + 60);
    expect(sent.map(({ at }) => Math.round(at / HOUR))).toEqual([0, 12, 24]);
  });

  it('one about all sources that fail', async () => {
    const { world, pass, contents } = start();
    const source = (name: string): Labels =>
      alert('LicenseSourceDown', 'critical', { license_source: name, vendor_license: `${name};d` });
    world.firing.set(source('a'), START);
    world.firing.set(source('b'), START);
    await pass(60);
    expect(contents.map(({ notices }) => notices.map(({ labels }) => labels.license_source))).toEqual([['a', 'b']]);
  });
});
