import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Labels } from '../../../src/alerting/alerts/alert.ts';
import type { Alertmanager, Outcome } from '../../../src/alerting/alerts/alertmanager.ts';
import { createCounts } from '../../../src/alerting/alerts/delivery.ts';
import { AlertEngine, type EngineOptions } from '../../../src/alerting/alerts/engine.ts';
import { Listed } from '../../../src/alerting/alerts/listed.ts';
import { createStateFile, type SavedAlerts, type StateFile } from '../../../src/alerting/alerts/state-file.ts';
import { alerting as alertingSection } from '../../../src/alerting/settings.ts';
import { noOwners, type Owners } from '../../../src/base/model/owners.ts';
import type { Snapshot } from '../../../src/base/model/snapshot.ts';
import { sectionDefaults } from '../../../src/base/settings/table.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import { stampOf } from '../../../src/base/storage/stamp.ts';
import { CurrentInventory } from '../../../src/exporter/inventory/current.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { alertsJson } from '../../../src/site/pages/api/route.ts';
import { alertsPageOf } from '../../support/alert-page.ts';
import { policy, settingsOf } from '../../support/alert-views.ts';
import { deriveInventoryNow } from '../../support/derived-inventory.ts';
import { isLong } from '../../support/extent.ts';
import type { SentAlert } from '../../support/fake-alertmanager.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product } from '../../support/scenario.ts';
import { createHangingFile } from './hanging-file.ts';

/** The engine on a clock of its own, with an Alertmanager that keeps the requests. */

beforeEach(() => {
  vi.useFakeTimers({ now: NOW * 1000 });
});
const cleanup = createCleanup();
afterEach(() => {
  vi.useRealTimers();
  return cleanup.run();
});

const LIC = 'lic01;cdslmd';
const now = (): number => Date.now() / 1000;
const advance = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

interface Sent extends SentAlert {
  readonly at: number;
}

interface Stub extends Alertmanager {
  /** Alerts of every accepted request. */
  readonly sent: Sent[];
  /** Times of accepted requests, heartbeats included. */
  readonly requests: number[];
  outcome: Outcome;
}

function createStub(): Stub {
  const stub: Stub = {
    url: 'http://am:9093',
    sent: [],
    requests: [],
    outcome: { is: 'accepted' },
    status: async () => ({ is: 'accepted' }),
    post: async (write) => {
      if (stub.outcome.is === 'accepted') {
        stub.requests.push(now());
        for (const alert of JSON.parse(write(0)) as SentAlert[]) stub.sent.push({ ...alert, at: now() });
      }
      return stub.outcome;
    },
    close: async () => {},
  };
  return stub;
}

/** A file in memory, and how often it was written. */
function createMemoryFile(): StateFile & { content: SavedAlerts | undefined; saves: number } {
  const file: ReturnType<typeof createMemoryFile> = {
    content: undefined,
    saves: 0,
    load: () => file.content,
    save: async (saved) => {
      file.saves += 1;
      file.content = JSON.parse(
        JSON.stringify({ ...saved, analyzer: 'lic.example.com:8443', complete: [...saved.complete] }),
      ) as SavedAlerts;
    },
  };
  return file;
}

type Down = boolean | 'unknown';

/** What the analyzer says: one server, one feature of it. */
function snapshotOf(isDown: Down, inUse: number | undefined): Snapshot {
  const at = now();
  const { endpoints } = createSnapshot({
    products: good(answer([product({ collectionTime: at })]), at),
    down: isDown === 'unknown' ? failed() : good(answer(isDown ? [{ label: LIC }] : []), at),
    features: {
      '': good(answer([feature({ inUse, maxAvailable: 10, licenseExpiration: Number.POSITIVE_INFINITY })]), at),
    },
    expirations: { [LIC]: good(answer([]), at) },
    users: good(1, at),
  });
  return { at, endpoints };
}

interface World {
  down: Down;
  inUse: number | undefined;
  authenticated: boolean | undefined;
}

/** Options of the engine, and what it reads. */
type Changes = Partial<EngineOptions> & { readonly inventory?: () => Inventory | undefined };

function start(more: Partial<EngineOptions> & { settings?: object } = {}) {
  const world: World = { down: false, inUse: 1, authenticated: true };
  const stub = createStub();
  const log = createTestLog();
  const derive = () => deriveInventoryNow(snapshotOf(world.down, world.inUse), now(), policy);
  const create = ({ inventory = derive, ...changes }: Changes = {}): AlertEngine =>
    new AlertEngine({
      ...sectionDefaults(alertingSection),
      inventory,
      authenticated: () => world.authenticated,
      rules: settingsOf({ LicenseServerDown: { keep_firing_for: '5m' }, ...more.settings }),
      ignore: [],
      targets: [{ alertmanager: stub, counts: createCounts() }],
      evaluationInterval: 30,
      resendDelay: 60,
      unknownHold: 3600,
      resolve: 'explicit',
      analyzer: 'lic.example.com:8443',
      shard: '',
      externalLabels: { site: 'muc' },
      owners: () => noOwners,
      sources: () => undefined,
      recording: () => undefined,
      notConfigured: () => new Set(),
      forecasts: () => undefined,
      denied: () => undefined,

      timeZone: 'Europe/Berlin',
      runbookUrl: (name) => `https://wiki.example.com/runbooks.md#${name.toLowerCase()}`,
      generatorUrl: 'http://exporter:10319/alerts',
      owned: { ownsVendorLicense: () => true, ownsFeature: () => true },
      listed: new Listed(),
      listedFile: undefined,
      isSeriesLimited: () => false,
      isReloadRefused: () => false,
      stateFile: undefined,
      handOver: () => {},
      initial: undefined,
      now,
      log,
      ...more,
      ...changes,
    });
  return { world, stub, log, create, engine: create() };
}

const isFiring = ({ at, endsAt }: Sent): boolean => Date.parse(endsAt) / 1000 > at;

describe('the engine', () => {
  it('sends the alert of a server that is down, sends it again, and resolves it', async () => {
    const { engine, world, stub } = start();
    await engine.start();
    world.down = true;
    await engine.evaluate();
    await advance(0);
    expect(stub.sent).toEqual([
      {
        at: NOW,
        labels: {
          alertname: 'LicenseServerDown',
          severity: 'critical',
          vendor_license: LIC,
          source: 'license-exporter',
          analyzer: 'lic.example.com:8443',
          site: 'muc',
        },
        annotations: {
          summary: 'License server lic01;cdslmd is down.',
          description: expect.stringContaining('lic01;cdslmd'),
          impact: expect.stringContaining('If it is down'),
          step: expect.stringMatching(/^Check whether the license server/),
          runbook_url: 'https://wiki.example.com/runbooks.md#licenseserverdown',
        },
        startsAt: '2027-01-15T08:00:00.000Z',
        // an hour, in which the exporter may be gone
        endsAt: '2027-01-15T09:00:00.000Z',
        generatorURL: expect.stringMatching(/^http:\/\/exporter:10319\/alerts\?alert=(alert-[0-9a-f]{16})#\1$/),
      },
    ]);
    await advance(180);
    expect(stub.sent.map(({ at }) => at - NOW)).toEqual([0, 60, 120, 180]);
    expect(new Set(stub.sent.map(({ startsAt }) => startsAt)).size).toBe(1);
    world.down = false;
    // kept for 5 minutes
    await advance(270);
    expect(stub.sent.every(isFiring)).toBe(true);
    await advance(60);
    expect(isFiring(stub.sent.at(-1) as Sent)).toBe(false);
    const resolved = stub.sent.filter((alert) => !isFiring(alert));
    expect(new Set(resolved.map(({ endsAt }) => endsAt)).size).toBe(1);
    // resolved alerts are sent to Alertmanager, and not shown
    expect(engine.status().alerts.map(({ state }) => state)).toEqual(['resolved']);
    expect(alertsJson(engine.status())).toEqual({ status: 'success', data: { alerts: [] } });
    await advance(3600);
    // sent for 15 minutes
    const last = stub.sent.at(-1)?.at ?? 0;
    const first = resolved[0]?.at ?? 0;
    expect(last - first).toBeGreaterThan(13 * 60);
    expect(last - first).toBeLessThanOrEqual(15 * 60);
    await engine.stop();
  });

  it('sends to each Alertmanager by itself: one that hangs does not block the others', async () => {
    const hanging = { ...createStub(), post: () => new Promise<Outcome>(() => {}) };
    const { create, stub, world } = start();
    world.down = true;
    const engine = create({
      targets: [hanging, stub].map((alertmanager) => ({ alertmanager, counts: createCounts() })),
    });
    await engine.start();
    await advance(120);
    expect(stub.sent.map(({ at }) => at - NOW)).toEqual([0, 60, 120]);
    expect(engine.status().deliveries.map((delivery) => delivery.queueLength())).toEqual([1, 0]);
    expect(engine.status().active).toContain('LicenseServerDown');
  });

  it('keeps its alerts in Alertmanager for as long as data may be unknown', async () => {
    const { engine, world, stub } = start({ unknownHold: 1000 });
    world.down = true;
    await engine.start();
    await advance(120);
    world.down = 'unknown';
    await advance(960);
    const about = stub.sent.filter(({ labels }) => labels.alertname === 'LicenseServerDown');
    const ends = about.map(({ at, endsAt }) => [at - NOW, Date.parse(endsAt) / 1000 - NOW]);
    expect(ends.slice(0, 3)).toEqual([
      [0, 1000],
      [60, 1060],
      [120, 1120],
    ]);
    // not known since 150: the last good evaluation is at 120
    expect(ends.slice(3, 14)).toEqual(ends.slice(3, 14).map(([at]) => [at, 1150]));
    // but never shorter than four resend delays
    expect(ends.at(-1)).toEqual([1080, 1320]);
    await engine.stop();
  });

  it('sends a resolved alert until an Alertmanager that was gone has accepted it', async () => {
    const { engine, world, stub } = start({ settings: { LicenseServerDown: { keep_firing_for: '0s' } } });
    world.down = true;
    await engine.start();
    await advance(60);
    stub.outcome = { is: 'failed', status: undefined, reason: 'no' };
    world.down = false;
    await advance(1800);
    stub.outcome = { is: 'accepted' };
    await advance(60);
    expect(isFiring(stub.sent.at(-1) as Sent)).toBe(false);
    await advance(60);
    expect(engine.status().alerts).toEqual([]);
    await engine.stop();
  });

  it('names who acts on a vendor license or feature, and links to a silence', async () => {
    const owned: Owners = {
      names: ['owner', 'team', 'severity'],
      of: (vendorLicense, name) => ({ owner: `${vendorLicense} ${name}`, team: '', severity: 'none' }),
    };
    let owners = owned;
    const { create, stub, world } = start({ settings: { LicenseFeatureSaturated: { for: '0s' } } });
    world.inUse = 10;
    const ignore = [[{ label: 'owner', operator: '=', value: 'nobody' }]] as const;
    const engine = create({ owners: () => owners, alertmanagerExternalUrl: 'https://am.example.com', ignore });
    await engine.start();
    owners = noOwners;
    world.down = 'unknown';
    await advance(660);
    const last = (name: string) => stub.sent.findLast(({ labels }) => labels.alertname === name);
    const saturated = last('LicenseFeatureSaturated');
    expect(saturated?.labels).toMatchObject({ severity: 'info', owner: `${LIC} base`, site: 'muc' });
    expect(Object.keys(saturated?.labels ?? {})).not.toContain('team');
    expect(Object.keys(last('LicenseAnalyzerUnreachable')?.labels ?? {})).not.toContain('owner');
    const silence = new URL((saturated?.annotations.silence_url ?? '').replace('/#', ''));
    expect(silence.pathname).toBe('/silences/new');
    expect(silence.searchParams.get('filter')).toBe(
      `{alertname="LicenseFeatureSaturated",severity="info",vendor_license="${LIC}",analyzer="lic.example.com:8443"}`,
    );
    await engine.stop();
    world.inUse = 10;
    world.down = false;
    owners = { ...owned, of: () => ({ owner: 'nobody' }) };
    const next = create({ owners: () => owners, ignore });
    await next.start();
    expect(next.status().alerts).toEqual([]);
    await next.stop();
  });

  it('with resolve: expire only stops sending', async () => {
    const { engine, world, stub } = start({ resolve: 'expire' });
    world.down = true;
    await engine.start();
    world.down = false;
    await advance(3600);
    expect(stub.sent.length).toBeGreaterThan(4);
    expect(stub.sent.every(isFiring)).toBe(true);
    expect((stub.sent.at(-1)?.at ?? 0) - NOW).toBeLessThan(400);
    // and Alertmanager does not keep it
    for (const { at, endsAt } of stub.sent) expect(Date.parse(endsAt) / 1000 - at).toBe(240);
    await engine.stop();
  });

  it('holds an alert for a day while nothing is known about servers, and never resolves it', async () => {
    const { engine, world, stub } = start({ evaluationInterval: 300, resendDelay: 300 });
    world.down = true;
    await engine.start();
    world.down = 'unknown';
    await advance(86_000);
    const about = () => stub.sent.filter(({ labels }) => labels.alertname === 'LicenseServerDown');
    expect((about().at(-1)?.at ?? 0) - NOW).toBeGreaterThan(85_000);
    await advance(3600);
    expect((about().at(-1)?.at ?? 0) - NOW).toBeLessThanOrEqual(86_400 + 300);
    expect(about().every(isFiring)).toBe(true);
    // and the loss of the data is an alert of its own
    expect(stub.sent.map(({ labels }) => labels.alertname)).toContain('LicenseAnalyzerUnreachable');
    await engine.stop();
  });

  it('sends heartbeats while there are no alerts', async () => {
    const { engine, stub } = start();
    await engine.start();
    await advance(180);
    expect(stub.requests.map((at) => at - NOW)).toEqual([0, 60, 120, 180]);
    expect(stub.sent).toEqual([]);
    await engine.stop();
    await advance(600);
    expect(stub.requests).toHaveLength(4);
  });

  it('evaluates without an Alertmanager, keeps its file, and leaves the alerts to Prometheus', async () => {
    const stateFile = createMemoryFile();
    const { create, stub, world } = start({ targets: [], stateFile });
    world.down = true;
    const engine = create();
    await engine.start();
    await advance(120);
    expect(engine.status().alerts).toMatchObject([{ state: 'firing' }]);
    expect([...engine.status().active]).toEqual([]);
    expect(stateFile.content?.alerts).toHaveLength(1);
    expect(stub.requests).toEqual([]);
    world.down = false;
    await advance(330);
    expect(engine.status().alerts).toMatchObject([{ state: 'resolved' }]);
    await engine.stop();
  });

  it('opens its gate for Prometheus when nothing was delivered for two resend delays, or a rule has no data', async () => {
    const { engine, world, stub } = start();
    world.down = 'unknown';
    expect([...engine.status().active]).toEqual([]);
    await engine.start();
    await advance(0);
    expect(engine.status().active).toContain('LicenseExpired');
    expect(engine.status().active).not.toContain('LicenseServerDown');
    world.down = false;
    await advance(60);
    expect(engine.status().active).toContain('LicenseServerDown');
    world.down = 'unknown';
    await advance(60);
    expect(engine.status().active).not.toContain('LicenseServerDown');
    expect(engine.status().active).toContain('LicenseExpired');
    world.down = false;
    await advance(60);
    stub.outcome = { is: 'failed', status: 500, reason: 'no' };
    await advance(119);
    expect(engine.status().active).toContain('LicenseServerDown');
    await advance(2);
    expect([...engine.status().active]).toEqual([]);
    await engine.stop();
  });

  it('sends no alert that is ignored', async () => {
    const ignore = [
      [
        { label: 'vendor_license', operator: '=~', value: 'lic0[12];.*' },
        { label: 'alertname', operator: '!=', value: 'LicenseExpired' },
      ],
    ] as const;
    const { engine, world, stub } = start({ ignore });
    world.down = true;
    await engine.start();
    await advance(600);
    expect(stub.sent).toEqual([]);
    await engine.stop();
  });

  it('is not silenced by a clock that is set back', async () => {
    const { engine, world, stub } = start();
    world.down = true;
    await engine.start();
    await advance(90);
    vi.setSystemTime((NOW - 86_400) * 1000);
    const before = stub.sent.length;
    await advance(120);
    expect(stub.sent.length - before).toBeGreaterThanOrEqual(2);
    for (const { startsAt, endsAt } of stub.sent)
      expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(Date.parse(startsAt));
    await engine.stop();
  });

  it('holds its alerts while the inventory is out of date, as after a sleep of the machine', async () => {
    const { create, stub } = start();
    let inventory = deriveInventoryNow(snapshotOf(true, 1), now(), policy);
    const engine = create({ inventory: () => inventory });
    await engine.start();
    inventory = deriveInventoryNow(snapshotOf(false, 1), now(), policy);
    await engine.evaluate();
    // no timer runs meanwhile
    vi.setSystemTime((NOW + 3600) * 1000);
    await engine.evaluate();
    await advance(0);
    expect(engine.status().alerts.map(({ state }) => state)).toEqual(['firing']);
    expect(stub.sent.every(isFiring)).toBe(true);
    inventory = deriveInventoryNow(snapshotOf(false, 1), now(), policy);
    await engine.evaluate();
    await advance(300);
    inventory = deriveInventoryNow(snapshotOf(false, 1), now(), policy);
    await engine.evaluate();
    expect(engine.status().alerts.map(({ state }) => state)).toEqual(['resolved']);
    await engine.stop();
  });

  it('is shown to people with names as they are, and no markup in them', async () => {
    const { create, stub } = start({ settings: { LicenseFeatureSaturated: { for: '0s' } } });
    const records = [feature({ feature: '<b onclick="x()">&\'', inUse: 10, maxAvailable: 10 })];
    const snapshot = createSnapshot({ features: { '': good(answer(records)) } });
    const engine = create({ inventory: () => deriveInventoryNow(snapshot, now(), policy) });
    await engine.start();
    const page = alertsPageOf(engine.status());
    expect(page).toContain('10 of 10 licenses of &lt;b onclick=&quot;x()&quot;&gt;&amp;&#39;');
    const [id = ''] = /alert-[0-9a-f]{16}/.exec(page) ?? [];
    await advance(0);
    expect(stub.sent.map(({ generatorURL }) => generatorURL)).toContain(
      `http://exporter:10319/alerts?alert=${id}#${id}`,
    );
    expect(page).not.toContain('<b ');
    await engine.stop();
  });

  it('sums up the features of a vendor license', async () => {
    const { create, log } = start({ settings: { LicenseFeatureSaturated: { for: '0s' } } });
    const records = Array.from({ length: 501 }, (_, i) => feature({ feature: `f${i}`, inUse: 10, maxAvailable: 10 }));
    const snapshot = createSnapshot({ features: { '': good(answer(records)) } });
    const engine = create({ inventory: () => deriveInventoryNow(snapshot, now(), policy) });
    await engine.start();
    expect(log.entries.map(({ message, fields }) => [message, fields.counts])).toEqual([
      // one alert for all features of the vendor license
      ['alert', undefined],
    ]);
    const page = alertsPageOf(engine.status());
    expect(page).toContain('Nearly all licenses of 501 features of');
    await engine.stop();
  });

  it('logs a failed evaluation once, goes on at its interval, and reports nothing to the inventory', async () => {
    const { create, world, stub, log } = start();
    const snapshot = snapshotOf(true, 1);
    world.down = true;
    let isBroken = true;
    let evaluations = 0;
    const engine = create({
      inventory: () => {
        evaluations += 1;
        if (isBroken) throw new Error('a bug');
        return deriveInventoryNow(snapshot, now(), policy);
      },
    });
    const reported: string[] = [];
    const inventory = new CurrentInventory({
      policy,
      now,
      onProblem: (name) => reported.push(name),
    });
    inventory.subscribe({ name: 'alerts', read: () => engine.evaluate() });
    const messages = () => log.entries.map(({ message }) => message);
    await engine.start();
    expect(messages()).toEqual(['alerts not evaluated']);
    await inventory.commit(snapshot);
    expect(evaluations).toBe(2);
    expect(messages()).toEqual(['alerts not evaluated']);
    expect(reported).toEqual([]);
    inventory.stop();
    isBroken = false;
    await advance(31);
    expect(stub.sent).toHaveLength(1);
    await engine.stop();
  });

  it.each(['cannot be used', 'is missing'])(
    'holds its alerts while the inventory %s, and lets Prometheus take over',
    async (how) => {
      let isLost = false;
      const { create, stub } = start();
      const engine = create({
        inventory: () => {
          if (!isLost) return deriveInventoryNow(snapshotOf(true, 1), now(), policy);
          if (how === 'is missing') return undefined;
          throw new Error('a bug');
        },
      });
      await engine.start();
      await advance(1);
      expect(engine.status().active).toContain('LicenseServerDown');
      const evaluatedAt = engine.status().lastEvaluation?.at;
      isLost = true;
      await advance(600);
      expect(stub.sent.map(({ at }) => at - NOW)).toEqual([0, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600]);
      expect(stub.sent.every(isFiring)).toBe(true);
      expect(engine.status().lastEvaluation?.at).toBe(evaluatedAt);
      // an Alertmanager accepts what is held, but nothing new can fire here
      expect([...engine.status().active]).toEqual([]);
      // no timer runs meanwhile
      vi.setSystemTime((NOW + 86_400 + 60) * 1000);
      await advance(60);
      expect(engine.status().alerts).toEqual([]);
      expect(stub.sent.every(isFiring)).toBe(true);
      await engine.stop();
    },
  );

  it('sends alerts although the disk of its file hangs, and holds up no reader of the inventory', async () => {
    const hanging = createHangingFile(cleanup);
    const problems: string[] = [];
    const log = createTestLog();
    const writes = createFileWrites('alert-state.json', log);
    const stateFile = createStateFile(hanging.path, ['lic.example.com:8443'], {
      writes,
      stamp: () => stampOf(now()),
      log,
    });
    const { create, stub } = start();
    const snapshot = snapshotOf(true, 1);
    const engine = create({ stateFile, inventory: () => inventory.latest() });
    const inventory = new CurrentInventory({
      policy,
      now,
      onProblem: (name) => problems.push(name),
    });
    inventory.subscribe({ name: 'alerts', read: () => engine.evaluate() });
    await engine.start();
    const committed = inventory.commit(snapshot);
    // slices of work have turns of their own, which no fake clock passes
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    await advance(5);
    await committed;
    expect(stub.sent.map(({ labels, at }) => [labels.alertname, at - NOW])).toEqual([['LicenseServerDown', 5]]);
    expect(writes.problem()).toContain('is not written after 5 s');
    // later evaluations do not wait again
    await advance(120);
    expect(stub.sent.map(({ at }) => at - NOW)).toEqual([5, 60, 120]);
    expect([problems, log.entries.length]).toEqual([[], 1]);
    inventory.stop();
    await engine.stop();
  });
});

describe('over a restart', () => {
  it('alerts go on from the file: nothing is sent as new, resolved or begun again', async () => {
    const stateFile = createMemoryFile();
    const { create, engine, world, stub } = start({ stateFile });
    world.down = true;
    world.inUse = 10;
    await engine.start();
    await advance(300);
    await engine.stop();
    expect(stateFile.content?.alerts.map(({ state, labels }) => [labels.alertname, state])).toEqual([
      ['LicenseServerDown', 'firing'],
    ]);
    // usage of a server that is down is withheld
    world.down = false;
    const before = stub.sent.length;
    await advance(120);
    world.down = true;
    const next = create();
    await next.start();
    await advance(60);
    expect(stub.sent.length).toBeGreaterThan(before);
    expect(new Set(stub.sent.map(({ startsAt }) => startsAt)).size).toBe(1);
    expect(stub.sent.every(isFiring)).toBe(true);
    await next.stop();
  });

  it('time without an evaluation does not count for pending alerts', async () => {
    const stateFile = createMemoryFile();
    const { create, engine, world, stub } = start({ stateFile });
    world.inUse = 10;
    await engine.start();
    // of 5 minutes
    await advance(200);
    await engine.stop();
    await advance(1800);
    const next = create();
    await next.start();
    await advance(90);
    expect(stub.sent).toEqual([]);
    await advance(60);
    expect(stub.sent.map(({ labels }) => labels.alertname)).toContain('LicenseFeatureSaturated');
    await next.stop();
  });

  it('a kill loses no more than the time since the last evaluation; a stop not even that', async () => {
    const stateFile = createMemoryFile();
    const { create, engine, world, stub } = start({ stateFile });
    world.inUse = 10;
    await engine.start();
    await advance(210);
    // killed: what it would do at its end never happens
    const kept = stateFile.content;
    await engine.stop();
    stateFile.content = kept;
    const next = create();
    await next.start();
    await advance(120);
    expect(stub.sent.map(({ labels }) => labels.alertname)).toContain('LicenseFeatureSaturated');
    await advance(15);
    await next.stop();
    expect(stateFile.content?.savedAt).toBe(now());
  });

  it('nothing is resolved before its rule has had data', async () => {
    const stateFile = createMemoryFile();
    const { create, engine, world, stub } = start({
      stateFile,
      settings: { LicenseServerDown: { keep_firing_for: '0s' } },
    });
    world.down = true;
    await engine.start();
    await engine.stop();
    world.down = 'unknown';
    const next = create();
    await next.start();
    await advance(120);
    expect(stub.sent.every(isFiring)).toBe(true);
    expect(stub.sent.length).toBeGreaterThanOrEqual(3);
    world.down = false;
    await advance(31);
    expect(isFiring(stub.sent.at(-1) as Sent)).toBe(false);
    await next.stop();
  });

  it('alerts saved more than a day ago are dropped', async () => {
    const stateFile = createMemoryFile();
    const { create, engine, world } = start({ stateFile });
    world.down = true;
    await engine.start();
    await engine.stop();
    world.down = 'unknown';
    await advance(86_401);
    const next = create();
    await next.start();
    expect(next.status().alerts.map(({ labels }) => labels.alertname)).toEqual(['LicenseAnalyzerUnreachable']);
    await next.stop();
  });

  it('each beginning and end is saved before it is sent', async () => {
    const stateFile = createMemoryFile();
    const { engine, world, stub } = start({ stateFile, settings: { LicenseServerDown: { keep_firing_for: '0s' } } });
    await engine.start();
    const stored: string[] = [];
    const post = stub.post;
    stub.post = (write) => {
      for (const { endsAt } of JSON.parse(write(0)) as SentAlert[]) {
        const is = Date.parse(endsAt) / 1000 > now() ? 'firing' : 'resolved';
        stored.push(`${is} ${stateFile.content?.alerts.map(({ state }) => state)}`);
      }
      return post(write);
    };
    world.down = true;
    await engine.evaluate();
    await advance(1);
    world.down = false;
    await engine.evaluate();
    await advance(1);
    expect(stored).toEqual(['firing firing', 'resolved resolved']);
    await engine.stop();
  });

  it('alerts that are not restored yet are not passed on by a reload', async () => {
    const { create } = start();
    const listedFile = { load: () => new Promise<void>(() => {}), keep: async () => true, finish: async () => {} };
    const engine = create({ listedFile });
    void engine.start();
    expect(engine.states()).toBeUndefined();
    await engine.stop();
  });

  it('a reload keeps the alerts, with their clocks', async () => {
    const { create, engine, world, stub } = start();
    world.inUse = 10;
    await engine.start();
    await advance(800);
    await engine.stop();
    const next = create({ initial: engine.states() });
    await next.start();
    await advance(120);
    expect(stub.sent.map(({ labels }) => labels.alertname)).toContain('LicenseFeatureSaturated');
    await next.stop();
  });
});

describe('in any sequence of events', () => {
  it('a firing alert is sent at least every resend delay, and resolved only when its condition was seen not to hold', async () => {
    const seen = { firing: 0, resolved: 0 };
    /** When it is known that there is nothing. Usage of a server that is down is withheld. */
    const isOver: Readonly<Record<string, (world: World) => boolean>> = {
      LicenseServerDown: ({ down }) => down === false,
      // its average can be low while the newest usage is not
      LicenseFeatureSaturated: ({ down, inUse }) => down !== true && inUse !== undefined,
      LicenseAnalyzerUnreachable: ({ down }) => down !== 'unknown',
    };
    const phase = fc.record({
      down: fc.constantFrom<Down>(true, true, false, 'unknown'),
      inUse: fc.constantFrom(10, 9, 1, undefined),
      seconds: fc.integer({ min: 1, max: 1200 }),
      pollEvery: fc.constantFrom(7, 60, 300),
      clock: fc.constantFrom(0, 0, 0, 0, -7200, 600),
      isRestarted: fc.constantFrom(false, false, false, true),
      isBroken: fc.constantFrom(false, false, false, true),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(phase, { minLength: 1, maxLength: 10 }), async (phases) => {
        vi.setSystemTime(NOW * 1000);
        const stateFile = createMemoryFile();
        const settings = {
          LicenseServerDown: { keep_firing_for: '0s' },
          LicenseFeatureSaturated: { for: '1m', keep_firing_for: '0s' },
        };
        const { create, world, stub, log } = start({ stateFile, settings });
        let engine = create();
        await engine.start();
        for (const { isRestarted, isBroken, clock, seconds, pollEvery, down, inUse } of phases) {
          Object.assign(world, { down, inUse });
          if (isRestarted) {
            // killed: what it has not saved is lost
            const killed = engine;
            engine = create();
            killed.stop();
            await engine.start();
          }
          stub.outcome = isBroken ? { is: 'failed', status: undefined, reason: 'no' } : { is: 'accepted' };
          if (clock !== 0) vi.setSystemTime(Date.now() + clock * 1000);
          let elapsed = 0;
          while (elapsed < seconds) {
            const from = log.entries.length;
            await engine.evaluate();
            const stepSeconds = Math.min(pollEvery, 61);
            await advance(stepSeconds);
            elapsed += stepSeconds;
            for (const { fields } of log.entries.slice(from)) {
              if (fields.to !== 'resolved') continue;
              const { alertname: name = '' } = fields.labels as Labels;
              seen.resolved += 1;
              expect({ name, isOver: isOver[name]?.(world) }).toEqual({ name, isOver: true });
            }
            if (isBroken || stepSeconds < 61) continue;
            for (const { state, labels } of engine.status().alerts) {
              if (state !== 'firing') continue;
              seen.firing += 1;
              const sent = stub.sent.filter((alert) => alert.labels.alertname === labels.alertname).at(-1);
              expect(now() - (sent?.at ?? 0)).toBeLessThanOrEqual(61);
            }
          }
        }
        await engine.stop();
      }),
      { numRuns: isLong ? 300 : 20 },
    );
    expect(seen.firing).toBeGreaterThan(50);
    expect(seen.resolved).toBeGreaterThan(10);
  });
});
